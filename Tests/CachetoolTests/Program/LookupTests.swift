// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("lookup")
    struct LookupTests {
        private func lookup(_ tool: Tool, _ account: String, _ scopes: String, _ more: String...) throws
            -> FinishedProgram
        {
            try tool.run(["lookup", "--account", account, "--client", SampleCache.client, "--scopes", scopes] + more)
        }

        @Test("a comma between scopes is warned of")
        func commas() throws {
            let tool = try Tool.withSample()
            let done = try lookup(tool, SampleCache.adele, "User.Read,Mail.Read")
            #expect(done.messages.hasPrefix("cachetool: warning: scopes are separated by spaces"))
            #expect(try lookup(tool, SampleCache.adele, "User.Read Mail.Read").messages.isEmpty)
        }

        @Test(
            "what cannot be a tenant, a host or an account is status 2, not a miss",
            arguments: [
                ["--tenant", "login.microsoftonline.com/t"], ["--tenant", "//x"], ["--tenant", "https:/x"],
                ["--environment", "login.windows.net:99999"], ["--environment", "login.windows.net:0"],
                ["--environment", "-"], ["--environment", "a.-b.com"], ["--environment", "a-.b.com"],
                ["--environment", "-a.com"], ["--environment", String(repeating: "a", count: 300)],
                ["--account", " "],
            ]
        )
        func impossible(arguments: [String]) throws {
            let account = arguments[0] == "--account" ? [] : ["--account", SampleCache.adele]
            let done = try Tool.withSample().run(
                ["lookup", "--client", SampleCache.client, "--scopes", "Never.Granted"] + account + arguments
            )
            #expect(done.exitCode == 2, "\(done.text) \(done.messages)")
        }

        @Test(
            "a tenant may be a domain with a policy, or the path of an issuer",
            arguments: ["contoso.com/b2c_1_a", "realms/a"]
        )
        func path(tenant: String) throws {
            let done = try Tool.withSample().run([
                "lookup", "--client", SampleCache.client, "--scopes", "Never.Granted", "--account", SampleCache.adele,
                "--tenant", tenant,
            ])
            #expect(done.exitCode != 2, "\(done.messages)")
        }

        @Test("a username without an @ is not completed to that of somebody else, but suggested")
        func otherUser() throws {
            let tool = try Tool()
            let document = """
                {"Account":{"a":{"home_account_id":"u.t","environment":"login.windows.net","realm":"t",
                "username":"TAILSPIN\\\\kim2"}},"AccessToken":{"t":{"credential_type":"AccessToken",
                "home_account_id":"u.t","environment":"login.windows.net","client_id":"c","realm":"t",
                "target":"a","secret":"s","expires_on":"4000000000"}}}
                """
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            let done = try tool.run("lookup", "--account", "TAILSPIN\\kim", "--client", "c", "--scopes", "a")
            #expect(done.exitCode == 3)
            #expect(done.messages.contains("kim2"), "\(done.messages)")
            let whole = try tool.run("lookup", "--account", "tailspin\\kim2", "--client", "c", "--scopes", "a")
            #expect(whole.exitCode == 0)
        }

        @Test("beside an account without an id of the same username, and one of ADAL, the account's tokens are found")
        func usernameBesideOthers() throws {
            let tool = try Tool()
            let document = """
                {"Account":{"a":{"home_account_id":"u.t","environment":"login.windows.net","realm":"t","username":"kim@x"},
                "b":{"environment":"login.windows.net","realm":"t","username":"kim@x"}},
                "AccessToken":{"t":{"credential_type":"AccessToken","home_account_id":"u.t",
                "environment":"login.windows.net","client_id":"c","realm":"t","target":"a","secret":"s",
                "expires_on":"4000000000"}}}
                """
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            let done = try tool.run("lookup", "--account", "kim@x", "--client", "c", "--scopes", "a")
            #expect(done.exitCode == 0, "\(done.text) \(done.messages)")
        }

        @Test("no scope is status 2", arguments: ["", "  "])
        func noScope(scopes: String) throws {
            let done = try lookup(Tool.withSample(), SampleCache.adele, scopes)
            #expect(done.exitCode == 2)
            #expect(done.messages == "cachetool: --scopes is empty. Name at least one scope, such as User.Read.\n")
        }

        @Test(
            "finds an account by home account id and by username",
            arguments: [SampleCache.adeleID, SampleCache.adele]
        )
        func hit(account: String) throws {
            let done = try lookup(Tool.withSample(), account, "User.Read", "--json")
            #expect(done.exitCode == 0)
            let answer = try done.json
            #expect(answer["decision"] as? String == "hit")
            #expect(answer["reason"] as? String == "valid")
            #expect(answer["scopes"] as? [String] == ["Mail.Read", "User.Read"])
            #expect(answer["secret"] == nil)
        }

        @Test("an expired token leads to a renewal")
        func renew() throws {
            let done = try lookup(Tool.withSample(), SampleCache.adele, "Files.Read", "--json")
            #expect(done.exitCode == 0)
            #expect(try done.json["decision"] as? String == "renew")
            #expect(try done.json["reason"] as? String == "noValidAccessToken")
        }

        @Test("a token that does not serve is named with what it lacks", arguments: 0..<5)
        func nearest(index: Int) throws {
            let tenant = "ffffffff-0000-0000-0000-000000000000"
            let cases: [(words: [String], shortfalls: [String], text: String)] = [
                (["--scopes", "Files.Read"], ["expired"], "expired 1 h ago"),
                (["--scopes", "Sites.Read User.Read"], ["scopes"], "lacks Sites.Read"),
                (["--scopes", "User.Read", "--tenant", tenant], ["tenant"], "is of tenant \(SampleCache.tenant)"),
                (["--scopes", "User.Read", "--environment", "login.example"], ["environment"], "is of the cloud of"),
                (["--scopes", "User.Read", "--claims", "{\"a\":1}"], [], "the claims challenge requires a new one"),
            ]
            let (words, shortfalls, text) = cases[index]
            let tool = try Tool.withSample()
            let command = ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client] + words
            let done = try tool.run(command + ["--json"])
            let nearest = try #require(try done.json["nearest_token"] as? [String: Any], "\(done.text)")
            #expect(nearest["shortfalls"] as? [String] == shortfalls)
            #expect(nearest["missing_scopes"] as? [String] == (index == 1 ? ["Sites.Read"] : []))
            #expect(try tool.run(command).text.contains(text))
        }

        @Test("for another app the nearest token is that of the app that has one, and its refresh token is not shared")
        func otherApp() throws {
            let tool = try Tool.withSample()
            let client = ["--client", "11111111-2222-3333-4444-555555555555"]
            let done = try tool.run(
                ["lookup", "--account", SampleCache.zoeID, "--scopes", "User.Read", "--json"] + client
            )
            #expect(done.exitCode == 3)
            let nearest = try #require(try done.json["nearest_token"] as? [String: Any])
            #expect(nearest["shortfalls"] as? [String] == ["client"])
            let refresh = try #require(try done.json["refresh_token"] as? [String: Any])
            #expect(refresh["client_id"] as? String == SampleCache.client)
            #expect(refresh["shortfalls"] as? [String] == ["client"])
        }

        @Test("an unknown account has to sign in: status 3, said on standard output")
        func interaction() throws {
            let done = try lookup(Tool.withSample(), "nobody@contoso.example", "User.Read", "--json")
            #expect(done.exitCode == 3)
            #expect(try done.json["decision"] as? String == "interaction")
            #expect(try done.json["reason"] as? String == "accountUnknown")
            #expect(done.messages == "")
        }

        @Test("accounts of one username are listed with what tells them apart")
        func severalAccounts() throws {
            let tool = try Tool()
            let accounts = ["a.t1", "b.t2"].map { id in
                """
                "\(id)": {"home_account_id": "\(id)", "environment": "login.windows.net", "realm": "\(id.suffix(2))",
                "local_account_id": "l", "username": "ann@contoso.example", "authority_type": "MSSTS"}
                """
            }
            let document = "{\"Account\": {" + accounts.joined(separator: ",") + "}}"
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            let done = try lookup(tool, "ann@contoso.example", "User.Read")
            #expect(done.exitCode == 3)
            #expect(done.text.contains("a.t1, ann@contoso.example, tenant t1 of login.windows.net"))
            #expect(done.text.contains("b.t2, ann@contoso.example, tenant t2 of login.windows.net"))
            let json = try lookup(tool, "ann@contoso.example", "User.Read", "--json").json
            #expect(json["reason"] as? String == "severalAccounts")
            let listed = json["accounts"] as? [[String: Any]]
            #expect(listed?.map { $0["home_account_id"] as? String } == ["a.t1", "b.t2"])
            for command in [["clear", "--account"], ["sign-out", "--client", "c"]] {
                for name in ["ann@contoso.example", " ann@contoso.example\t"] {
                    let refused = try tool.run(command + [name, "--yes"])
                    #expect(refused.exitCode == 2 && refused.messages.contains("a.t1, b.t2"), "\(refused.messages)")
                }
            }
            #expect(try tool.run("clear", "--account", "a.t1", "--yes").exitCode == 0)
            #expect(try tool.run("clear", "--account", "ann@contoso.example", "--yes").exitCode == 0)
        }

        @Test(
            "an empty account, environment or tenant, as of an unset variable, is refused",
            arguments: [
                ["lookup", "--account", ""], ["lookup", "--account", SampleCache.adele, "--environment", " "],
                ["lookup", "--account", SampleCache.adele, "--tenant", " "], ["list", "--account", ""],
                ["accounts", "--account", " "], ["clear", "--account", "", "--yes"],
            ]
        )
        func emptyArguments(command: [String]) throws {
            let more = command[0] == "lookup" ? ["--client", SampleCache.client, "--scopes", "User.Read"] : []
            let done = try Tool.withSample().run(command + more)
            #expect(done.exitCode == 2, "\(done.text) \(done.messages)")
        }

        @Test("--reveal --yes gives the token, and nothing else does")
        func reveal() throws {
            let tool = try Tool.withSample()
            let shown = try lookup(tool, SampleCache.adeleID, "User.Read", "--json", "--reveal", "--yes")
            #expect(try shown.json["secret"] as? String == "CANARYACCESS.Mail.Read User.Read.\(SampleCache.adeleID)")
            let refused = try lookup(tool, SampleCache.adeleID, "User.Read", "--json", "--reveal")
            #expect(refused.exitCode == 2)
            #expect(refused.output.isEmpty)
        }

        @Test("a refresh token is never shown as a secret")
        func neverRefreshToken() throws {
            let done = try lookup(Tool.withSample(), SampleCache.adele, "Files.Read", "--json", "--reveal", "--yes")
            #expect(try done.json["secret"] == nil)
            #expect(!done.text.contains("CANARY"))
        }

        @Test("on a terminal --reveal shows the token with a warning")
        func terminalReveal() throws {
            let tool = try Tool.withSample()
            let arguments = [
                "lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read",
            ]
            let shown = try tool.terminal(arguments + ["--reveal"])
            #expect(shown.exitCode == 0)
            #expect(shown.text.contains("CANARYACCESS"))
            #expect(shown.text.contains("scrollback"))
            #expect(!(try tool.terminal(arguments)).text.contains("CANARY"))
        }

        @Test("colour only on a terminal, and not where NO_COLOR forbids it")
        func colour() throws {
            let tool = try Tool.withSample()
            let arguments = [
                "lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read",
            ]
            #expect(try tool.terminal(arguments).text.contains("\u{1B}[32mhit"))
            #expect(!(try tool.terminal(arguments, environment: ["NO_COLOR": "1"])).text.contains("\u{1B}"))
            #expect(!(try tool.terminal(arguments, environment: ["TERM": "dumb"])).text.contains("\u{1B}"))
            #expect(!(try tool.run(arguments)).text.contains("\u{1B}"))
        }
    }
}
