// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("list and inspect")
    struct ListTests {
        private func entries(_ tool: Tool, _ filters: String...) throws -> [[String: Any]] {
            let done = try tool.run(["list", "--json"] + filters)
            #expect(done.exitCode == 0)
            return try #require(try done.json["entries"] as? [[String: Any]])
        }

        @Test("every entry is listed, and filters narrow it down")
        func filters() throws {
            let tool = try Tool.withSample()
            #expect(try entries(tool).count == 15)
            #expect(try entries(tool, "--kind", "access-token").count == 5)
            #expect(try entries(tool, "--kind", "AccessToken", "--kind", "id-token").count == 8)
            #expect(try entries(tool, "--account", SampleCache.zoe).count == 4)
            #expect(try entries(tool, "--account", SampleCache.zoeID, "--kind", "refresh-token").count == 1)
            #expect(try entries(tool, "--expired").count == 1)
            #expect(try entries(tool, "--client", SampleCache.otherClient).isEmpty)
            #expect(try entries(tool, "--tenant", SampleCache.tenant.uppercased(), "--kind", "access-token").count == 5)
        }

        @Test("every entry has the same members")
        func schema() throws {
            let tool = try Tool.withSample()
            let expected = [
                "account_handle", "application_token", "bytes", "cached_at", "client_id", "environment", "expired",
                "expires_on",
                "extended_expires_on",
                "family_id", "home_account_id", "id", "issuer", "kind", "refresh_on", "scopes", "tenant", "username",
            ]
            for entry in try entries(tool) { #expect(entry.keys.sorted() == expected) }
            #expect(
                try tool.run("list", "--json").json.keys.sorted() == [
                    "entries", "group", "schema_version", "unreadable",
                ]
            )
        }

        @Test("an application's own token is listed as such, and the tokens of an account are not")
        func applicationToken() throws {
            let tool = try Tool.withSample()
            let document = """
                {"AccessToken": {"k": {"credential_type": "AccessToken", "secret": "s", "environment": "login.windows.net",
                "client_id": "\(SampleCache.client)", "realm": "t", "target": "x", "expires_on": "4000000000"}}}
                """
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            #expect(try entries(tool).count { $0["application_token"] as? Bool == true } == 1)
            let lines = try tool.run("list", environment: ["COLUMNS": "200"]).lines
            #expect(lines.count { $0.contains("(application)") } == 1)
            #expect(
                try entries(tool, "--account", SampleCache.adele).allSatisfy {
                    $0["application_token"] as? Bool == false
                }
            )
        }

        @Test("lists of several groups have the same order, whatever their keys are, also before and after an export")
        func order() throws {
            let accounts = (0..<30).map { number in
                """
                "a\(number)":{"environment":"login.windows.net","realm":"t\(number % 3)",\
                "local_account_id":"l\(number)","username":"\(number % 2 == 0 ? "same@x" : "")"\
                \(number % 4 == 0 ? #","home_account_id":"u\#(number).t""# : "")}
                """
            }
            let document = "{\"Account\":{\(accounts.joined(separator: ","))}}"
            func lists(_ document: Data) throws -> ([String], exported: Data) {
                let tool = try Tool()
                #expect(try tool.run("import", "-", input: document).exitCode == 0)
                let entries = try entries(tool).map { entry in
                    ["username", "home_account_id", "tenant"].map { "\(entry[$0] ?? "")" }.joined(separator: " ")
                }
                let accounts = try #require(
                    try tool.run("accounts", "--all", "--json").json["accounts"] as? [[String: Any]]
                )
                let ids = accounts.map { account in
                    let profiles = account["tenants"] as? [[String: Any]] ?? []
                    return "\(account["home_account_id"] ?? "") \(profiles.map { "\($0["local_account_id"] ?? "")" })"
                }
                return (entries + ids, try tool.run("export", "--all", "--yes", "-").output)
            }
            let first = try lists(Data(document.utf8))
            for _ in 0..<3 { #expect(try lists(Data(document.utf8)).0 == first.0) }
            #expect(try lists(first.exported).0 == first.0)
        }

        @Test(
            "a word for a tenant selects what it means for each account",
            arguments: [("t", 3), ("common", 3), ("organizations", 4), ("other", 1), ("consumers", 0)]
        )
        func tenantWord(tenant: String, count: Int) throws {
            let tool = try Tool()
            let tokens = ["t", "organizations", "common", "other"].map { realm in
                """
                "\(realm)":{"credential_type":"AccessToken","home_account_id":"u.t","environment":"login.windows.net",\
                "client_id":"c","realm":"\(realm)","target":"\(realm)","secret":"s","expires_on":"4000000000"}
                """
            }
            // For an application, and for an account without a home tenant, a word means nothing.
            let application = """
                "app":{"credential_type":"AccessToken","environment":"login.windows.net","client_id":"c",\
                "realm":"organizations","target":"app","secret":"s","expires_on":"4000000000","application_token":true}
                """
            let account = #""a":{"home_account_id":"u.t","environment":"login.windows.net","realm":"organizations"}"#
            let other = #""b":{"home_account_id":"s","environment":"idp.example.com","realm":"r"}"#
            let document =
                "{\"AccessToken\":{\((tokens + [application]).joined(separator: ","))},\"Account\":{\(account),\(other)}}"
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            #expect(try entries(tool, "--tenant", tenant, "--kind", "access-token").count == count)
            let accounts = try tool.run("accounts", "--all", "--tenant", tenant, "--json").json["accounts"] as? [Any]
            #expect(accounts?.count == (count >= 3 ? 1 : 0))
        }

        @Test("a URL is no tenant: status 2", arguments: [["list"], ["accounts"], ["clear", "--yes"]])
        func tenantURL(command: [String]) throws {
            let tool = try Tool.withSample()
            for tenant in ["https://login.microsoftonline.com/t", "login.microsoftonline.com/t", "contoso.com?x"] {
                let done = try tool.run(command + ["--tenant", tenant])
                #expect(done.exitCode == 2, "\(tenant): \(done.messages)")
            }
        }

        @Test("a table fits the terminal", arguments: [60, 80, 120, 200])
        func width(columns: Int) throws {
            let tool = try Tool.withSample()
            let done = try tool.run("list", environment: ["COLUMNS": "\(columns)"])
            #expect(done.lines.count == 16)
            // Wide characters take two columns: bounded by the count of characters all the same.
            #expect(done.lines.allSatisfy { $0.count <= columns })
        }

        @Test("nothing that fits is said on standard error, with status 0")
        func nothing() throws {
            let done = try Tool.withSample().run("list", "--client", SampleCache.otherClient)
            #expect(done.exitCode == 0)
            #expect(done.output.isEmpty)
            #expect(done.messages.hasPrefix("No entry matches. "))
        }

        @Test("an unknown kind is refused with those that there are")
        func unknownKind() throws {
            let done = try Tool.withSample().run("list", "--kind", "cookie")
            #expect(done.exitCode == 2)
            #expect(done.messages.contains("RefreshToken"))
        }

        @Test("the claims of an id token are decoded, and said to be unverified")
        func claims() throws {
            let tool = try Tool.withSample()
            let entry = try #require(try entries(tool, "--kind", "id-token", "--account", SampleCache.adele).first)
            let id = try #require(entry["id"] as? String)
            let done = try tool.run("inspect", String(id.prefix(8)), "--json")
            let token = try #require(try done.json["token"] as? [String: Any])
            #expect(token["format"] as? String == "signed")
            #expect(token["verified"] as? Bool == false)
            #expect((token["claims"] as? [String: Any])?["preferred_username"] as? String == SampleCache.adele)
            #expect(try tool.run("inspect", id).text.contains("token claims (not verified)"))
        }

        @Test("--reveal --yes shows the secret and unknown fields")
        func reveal() throws {
            let tool = try Tool.withSample()
            var revealed = ""
            for entry in try entries(tool, "--kind", "access-token") {
                let id = try #require(entry["id"] as? String)
                revealed += try tool.run("inspect", id, "--reveal", "--yes").text
                let json = try tool.run("inspect", id, "--json", "--reveal", "--yes").json
                #expect((json["secret"] as? String)?.hasPrefix("CANARYACCESS") == true)
            }
            #expect(revealed.contains("CANARYACCESS"))
            #expect(revealed.contains("CANARYUNKNOWN"))
        }

        @Test(
            "an ID that fits nothing, or is too short, is refused",
            arguments: [("0123456789abcdef", 3), ("abc", 2), ("xyzw", 2)]
        )
        func badID(id: String, status: Int32) throws {
            #expect(try Tool.withSample().run("inspect", id).exitCode == status)
        }
    }
}
