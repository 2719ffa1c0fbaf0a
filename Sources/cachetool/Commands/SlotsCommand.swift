// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `cachetool slots`
struct SlotsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slots",
        abstract: "List, add or remove the key slots of a group.",
        discussion: """
            A group is opened by any one of its key slots: a key file, an item in the \
            keyring or a passphrase, eight at most. A group whose records are in the keyring has no slots of its own.

            EXAMPLES:
              cachetool slots list --group work
              cachetool slots add --group work --new-passphrase
              cachetool slots remove --group work 2382f146
            """,
        subcommands: [SlotsListCommand.self, SlotsAddCommand.self, SlotsRemoveCommand.self],
        defaultSubcommand: SlotsListCommand.self
    )
}
