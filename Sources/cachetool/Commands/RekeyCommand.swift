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
            Use this if a key file or passphrase may have been exposed, or to make unreadable what the disk keeps of \
            removed tokens. Reseals every record, overwrites the group's own key file and gives it new content, and \
            deletes data that repair set aside. A passphrase or key file of yours that is kept still opens older \
            copies of the group: to prevent that, replace it too. Processes that have the group open switch to \
            the new key automatically. A slot whose secret is not given here (another key file, a passphrase) cannot \
            be kept: it is named, and dropped if you confirm. A backup of the folder made before the rekey can be \
            opened only with the key file of that time. In the keyring, an interrupted rekey is completed when the \
            group is next opened for writing.

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
        let outcome = RekeyOutcome(session: session, isAnswered: options.yes)
        let slots = cache.hasKeySlots ? try cache.keySlots() : []
        let settings = try outcome.options(slots)
        let report = try outcome.sealing { (handler) throws(TokenCacheError) in
            try cache.rekey(options: settings, progress: handler)
        }
        outcome.show(report, of: cache)
    }
}
