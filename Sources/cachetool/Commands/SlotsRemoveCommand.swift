// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool slots remove`
struct SlotsRemoveCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a key slot, and reseal the group so that the secret of that slot no longer opens it.",
        discussion: """
            Includes cachetool rekey: slots whose secret is not given are also dropped, if you confirm. The last slot \
            cannot be removed.

            EXAMPLES:
              cachetool slots remove --group work 2382f146
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The SLOT of cachetool slots list, or its beginning (4 characters or more).",
            valueName: "slot"
        )
    )
    var slot: String

    @OptionGroup(title: "Removal options") var options: ConfirmationOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let slots = try cache.keySlots()
        let matches = slots.filter { slot.utf8.count >= 4 && $0.id.hasPrefix(slot.lowercased()) }
        guard matches.count <= 1 else {
            let shown = matches.map { "\($0.id) (\($0.kind.displayName))" }.joined(separator: ", ")
            throw CommandFailure(
                .usage,
                "\(matches.count) slots begin with \(slot): \(shown). Type more of it."
            )
        }
        guard let doomed = matches.first else {
            throw CommandFailure(
                .notFound,
                "No slot of group \(session.groupName) begins with \(slot). Type at least four characters of the SLOT that "
                    + "cachetool slots list shows."
            )
        }
        guard slots.count > 1 else { throw TokenCacheError(.lastSlot) }
        try session.prompt.confirm(
            "Remove \(SlotList.name(doomed))? It will no longer open group \(session.groupName).",
            isAnswered: options.yes
        )
        let outcome = RekeyOutcome(session: session, isAnswered: options.yes)
        let settings = try outcome.options(slots, removing: doomed.id)
        let report = try outcome.sealing { (handler) throws(TokenCacheError) in
            try cache.removeKeySlot(doomed.id, options: settings, progress: handler)
        }
        outcome.show(report, of: cache)
    }
}
