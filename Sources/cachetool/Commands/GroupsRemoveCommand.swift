// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool groups remove`
struct GroupsRemoveCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a group for good: its folder, its key files and its items in the keyring.",
        discussion: """
            Shows what would be removed and what would stay, and asks for confirmation. The group need not be usable: \
            its key may be lost, or its files damaged. Key files and items are removed only if the group can be opened \
            and its folder is neither a copy nor from a backup; otherwise those that may belong to it are listed. Key files and journals are \
            overwritten before they are removed. Files that cachetool did not create stay, and so does a key file that \
            you named, which still opens other copies of the group. To keep the group and remove what is in it, use \
            cachetool clear --all.

            The exit status is 9 if something stays that belongs to the group alone. If the folder is part of it, \
            remove the group again once the reason no longer applies.

            EXAMPLES:
              cachetool groups remove work --dry-run
              cachetool groups remove work
            """
    )

    @Argument(help: ArgumentHelp("The group.", valueName: "name"), completion: NameCompletion.groups)
    var name: String?

    @OptionGroup(title: "Removal options") var options: RemovalOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    mutating func validate() throws {
        guard let name = name ?? group.group else { throw ValidationError("Name the group to remove.") }
        if let other = group.group, other != name {
            throw ValidationError("Name only one group, not both \(name) and \(other).")
        }
        // From here on this is the group of the run, also in advice.
        group.group = name
    }

    func perform(in session: Session) throws {
        let name = session.groupName
        let plan = try report(of: name, isDryRun: true, session)
        guard !options.dryRun else { return try finish(plan, of: name, in: session) }
        if !options.yes {
            for line in fields(plan).lines(isColoured: false) { session.console.say(line) }
            try session.prompt.confirm("Remove group \(name) for good?", isAnswered: false)
        }
        try finish(try report(of: name, isDryRun: false, session), of: name, in: session)
    }

    private func report(of name: String, isDryRun: Bool, _ session: Session) throws -> GroupRemovalReport {
        do throws(TokenCacheError) {
            return try session.remove(isDryRun: isDryRun)
        } catch {
            throw error.code == .notFound ? Self.missing(name, session) : session.explained(error)
        }
    }

    /// The failure for a missing group. Unlike that of other commands, it does not advise how to create the group.
    private static func missing(_ name: String, _ session: Session) -> CommandFailure {
        let groups = (try? CacheGroup.list(root: session.root)) ?? []
        if groups.contains(where: { $0.name == name }) {
            let folder = "\(session.shownRoot)/\(name)"
            return CommandFailure(
                .notFound,
                "\(folder) is a folder without a group.",
                advice: "If it is yours, remove it with rm -r \(AdvisedCommands.shellWord(folder))."
            )
        }
        let others = groups.filter { $0.state != .empty }.map(\.name).joined(separator: ", ")
        return CommandFailure(
            .notFound,
            "There is no group \(name) under \(session.shownRoot), so nothing was removed.",
            advice: others.isEmpty ? "Select another folder with --root." : "The existing groups are: \(others)."
        )
    }

    private func finish(_ report: GroupRemovalReport, of name: String, in session: Session) throws {
        if session.usesJSON {
            write(report, of: name, to: JSONWriter(session.console.output))
        } else {
            fields(report).write(to: session.console)
        }
        guard !report.isComplete else { return }
        throw CommandFailure(
            .partial,
            "A part of group \(name) \(report.isDryRun ? "would stay" : "stayed"). "
                + (report.isDryRun || report.kept.contains { $0.kind == .folder }
                    ? "Once the reason no longer applies, run cachetool groups remove."
                    : "The folder is gone, so remove it by hand if no other group needs it.")
        )
    }

    private func fields(_ report: GroupRemovalReport) -> FieldList {
        var fields = FieldList()
        for part in report.removed { fields.add(report.isDryRun ? "would be removed" : "removed", Self.phrase(part)) }
        for part in report.kept {
            let text = Self.phrase(part) + (part.reason.map { ": \($0)" } ?? "")
            fields.add(report.isDryRun ? "would stay" : "stays", text, style: part.isLeftover ? .warning : .plain)
        }
        return fields
    }

    private static func phrase(_ part: GroupRemovalReport.Part) -> String {
        let path = part.path ?? ""
        switch part.kind {
        case .folder:
            let files = HumanNumber.count(part.count, one: "file", many: "files")
            let size = part.byteCount.map { ", \(files), \(HumanNumber.bytes(Int(clamping: $0)))" } ?? ""
            return "folder \(path)\(size)"
        case .keyFile: return "key file \(path)"
        case .keyringItems where part.count == 0: return "items in the keyring"
        case .keyringItems:
            return HumanNumber.count(part.count, one: "item", many: "items") + " in the keyring"
        // A newer library may have more kinds than this program knows.
        @unknown default: return path
        }
    }

    private func write(_ report: GroupRemovalReport, of name: String, to json: JSONWriter) {
        json.document {
            json.member("group", name)
            json.member("dry_run", report.isDryRun)
            json.array("removed") {
                for part in report.removed { write(part, json) { _ in } }
            }
            json.array("kept") {
                for part in report.kept {
                    write(part, json) { json in
                        json.member("reason", part.reason)
                        json.member("leftover", part.isLeftover)
                    }
                }
            }
        }
    }

    private func write(_ part: GroupRemovalReport.Part, _ json: JSONWriter, _ more: (JSONWriter) -> Void) {
        json.objectElement {
            json.member("kind", part.kind.rawValue)
            json.member("path", part.path)
            json.member("count", part.count)
            json.member("bytes", part.byteCount.map { Int64(clamping: $0) })
            more(json)
        }
    }
}

/// The options of `cachetool groups remove`.
struct RemovalOptions: ParsableArguments {
    @Flag(help: "Only show what would be removed and what would stay.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
