// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool slots add`
struct SlotsAddCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a key slot: one more way to open the group.",
        discussion: """
            The group is opened as usual. Specify the new slot with one of --new-keyring, \
            --new-key-file, --new-key-credential, --new-key-file-mounted, --new-passphrase and --new-passphrase-fd.

            EXAMPLES:
              cachetool slots add --group work --new-keyring
              cachetool slots add --group work --new-passphrase
              cachetool slots add --group work --new-passphrase-fd 3 3<passphrase
              cachetool slots add --group work --new-key-file /media/stick/work.key
            """
    )

    @OptionGroup(title: "The new slot") var options: NewSlotOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if options.newPassphrase, !session.prompt.isPossible {
            throw CommandFailure(
                .usage,
                "Prompting for the new passphrase is not possible here. Provide it with --new-passphrase-fd."
            )
        }
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let slot = try cache.addKeySlot(options.unlocking(session, collection: group.collection))
        if session.usesJSON {
            session.writeDocument { json in
                SlotList(slots: [slot]).write("added", json)
            }
        } else {
            session.console.remark("Added: \(SlotList.name(slot)). It opens the group from now on.")
        }
    }
}
