// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool accounts`
struct AccountsCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the people and identities that a group has tokens for.",
        discussion: """
            One line for each account, with its tenants and whether it is signed in: an account is signed in if \
            tokens can be obtained for it without prompting the user. With --client, shows accounts as that app \
            sees them; otherwise as seen by all apps of the group.

            EXAMPLES:
              cachetool accounts
              cachetool accounts --all --client 11111111-2222-3333-4444-555555555555
            """
    )

    @OptionGroup(title: "Account options") var options: AccountOptions
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        let cache = try session.open(.readOnly)
        defer { cache.close() }
        let census = try AccountCensus(of: cache, options, session)
        if session.usesJSON {
            census.write(JSONWriter(session.console.output), group: session.groupName)
        } else if census.accounts.isEmpty {
            session.console.remark(
                options.all ? "No account matches." : "No signed-in account matches; --all includes the others."
            )
        } else {
            census.table.write(to: session.console)
        }
    }
}
