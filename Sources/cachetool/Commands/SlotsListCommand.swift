// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool slots list`
struct SlotsListCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the key slots of a group.",
        discussion: """
            EXAMPLES:
              cachetool slots list --group work
            """
    )

    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readOnly)
        defer { cache.close() }
        let slots = SlotList(slots: try cache.keySlots())
        if session.usesJSON {
            session.writeDocument { json in
                slots.write("slots", json)
            }
        } else {
            slots.table.write(to: session.console)
        }
    }
}
