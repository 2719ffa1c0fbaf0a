// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Profiles as the command reads them. That cachetool sign-in saves them is tested beside a provider, in Tests/Providers.
    @Suite("Profiles")
    struct ProfileTests {
        private let tool: Tool

        init() throws {
            tool = try Tool.withSample()
            let folder = tool.root.path + "/.config/swift-token-cache"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let text = """
                [work]
                client = \(SampleCache.client)
                scopes = User.Read
                account = \(SampleCache.adeleID)
                authority = https://login.microsoftonline.com/organizations
                group = test
                root = \(tool.root.path)
                [api]
                for = https://api.example/mcp
                client = \(SampleCache.client)
                scopes = User.Read
                account = \(SampleCache.adeleID)
                group = test
                root = \(tool.root.path)
                [isolated]
                client = \(SampleCache.client)
                scopes = User.Read
                resource = https://api.example
                account = \(SampleCache.adeleID)
                group = test
                root = \(tool.root.path)
                [broken-group]
                client = \(SampleCache.client)
                group = no-such-group
                """
            try Data(text.utf8).write(to: URL(filePath: folder + "/profiles"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/profiles")
        }

        private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> FinishedProgram {
            try Program.cachetool.run(
                arguments,
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path].merging(environment) { $1 }
            )
        }

        @Test(
            "a profile stands for its options, wherever it is on the line, and typed options take precedence",
            arguments: [
                (["lookup", "work"], 0, "hit"), (["lookup", "--json", "work"], 0, "hit"),
                (["lookup", "--timeout", "3", "work"], 0, "hit"),
                (["lookup", "work", "--scopes", "Files.Read"], 0, "renew"),
                (["lookup", "work", "--account", "nobody@x"], 3, "interaction"),
                (["lookup", "broken-group"], 3, "no group no-such-group"),
                (["lookup", "wrk"], 2, "Did you mean work?"),
                (["lookup", "Work"], 2, "no profile Work"), (["token", "wrk"], 2, "Did you mean work?"),
                (["sign-out", "work"], 2, "in group test?"), (["lookup", "work", "again"], 2, "again"),
                (["lookup", "isolated", "--resource", "https://b.example"], 0, "renew"),
                (["lookup", "--clientid", "x"], 2, "Unknown option '--clientid'"),
                (["lookup", "api"], 0, "hit"), (["sign-out", "api"], 2, "in group test?"),
                (["token", "work", "--application"], 2, "With --application, use --client-secret-file"),
                (["token", "--account", "--", "true"], 125, "--account is empty"),
                (["sign-out", "wrk"], 2, "Did you mean work?"),
                (["sign-out", "wrk", "--client", "c"], 3, "no group default"),
            ]
        )
        func expansion(arguments: [String], status: Int32, text: String) throws {
            let done = try run(arguments)
            #expect(done.exitCode == status, "\(done.messages)")
            #expect((done.text + done.messages).contains(text), "\(done.text)\(done.messages)")
        }

        @Test("the environment names a profile only where nothing else is named")
        func environment() throws {
            let environment = ["CACHETOOL_PROFILE": "work"]
            #expect(try run(["lookup"], environment).text.hasPrefix("hit"))
            let other = try run(["lookup", "--client", SampleCache.client], environment)
            #expect(other.messages.contains("no group default"), "\(other.text)\(other.messages)")
            #expect(try run(["lookup", "broken-group"], environment).exitCode == 3)
            let wrong = try run(["lookup"], ["CACHETOOL_PROFILE": "wrk"])
            #expect(wrong.exitCode == 2 && wrong.messages.contains("wrk, which CACHETOOL_PROFILE names"))
            #expect(try run(["token", "--version"], ["CACHETOOL_PROFILE": "wrk"]).exitCode == 0)
            #expect(try run(["lookup", "--help"], ["CACHETOOL_PROFILE": "wrk"]).exitCode == 0)
            #expect(try run(["sign-out"], environment).messages.contains(SampleCache.adele))
        }

        @Test("a profile is signed out before an account of that name, and stays")
        func signOut() throws {
            let done = try run(["sign-out", "work", "--yes"])
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.messages.contains("\(SampleCache.adele) is signed out of app \(SampleCache.client)"))
            #expect(try run(["lookup", "work"]).exitCode == 3)
        }

        @Test("the beginning of an id signs out only with --account")
        func beginning() throws {
            let begin = String(SampleCache.adeleID.prefix(9))
            let refused = try tool.run("sign-out", begin, "--client", SampleCache.client, "--yes")
            #expect(refused.exitCode == 2)
            #expect(refused.messages.contains("use --account"), "\(refused.messages)")
            #expect(try tool.run("sign-out", "--account", begin, "--client", SampleCache.client, "--yes").exitCode == 0)
        }

        @Test("status and profiles show them, and say nothing secret")
        func listing() throws {
            #expect(try tool.run("status").text.contains("profile work"))
            let listed = try run(["profiles", "--json"]).json
            let profiles = try #require(listed["profiles"] as? [[String: Any]])
            #expect(profiles.map { $0["name"] as? String } == ["work", "api", "isolated", "broken-group"])
            #expect(profiles[0]["account"] as? String == SampleCache.adeleID)
            #expect(try run(["profiles"]).text.contains("work"))
        }

        @Test("status says why profiles are not shown, and shows the rest")
        func unreadable() throws {
            let path = tool.root.path + "/.config/swift-token-cache/profiles"
            try Data("client\n".utf8).write(to: URL(filePath: path))
            let done = try tool.run("status")
            #expect(done.exitCode == 0 && done.text.contains(SampleCache.adele))
            #expect(done.messages.contains("profiles are not shown. Line 1 of \(path)"), "\(done.messages)")
        }

        @Test("without a name, a lookup is for the only app and account, with the scopes of its latest token")
        func defaults() throws {
            let several = try tool.run("lookup")
            #expect(several.exitCode == 2)
            #expect(several.messages.contains("select one with --account"), "\(several.messages)")
            for account in [SampleCache.zoe, SampleCache.hostile] {
                #expect(try tool.run("sign-out", account, "--client", SampleCache.client, "--yes").exitCode == 0)
            }
            #expect(try tool.run("lookup").text.hasPrefix("hit"))
            #expect(try tool.run("sign-out", SampleCache.adele, "--client", SampleCache.client, "--yes").exitCode == 0)
            #expect(try tool.run("lookup").exitCode == 3)
        }

        @Test("an error before a command starts has status 125, and with --json ends in a document")
        func statusBeforeCommand() throws {
            let done = try run(["token", "wrk", "--json", "--", "true"])
            #expect(done.exitCode == 125)
            let last = try #require(done.messages.split(separator: "\n").last)
            let document = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
            #expect(document["exit_status"] as? Int == 125)
            #expect((document["error"] as? String)?.contains("no profile wrk") == true)
            #expect(try run(["token", "wrk"]).exitCode == 2)
        }
    }
}
