// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("sign-out, clear and accounts")
    struct RemovalTests {
        private func count(_ tool: Tool, _ filters: String...) throws -> Int {
            try #require(try tool.run(["list", "--json"] + filters).json["entries"] as? [[String: Any]]).count
        }

        @Test("accounts are listed with their tenants and the apps that are signed in")
        func accounts() throws {
            let tool = try Tool.withSample()
            let document = try tool.run("accounts", "--json").json
            let accounts = try #require(document["accounts"] as? [[String: Any]])
            #expect(
                Set(accounts.compactMap { $0["username"] as? String }) == [
                    SampleCache.adele, SampleCache.zoe, SampleCache.hostile,
                ]
            )
            #expect(accounts.allSatisfy { $0["signed_in_clients"] as? [String] == [SampleCache.client] })
            let one =
                try tool.run("accounts", "--account", SampleCache.zoe, "--json").json["accounts"] as? [[String: Any]]
            #expect(one?.count == 1)
        }

        @Test("a filter without a value is a usage error", arguments: ["--account", "--client", "--tenant"])
        func emptyFilter(filter: String) throws {
            let tool = try Tool.withSample()
            for value in [["\(filter)="], [filter, ""]] {
                for command in [["clear"], ["list"]] {
                    let done = try tool.run(command + value + (command == ["clear"] ? ["--dry-run"] : []))
                    #expect(done.exitCode == 2, "\(done.messages)")
                    #expect(done.messages.contains("\(filter) is empty"), "\(done.messages)")
                }
            }
        }

        @Test("a signed-out account needs the user, and is listed only on request")
        func signOut() throws {
            let tool = try Tool.withSample()
            let done = try tool.run("sign-out", SampleCache.adele, "--client", SampleCache.client, "--yes")
            #expect(done.exitCode == 0)
            let lookup = try tool.run(
                "lookup",
                "--account",
                SampleCache.adele,
                "--client",
                SampleCache.client,
                "--scopes",
                "User.Read",
                "--json"
            )
            #expect(lookup.exitCode == 3)
            #expect(try lookup.json["reason"] as? String == "signedOut")
            #expect((try tool.run("accounts", "--json").json["accounts"] as? [Any])?.count == 2)
            #expect((try tool.run("accounts", "--all", "--json").json["accounts"] as? [Any])?.count == 3)
        }

        @Test("an account that is not there is not signed out")
        func unknownAccount() throws {
            let done = try Tool.withSample().run("sign-out", "nobody@x", "--client", SampleCache.client, "--yes")
            #expect(done.exitCode == 3)
        }

        @Test(
            "nothing is removed without a yes",
            arguments: [["clear", "--all"], ["sign-out", SampleCache.adele, "--client", SampleCache.client]]
        )
        func unasked(command: [String]) throws {
            let tool = try Tool.withSample()
            let done = try tool.run(command)
            #expect(done.exitCode == 2)
            #expect(done.messages.contains("--yes"))
            #expect(try count(tool) == 15)
        }

        @Test("on a terminal the plan is shown, and a no changes nothing")
        func asked() throws {
            let tool = try Tool.withSample()
            let refused = try tool.terminal(["clear", "--expired"], answers: [("[y/N]", "n\n")])
            #expect(refused.exitCode == 1)
            #expect(refused.text.contains("AccessToken"))
            #expect(refused.text.contains("[y/N]"))
            #expect(try count(tool) == 15)
            let done = try tool.terminal(["clear", "--expired"], answers: [("[y/N]", "y\n")])
            #expect(done.exitCode == 0)
            #expect(try count(tool) == 14)
        }

        @Test("--no-prompt shows no prompt, even on a terminal")
        func noPrompt() throws {
            let done = try Tool.withSample().terminal(["clear", "--all", "--no-prompt"])
            #expect(done.exitCode == 2)
        }

        @Test("a dry run names the entries to remove and keeps them")
        func dryRun() throws {
            let tool = try Tool.withSample()
            let done = try tool.run("clear", "--account", SampleCache.zoe, "--dry-run", "--json")
            #expect(done.exitCode == 0)
            #expect(try done.json["would_remove"] as? Int == 4)
            #expect(try done.json["removed"] as? Int == 0)
            #expect(try count(tool) == 15)
        }

        @Test("clear --all empties the group")
        func everything() throws {
            let tool = try Tool.withSample()
            let done = try tool.run("clear", "--all", "--yes", "--json")
            #expect(try done.json["removed"] as? Int == 15)
            #expect(try count(tool) == 0)
        }

        @Test(
            "what to remove must be said",
            arguments: [["clear"], ["clear", "--all", "--expired"], ["clear", "--yes"]]
        )
        func unsaid(command: [String]) throws {
            #expect(try Tool.withSample().run(command).exitCode == 2)
        }
    }
}
