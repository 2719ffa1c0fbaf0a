// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool rekey`
struct RekeyCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Give a group a new key, and reseal everything under it.",
        discussion: """
            Use it when a key file or passphrase may have been seen. Every record is sealed anew, the group's own key \
            file gets new content, and processes that have the group open follow by themselves. A slot whose secret is \
            not given here (another key file, a passphrase) cannot be kept: it is named, and dropped if you \
            confirm. Data that repair set aside is deleted. A backup of the folder made before the rekey opens \
            only with the key file of that time. In the keyring, an interrupted rekey is completed when the group is next opened for writing.

            EXAMPLES:
              cachetool rekey --group work
              cachetool rekey --group work --passphrase-fd 3 3<passphrase
            """
    )

    @OptionGroup(title: "Rekey options") var options: ConfirmationOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readWrite)
        defer { cache.close() }
        let outcome = RekeyOutcome(session, isAnswered: options.yes)
        let settings = try outcome.options(cache.hasKeySlots ? cache.keySlots() : [])
        outcome.show(try outcome.sealing { handler in try cache.rekey(options: settings, progress: handler) })
    }
}
