// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool doctor`
struct DoctorCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that a group depends on, and report problems.",
        discussion: """
            Checks the folder, the files and their modes, who holds the locks, the room on the disk, which store is \
            used and why, the key slots and what each protects against, whether the accounts can get tokens, leftovers \
            of interrupted work, the memory for secrets, the session bus and the keyring on it with its latency, which \
            store a new group would get, and the records: 64 MiB of them, all with --full. Nothing is changed, except \
            with --revoke-pending. A missing or locked keyring is a problem only if the group uses it; accounts that need a sign-in count as a \
            problem only with --accounts.

            The exit status is 0 if there is no problem, otherwise 1. With --revoke-pending it is 0 if all pending \
            revocations were made, otherwise 9.

            EXAMPLES:
              cachetool doctor
              cachetool doctor --group work --full
              cachetool doctor --group work --probe-write --json
            """
    )

    @OptionGroup(title: "Doctor options") var options: DoctorOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if options.revocation.revokePending { try SignInProgram.takeOver() }
        let progress = ProgressLine("Opening records", on: session.console)
        defer { progress.finish() }
        let findings = try session.reference.examine(
            probesWriting: options.probeWrite,
            checksAllRecords: options.full,
            requiresUsableAccounts: options.accounts,
            progress: progress.handler
        ).map(session.explained)
        progress.finish()
        let isHealthy = !findings.contains { $0.level == .problem }
        if session.usesJSON {
            write(findings, isHealthy: isHealthy, session: session)
        } else {
            let console = session.console
            for finding in findings {
                Self.lines(of: finding, width: console.columns, isColoured: console.isColoured)
                    .forEach { console.write(line: $0) }
            }
        }
        if !isHealthy { throw CommandFailure.silent(.failure) }
    }

    /// The width of the columns before a finding's text.
    private static let indent = 19

    /// A finding and its advice, for human readers.
    static func lines(of finding: ExaminationFinding, width: Int?, isColoured: Bool) -> [String] {
        func wrapped(_ text: String) -> String {
            WrappedText.text(VisibleText.escaped(text), width: width, indent: indent)
        }
        let (word, style): (String, Style) =
            switch finding.level {
            case .fine: ("fine", .good)
            case .note: ("note", .warning)
            case .problem: ("WRONG", .bad)
            @unknown default: (finding.level.rawValue, .warning)
            }
        let head = style.applied(to: word, isOn: isColoured) + String(repeating: " ", count: max(1, 7 - word.count))
        let topic = finding.topic.rawValue.replacing("_", with: " ")
        let since =
            finding.since.map {
                ", since \(HumanTime.full($0.secondsSince1970, now: WallClock.system.now().secondsSince1970))"
            } ?? ""
        let first = head + topic + String(repeating: " ", count: 12 - topic.count) + wrapped(finding.text + since)
        guard let advice = finding.advice else { return [first] }
        return [
            first, String(repeating: " ", count: indent) + Style.dim.applied(to: wrapped(advice), isOn: isColoured),
        ]
    }

    private func write(_ findings: [ExaminationFinding], isHealthy: Bool, session: Session) {
        session.writeDocument { json in
            json.member("healthy", isHealthy)
            json.array("findings") {
                for finding in findings {
                    json.objectElement {
                        json.member("topic", finding.topic.rawValue)
                        json.member("level", finding.level.rawValue)
                        json.member("description", finding.text)
                        json.member("advice", finding.advice ?? "Nothing.")
                        json.member("since", finding.since?.secondsSince1970)
                    }
                }
            }
        }
    }
}

/// The extent of `cachetool doctor`.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "Also try to write where the group keeps its records, and remove what was written.")
    var probeWrite = false

    @Flag(help: "Open every record, however large the group is.")
    var full = false

    @Flag(help: "Fail if an account cannot get tokens without a sign-in.")
    var accounts = false

    @OptionGroup var revocation: RevokePendingOptions

    func validate() throws {
        if revocation.revokePending && (probeWrite || full || accounts) {
            throw ValidationError("--revoke-pending checks nothing. Leave out the other options, or run both commands.")
        }
    }
}
