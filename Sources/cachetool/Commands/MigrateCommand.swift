// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool migrate`
struct MigrateCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move a group from the keyring to the encrypted file, or back.",
        discussion: """
            The records are copied, read back and compared; then the group switches to its new store, and the old one \
            is emptied. Meanwhile no program can write to the group; programs that have it open can keep reading, and \
            must reopen it after the migration. While a program renews a token, the command waits, at most as long as \
            --timeout. If it is interrupted, the group is in its old store or in its new one: run the command again to \
            finish, or give --to its current kind of store to remove the unfinished copy. A group in the keyring has no \
            key slots: passphrases and key files that opened its file do not open it any more, also after a migration \
            back. To move a group from one collection of the keyring to another, move it to the file first.

            EXAMPLES:
              cachetool migrate --group work --to keyring
              cachetool migrate --group work --to file
              cachetool migrate --group work --to file --new-keyring
            """
    )

    @OptionGroup(title: "Migration options") var options: MigrateOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let progress = ProgressLine("Moving", on: session.console)
        let report: MigrationReport
        do throws(TokenCacheError) {
            defer { progress.finish() }
            let target = options.to.choice(collection: group.collection, newKeyring: options.newKeyring)
            report = try session.migrate(to: target, progress: progress.handler)
        } catch {
            // If the group itself opens, the error concerns the leftovers in the other store.
            if error.code == .keyMissing, (try? session.open(.readOnly)) != nil { throw error }
            throw session.explained(error)
        }
        session.usesJSON ? write(report, session) : show(report, session)
    }

    private func show(_ report: MigrationReport, _ session: Session) {
        if !report.wasMoved {
            let before = report.wasResumed ? ", and what an interrupted migration left elsewhere is removed" : ""
            let slot =
                options.newKeyring
                ? " To have the keyring open it too: cachetool slots add --new-keyring." : ""
            return session.console.remark(
                "Group \(session.groupName) is already in the \(report.to.rawValue)\(before).\(slot)"
            )
        }
        session.console.remark(
            "Group \(session.groupName) was migrated to the \(report.to.rawValue), with "
                + "\(HumanNumber.count(report.recordCount, one: "record", many: "records")). Nothing is left in the \(report.from.rawValue)."
        )
    }

    private func write(_ report: MigrationReport, _ session: Session) {
        session.writeDocument { json in
            json.member("from", report.from.rawValue)
            json.member("to", report.to.rawValue)
            json.member("moved", report.wasMoved)
            json.member("resumed", report.wasResumed)
            json.member("records", report.recordCount)
        }
    }
}

/// The destination of a migration.
struct MigrateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of store to migrate to.", valueName: "kind"))
    var to: MigrationTarget

    @Flag(help: "Let an item in the keyring open the file, instead of a key file.")
    var newKeyring = false

    func validate() throws {
        if newKeyring, to != .file {
            throw ValidationError("--new-keyring specifies what opens the file. Use it with --to file.")
        }
    }
}
