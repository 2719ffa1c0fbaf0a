// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool repair`
struct RepairCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Keep what verifies in a damaged group, and set the rest aside.",
        discussion: """
            Keeps what verifies: every account and every later change whose list of records does, record by record. \
            Nothing is discarded: other bytes go to the group's quarantine folder. If the journal is missing, empty \
            or not a journal at all, the group's files are set aside, and the group starts over, empty. Without \
            --dry-run, asks for confirmation first. An undamaged group is not changed.

            EXAMPLES:
              cachetool repair --group work --dry-run
              cachetool repair --group work --yes
            """
    )

    @OptionGroup(title: "Repair options") var options: RepairOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if options.signOutAll, !options.acceptRollback {
            throw ValidationError("--sign-out-all is for an older file: use it with --accept-rollback.")
        }
    }

    func perform(in session: Session) throws {
        if options.dryRun, options.adopt {
            throw CommandFailure(
                .usage,
                "--adopt changes the group before it is examined. Use either it or --dry-run."
            )
        }
        if options.adopt {
            let done = try adopt(session)
            if !options.acceptRollback {
                if done.wasDamaged || session.usesJSON { try report(done, session) }
                return
            }
        }
        if options.acceptRollback { return try acceptRollback(session) }
        let plan = try repair(isDryRun: true, session)
        guard plan.wasDamaged, !options.dryRun else {
            show(plan, session)
            if plan.wasDamaged { throw CommandFailure.silent(.corrupt) }
            return
        }
        if !options.yes {
            FindingList(findings: plan.findings).write(to: session.console)
            try session.prompt.confirm(question(plan), isAnswered: false)
        }
        try report(repair(isDryRun: false, session), session)
    }

    /// Shows what was done, and throws if something was lost, which determines the exit status.
    private func report(_ done: RepairReport, _ session: Session) throws {
        show(done, session)
        try checkLosses(done, session)
    }

    private func checkLosses(_ done: RepairReport, _ session: Session) throws {
        guard done.beginsAnew || done.maximumLostCount != 0 || done.lostTransactionCount > 0 else { return }
        throw CommandFailure(
            .partial,
            placeOfTheRest(done, session).map { "What could not be saved was set aside in \($0)." }
                ?? "The rest is lost; there were no bytes to set aside."
        )
    }

    private func repair(isDryRun: Bool, _ session: Session) throws -> RepairReport {
        try explaining(session) { () throws(TokenCacheError) in
            try ElapsedTimeLine.show(isDryRun ? "Examining" : "Repairing", on: session.console) {
                () throws(TokenCacheError) in
                try session.repair(isDryRun: isDryRun)
            }
        }
    }

    private func acceptRollback(_ session: Session) throws {
        let plan = try acceptRollback(isDryRun: true, session)
        // An older file that was accepted before needs no repair, and may still have to be emptied.
        guard plan.wasDamaged || options.signOutAll, !options.dryRun else {
            show(plan, session)
            if options.signOutAll { session.console.remark("All accounts and tokens would be removed from it.") }
            if plan.wasDamaged { throw CommandFailure.silent(.corrupt) }
            return
        }
        let missing = HumanNumber.count(
            Int(clamping: plan.missingTransactionCount),
            one: "change is",
            many: "changes are"
        )
        let whatIsMissing =
            plan.wasDamaged ? "\(missing) missing, which may have signed accounts out." : "It needs no repair."
        let name = session.groupName
        try session.prompt.confirm(
            options.signOutAll
                ? "Accept the file of group \(name), and remove all accounts and tokens from it? \(whatIsMissing)"
                : "Accept the file of group \(name) as it is? \(whatIsMissing)",
            isAnswered: options.yes
        )
        let done = try acceptRollback(isDryRun: false, session)
        if plan.wasDamaged { session.console.remark("The file was accepted as it is: \(whatIsMissing)") }
        show(done, session)
        if options.signOutAll { try signOutAll(session) }
        try checkLosses(done, session)
    }

    /// Removes what the missing changes may have removed, which is unknown, and so everything.
    private func signOutAll(_ session: Session) throws {
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let removed = try cache.clearAll()
        session.console.remark(
            "Then every app was signed out of every account: "
                + HumanNumber.count(removed.entryCount, one: "entry was", many: "entries were") + " removed."
        )
        if let failure = removed.keyChangeFailure {
            session.console.warn("the keys of the group stay: run cachetool rekey to change them. \(failure)")
        }
        if !session.usesJSON { RekeyOutcome.remark(keptKeyFiles: removed.keptKeyFiles, session) }
    }

    private func acceptRollback(isDryRun: Bool, _ session: Session) throws -> RepairReport {
        try explaining(session) { () throws(TokenCacheError) in try session.acceptRollback(isDryRun: isDryRun) }
    }

    private func explaining(
        _ session: Session,
        _ call: () throws(TokenCacheError) -> RepairReport
    ) throws -> RepairReport {
        do throws(TokenCacheError) { return try call() } catch {
            throw session.explained(error, triedCopies: true)
        }
    }

    private func adopt(_ session: Session) throws -> RepairReport {
        try session.prompt.confirm(
            "Adopt the group that is in the folder of \(session.groupName), or else the group of this name in the keyring? "
                + "A group in a file becomes a group of its own, with new keys. If another folder uses that group of the "
                + "keyring, programs that use that folder must never run again.",
            isAnswered: options.yes
        )
        let done = try explaining(session) { () throws(TokenCacheError) in try session.adopt() }
        session.console.remark(
            session.hasFile
                ? "Group \(session.groupName) is now a group of its own, with new keys."
                : "Group \(session.groupName) of the keyring now belongs to this folder."
        )
        if !done.keptKeyFiles.isEmpty {
            session.console.remark(
                "The key files of the original stay. If no other folder has that group, delete them:"
            )
        }
        for path in done.keptKeyFiles { session.console.remark("  \(path)") }
        if done.keptItemCount > 0 {
            let name = AdvisedCommands.shellWord(session.groupName)
            session.console.remark(
                "The keyring still has \(HumanNumber.count(done.keptItemCount, one: "item", many: "items")) of the original. If "
                    + "no other folder has that group, remove them: with a new DIR, run cachetool repair --adopt --group \(name) "
                    + "--root DIR, then cachetool groups remove \(name) --root DIR."
            )
        }
        return done
    }

    private func question(_ plan: RepairReport) -> String {
        if plan.beginsAnew {
            return "Nothing in the group can be recovered. Set its files aside and start over, empty?"
        }
        var question = "Keep \(HumanNumber.count(plan.keptCount, one: "record", many: "records"))"
        if plan.maximumLostCount != 0 { question += ", lose \(losses(plan))" }
        if plan.lostTransactionCount > 0 {
            question +=
                ", lose \(HumanNumber.count(plan.lostTransactionCount, one: "change", many: "changes")) that may "
                + "have signed accounts out"
        }
        return question + " and set \(HumanNumber.bytes(Int(clamping: plan.quarantinedByteCount))) aside?"
    }

    /// The number of lost records, as far as it is known.
    private func losses(_ summary: RepairReport) -> String {
        let known = HumanNumber.count(summary.lostCount, one: "record", many: "records")
        guard let largest = summary.maximumLostCount else {
            return summary.lostCount == 0 ? "an unknown number of records" : known + " and an unknown number more"
        }
        if largest == summary.lostCount { return known }
        let most = HumanNumber.count(largest, one: "record", many: "records")
        return summary.lostCount == 0 ? "at most \(most)" : "\(known) for certain and at most \(most)"
    }

    /// The location of the quarantined bytes; `nil` if there are none.
    private func placeOfTheRest(_ summary: RepairReport, _ session: Session) -> String? {
        if summary.quarantinedFiles.isEmpty { return nil }
        let folder = "\(session.shownRoot)/\(session.groupName)/quarantine"
        return "\(folder): \(summary.quarantinedFiles.joined(separator: ", "))"
    }

    private func show(_ summary: RepairReport, _ session: Session) {
        if session.usesJSON { return write(summary, session) }
        FindingList(findings: summary.findings).write(to: session.console)
        guard summary.wasDamaged else { return session.console.write(line: "undamaged: nothing to repair", .good) }
        var fields = FieldList()
        fields.add("kept", HumanNumber.count(summary.keptCount, one: "record", many: "records"))
        fields.add("lost", losses(summary))
        let mayHaveSignedOut = ", which may have signed accounts out"
        fields.add(
            "lost changes",
            HumanNumber.count(summary.lostTransactionCount) + (summary.lostTransactionCount > 0 ? mayHaveSignedOut : "")
        )
        if summary.missingTransactionCount > 0 {
            let missing = HumanNumber.count(Int(clamping: summary.missingTransactionCount))
            fields.add("missing changes", missing + mayHaveSignedOut)
        }
        if summary.beginsAnew {
            fields.add("starts over", session.advised.completed("with the next sign-in, or cachetool import FILE"))
        }
        fields.add("removed before", HumanNumber.count(summary.removedCount, one: "record", many: "records"))
        let location = placeOfTheRest(summary, session).map { " in \($0)" } ?? ""
        fields.add("set aside", HumanNumber.bytes(Int(clamping: summary.quarantinedByteCount)) + location)
        session.console.write(line: summary.isRepaired ? "repaired:" : "a repair would do this:", .bold)
        fields.write(to: session.console, indent: 2)
    }

    private func write(_ summary: RepairReport, _ session: Session) {
        session.writeDocument { json in
            json.member("dry_run", options.dryRun)
            json.member("damaged", summary.wasDamaged)
            json.member("repaired", summary.isRepaired)
            json.member("kept", summary.keptCount)
            json.member("lost", summary.lostCount)
            json.member("lost_at_most", summary.maximumLostCount.map { Int64($0) })
            json.member("lost_changes", summary.lostTransactionCount)
            json.member("already_removed", summary.removedCount)
            json.member("missing_changes", Int64(clamping: summary.missingTransactionCount))
            json.member("begins_anew", summary.beginsAnew)
            json.member("set_aside_bytes", Int64(clamping: summary.quarantinedByteCount))
            json.member("set_aside_files", summary.quarantinedFiles)
            json.member("kept_key_files", summary.keptKeyFiles)
            json.member("kept_items", summary.keptItemCount)
            FindingList(findings: summary.findings).write(json)
        }
    }
}

/// The extent of `cachetool repair`.
struct RepairOptions: ParsableArguments {
    @Flag(help: "Only show what would be done.")
    var dryRun = false

    @Flag(help: "Accept the file as it is, although a newer state was recorded.")
    var acceptRollback = false

    @Flag(help: "With --accept-rollback: also remove all accounts and tokens, since sign-outs may be missing.")
    var signOutAll = false

    @Flag(help: "Make a copied or renamed folder a group of its own.")
    var adopt = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
