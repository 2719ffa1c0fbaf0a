import ArgumentParser
import CacheAdministration
import TokenCaching

/// `cachetool migrate`
struct MigrateCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Take a group from the keyring to the encrypted file, or the other way.",
        discussion: """
            The records are copied, read back and compared; then the group names its new store, and the old one is \
            emptied. Meanwhile nobody can write; programs that have the group open read on, and have to open it anew once it \
            is elsewhere. What was broken off goes on when the command is given again; to undo it, \
            give --to with the kind that the group has. From one collection of the keyring to another a group goes by way of the file.

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
            report = try session.migrate(to: target, progress: progress.handler)
        } catch {
            // If the group itself opens, the error is about what is left in the other store.
            if error.code == .keyMissing, (try? session.open(.readOnly)) != nil { throw error }
            throw session.explained(error)
        }
        session.usesJSON ? write(report, session) : show(report, session)
    }

    private var target: StorageChoice {
        switch options.to {
        case .keyring: .keyring(collection: group.collection)
        case .file where options.newKeyring: .file(unlockedBy: .keyring(collection: group.collection))
        case .file: .file(unlockedBy: .keyFile)
        }
    }

    private func show(_ report: MigrationReport, _ session: Session) {
        if report.isUnmoved {
            let before = report.wasResumed ? ", and what was begun is taken back" : ""
            let slot =
                options.newKeyring && options.to == .file
                ? " To have the keyring open it too: cachetool slots add --new-keyring." : ""
            return session.console.remark(
                "Group \(session.groupName) is kept in the \(report.to.rawValue) already\(before).\(slot)"
            )
        }
        session.console.remark(
            "Group \(session.groupName) is kept in the \(report.to.rawValue) now, with "
                + "\(HumanNumber.count(report.recordCount, one: "record", many: "records")). Nothing is left in the \(report.from.rawValue)."
        )
    }

    private func write(_ report: MigrationReport, _ session: Session) {
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", session.groupName)
            json.member("from", report.from.rawValue)
            json.member("to", report.to.rawValue)
            json.member("moved", !report.isUnmoved)
            json.member("resumed", report.wasResumed)
            json.member("records", report.recordCount)
        }
    }
}
