// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `cachetool groups`
struct GroupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "groups",
        abstract: "List the groups, or remove one with everything that belongs to it.",
        discussion: """
            EXAMPLES:
              cachetool groups
              cachetool groups --root /srv/token-caches --json
              cachetool groups remove work --dry-run
            """,
        subcommands: [GroupsListCommand.self, GroupsRemoveCommand.self],
        defaultSubcommand: GroupsListCommand.self
    )
}
