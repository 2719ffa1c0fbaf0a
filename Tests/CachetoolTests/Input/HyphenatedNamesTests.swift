// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import ToolInterface

@testable import cachetool

@Suite("Names that look like options")
struct HyphenatedNamesTests {
    @Test(
        "an account id and a client id may begin with a hyphen",
        arguments: [
            ["lookup", "--scopes", "s", "--client", "-c", "--account", "-1ZbClB2"],
            ["list", "--account", "-1ZbClB2", "--client", "-c"],
            ["accounts", "--account", "-1ZbClB2", "--client", "-c"],
            ["clear", "--account", "-1ZbClB2", "--client", "-c"],
            ["sign-out", "--client", "-c", "--", "-1ZbClB2"],
            ["sign-out", "--client", "-c", "--account", "-1ZbClB2"],
        ]
    )
    func hyphens(arguments: [String]) throws {
        let parsed = try Cachetool.parseAsRoot(arguments)
        let names: [String?] =
            switch parsed {
            case let lookup as LookupCommand: [lookup.options.account, lookup.options.client]
            case let list as ListCommand: [list.filters.account, list.filters.client]
            case let accounts as AccountsCommand: [accounts.options.account, accounts.options.client]
            case let clear as ClearCommand: [clear.filters.account, clear.filters.client]
            case let signOut as SignOutCommand: [signOut.options.account, signOut.options.client]
            default: []
            }
        #expect(names == ["-1ZbClB2", "-c"])
    }
}
