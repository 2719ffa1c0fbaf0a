// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool verify`
struct VerifyCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every stored byte of a group.",
        discussion: """
            Opens every record and changes nothing. The exit status is 0 if the group is undamaged, and 7 if it is \
            damaged; cachetool repair then saves what can be saved.

            EXAMPLES:
              cachetool verify --group work
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readOnly)
        defer { cache.close() }
        let progress = ProgressLine("Verifying", on: session.console)
        let summary: VerificationReport
        do {
            defer { progress.finish() }
            summary = try cache.verify(progress: progress.handler)
        }
        if session.usesJSON {
            write(summary, session)
        } else {
            FindingList(findings: summary.findings).write(to: session.console)
            let extent =
                HumanNumber.count(summary.recordCount, one: "record", many: "records")
                // Only a file has a meaningful size.
                + (summary.byteCount > 0 ? ", \(HumanNumber.bytes(Int(clamping: summary.byteCount)))" : "")
            if summary.isSound { session.console.write(line: "undamaged: \(extent) checked", .good) }
        }
        guard summary.isSound else {
            throw CommandFailure(
                .corrupt,
                "Group \(session.groupName) is damaged. Nothing was changed; cachetool repair saves what can be saved."
            )
        }
    }

    private func write(_ summary: VerificationReport, _ session: Session) {
        session.writeDocument { json in
            json.member("sound", summary.isSound)
            json.member("records", summary.recordCount)
            json.member("bytes", Int64(clamping: summary.byteCount))
            FindingList(findings: summary.findings).write(json)
        }
    }
}
