// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool clear`
struct ClearCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove entries for good, for every app of the group.",
        discussion: """
            Shows what would be removed, and asks for confirmation. Removed secrets are overwritten in the file that \
            has them. Sealed copies may remain in unused blocks of the disk if the file was rewritten since they were \
            saved, as a compaction does; they open with the group's key until it is changed, by cachetool rekey, or \
            by --all, which also changes the keys. Name what to remove with filters, which must all match, or remove \
            everything with --all. To sign one account out of one app, use cachetool sign-out: it keeps what other \
            apps need.

            EXAMPLES:
              cachetool clear --expired
              cachetool clear --account adele@contoso.example --dry-run
              cachetool clear --all --yes
            """
    )

    @OptionGroup(title: "Clear options") var options: ClearOptions
    @OptionGroup(title: "Filters") var filters: EntryFilterOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if options.all && !filters.isEmpty {
            throw ValidationError("--all removes everything. Use either --all or filters.")
        }
        if !options.all && filters.isEmpty {
            throw ValidationError("Say what to remove: a filter such as --expired or --account, or --all.")
        }
    }

    func perform(in session: Session) throws {
        let cache = try session.open(options.dryRun ? .readOnly : .readWrite)
        defer { cache.close() }
        let filter = try filters.filter(TypedNames(cache, session.console, use: .removal), session.console.now)
        let plan = try clear(cache, filter, isDryRun: true, "Searching", session)
        guard plan.entryCount + plan.pendingRevocationCount > 0, !options.dryRun else {
            return try finish(plan, isPlan: true, session)
        }
        // The plan is for users who have to confirm; with `--yes` only the report is printed.
        if !options.yes {
            show(plan, isPlan: true, session)
            try session.prompt.confirm(question(plan, session), isAnswered: false)
        }
        let report = try clear(cache, filter, isDryRun: false, "Removing", session)
        try finish(report, isPlan: false, session)
    }

    private func clear(
        _ cache: CacheGroup,
        _ filter: EntryFilter,
        isDryRun: Bool,
        _ activity: String,
        _ session: Session
    ) throws -> ClearReport {
        let progress = ProgressLine(activity, on: session.console)
        defer { progress.finish() }
        if options.all { return try cache.clearAll(isDryRun: isDryRun, progress: progress.handler) }
        return try cache.clear(matching: filter, isDryRun: isDryRun, progress: progress.handler)
    }

    private func question(_ plan: ClearReport, _ session: Session) -> String {
        "Remove \(HumanNumber.count(plan.entryCount, one: "entry", many: "entries")) of "
            + "\(HumanNumber.count(plan.accountCount, one: "account", many: "accounts"))\(Self.revocations(plan, ", and ")) from group \(session.groupName) for good?"
    }

    /// A phrase for pending revocations after a word; empty if there are none.
    private static func revocations(_ report: ClearReport, _ word: String) -> String {
        let count = report.pendingRevocationCount
        if count == 0 { return "" }
        return word + HumanNumber.count(count, one: "refresh token", many: "refresh tokens")
            + " that could not be revoked"
    }

    private func finish(_ report: ClearReport, isPlan: Bool, _ session: Session) throws {
        if session.usesJSON { write(report, isPlan: isPlan, session) } else { show(report, isPlan: isPlan, session) }
        if let failure = report.keyChangeFailure {
            session.console.warn(
                "everything was removed, but the keys of the group stay, and open copies of removed entries that the "
                    + "disk may keep. Run cachetool rekey to change them. \(failure)"
            )
        }
        if !session.usesJSON { RekeyOutcome.remark(keptKeyFiles: report.keptKeyFiles, session) }
        guard report.unreachableCount > 0 else { return }
        throw CommandFailure(
            .partial,
            "\(HumanNumber.count(report.unreachableCount, one: "entry", many: "entries")) cannot be read and "
                + "\(isPlan ? "would stay" : "stayed"). cachetool repair sets such entries aside."
        )
    }

    private func show(_ report: ClearReport, isPlan: Bool, _ session: Session) {
        // If a question follows, the plan is part of it and goes to standard error.
        let isQuestion = isPlan && !options.dryRun
        let revocations = Self.revocations(report, isPlan ? "To remove: " : "Removed: ")
        if !isQuestion, !revocations.isEmpty { session.console.remark(revocations + ".") }
        if report.entryCount == 0 {
            if revocations.isEmpty { session.console.remark("No entry matches.") }
            return
        }
        let columns = [TableColumn("KIND"), TableColumn(isPlan ? "TO REMOVE" : "REMOVED", .right)]
        let table = Table(columns, of: report.entryCounts.sorted { $0.key < $1.key }) { (kind, count) in
            [TableCell(kind.name), TableCell(HumanNumber.count(count))]
        }
        if isQuestion {
            table.forEachLine(width: nil, isColoured: false) { session.console.say($0) }
        } else {
            table.write(to: session.console)
        }
    }

    private func write(_ report: ClearReport, isPlan: Bool, _ session: Session) {
        session.writeDocument { json in
            json.member("dry_run", options.dryRun)
            json.member("removed", isPlan ? 0 : report.entryCount)
            json.member("would_remove", report.entryCount)
            json.member("accounts", report.accountCount)
            json.member("unreachable", report.unreachableCount)
            json.member("pending_revocations", report.pendingRevocationCount)
            json.member("keys_kept_because", report.keyChangeFailure?.description)
            json.member("kept_key_files", report.keptKeyFiles)
            json.kinds(report.entryCounts)
        }
    }
}

/// The entries that `cachetool clear` removes.
struct ClearOptions: ParsableArguments {
    @Flag(help: "Remove everything in the group.")
    var all = false

    @Flag(help: "Only show what would be removed.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
