// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool groups list`
struct GroupsListCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the groups under a root, and the state of each.",
        discussion: """
            Needs no key: it reads names, state files and the first bytes of each journal, so "ready" does not mean \
            undamaged: run cachetool verify to check. With --group, lists only that group.

            EXAMPLES:
              cachetool groups
              cachetool groups --root /srv/token-caches --json
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        var groups = try CacheGroup.list(root: session.root)
        if let name = session.typedGroupName {
            groups = groups.filter { $0.name == name }
            if groups.isEmpty { throw session.explained(TokenCacheError(.notFound)) }
        }
        if session.usesJSON {
            write(groups, JSONWriter(session.console.output))
        } else if groups.isEmpty {
            session.console.remark(
                session.advised.completed(
                    "There is no group under \(session.shownRoot). To create one, run cachetool import FILE."
                )
            )
        } else {
            table(groups).write(to: session.console)
            for group in groups {
                guard let problem = group.problem else { continue }
                let advised = session.advised(group: group.name)
                session.console.remark("\(group.name): " + advised.completed(problem.description))
            }
        }
    }

    private func table(_ groups: [GroupSummary]) -> Table {
        let columns = [
            TableColumn("GROUP", minimum: 16), TableColumn("STORAGE"), TableColumn("STATE"), TableColumn("FOLDER"),
        ]
        return Table(columns, of: groups) { group in
            [
                TableCell(group.name), TableCell(group.storage.rawValue),
                TableCell(group.state.rawValue, group.state == .ready ? .good : .bad), TableCell(group.path, .dim),
            ]
        }
    }

    private func write(_ groups: [GroupSummary], _ json: JSONWriter) {
        json.document {
            json.array("groups") {
                for group in groups {
                    json.objectElement {
                        json.member("name", group.name)
                        json.member("storage", group.storage.rawValue)
                        json.member("state", group.state.rawValue)
                        json.member("path", group.path)
                        json.member("problem", group.problem?.description)
                    }
                }
            }
        }
    }
}
