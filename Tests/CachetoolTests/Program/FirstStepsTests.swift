// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Mistakes of whoever does not know the command yet: each is answered with a way out, and the way leads out.
    @Suite("First steps")
    struct FirstStepsTests {
        private static let lines: [(words: [String], answer: String)] = [
            (["--json", "list"], "Options belong after the command: cachetool list --json"),
            (
                ["--root", "/a b", "groups", "remove", "x"],
                "Options belong after the command: cachetool groups remove x --root '/a b'"
            ),
            (
                ["groups", "rm", "x"],
                "There is no command groups rm. Did you mean groups remove? cachetool help groups lists them."
            ),
            (
                ["slots", "lst"],
                "There is no command slots lst. Did you mean slots list? cachetool help slots lists them."
            ),
            (["groups", "frobnicate"], "There is no command groups frobnicate. cachetool help groups lists them."),
            (["ls"], "There is no command ls. Did you mean list? cachetool help lists them."),
            (["login"], "There is no command login. Did you mean sign-in? cachetool help lists them."),
            (
                ["accounts", "ann"],
                "accounts takes options only. For the account ann, type cachetool accounts --account ann; for the group of "
                    + "that name, cachetool accounts --group ann."
            ),
            (
                ["lookup", "--client", "x", "--scopes", "A", "B", "--json"],
                "Several scopes must be a single argument. Put them in quotes: --scopes 'A B'"
            ),
            (
                ["sign-in", "--scopes", "A", "B", "--client", "x"],
                "Several scopes must be a single argument. Put them in quotes: --scopes 'A B'"
            ),
            (
                ["token", "--scopes", "A", "B", "--", "ls"],
                "Several scopes must be a single argument. Put them in quotes: --scopes 'A B'"
            ),
        ]

        @Test("a command line that cannot be meant is answered with one that can", arguments: lines.indices)
        func answered(index: Int) throws {
            let (words, answer) = Self.lines[index]
            let done = try Program.cachetool.run(words, environment: ["PATH": "/usr/bin:/bin"])
            #expect(done.exitCode == (words.contains("--") ? 125 : 2))
            #expect(done.messages == "cachetool: \(answer)\n")
        }

        @Test(
            "a command line that is right is not taken for a mistake",
            arguments: [
                ["--version"], ["--help"], ["help", "groups"], ["groups", "--json"], ["groups", "list"],
                ["list", "--help"], ["slots", "remove", "--help"],
            ]
        )
        func right(words: [String]) throws {
            let home = try ScratchRoot()
            let done = try Program.cachetool.run(words, environment: ["PATH": "/usr/bin:/bin", "HOME": home.path])
            #expect(done.exitCode == 0, "\(done.messages)")
        }

        @Test("options before the command work where the answer puts them")
        func followed() throws {
            let tool = try Tool.withSample()
            let group = ["--root", tool.root.path, "--group", tool.group]
            let done = try Program.cachetool.run(group + ["accounts"], environment: ["PATH": "/usr/bin:/bin"])
            let advised = try #require(done.messages.split(separator: ": ").last).dropLast()
            #expect(advised.hasPrefix("cachetool accounts --root "))
            let command = advised.replacing("cachetool", with: Program.cachetool.path)
            #expect(try Program(path: "/bin/sh").run(["-c", String(command)]).exitCode == 0)
        }

        private static let empty: [(words: [String], message: String, followed: [String])] = [
            (
                ["list", "--account", "nobody@contoso.example"],
                "No entry matches. To list all accounts, run cachetool accounts --group test --root ROOT --all.\n",
                ["accounts", "--all"]
            ),
            (
                ["list", "--client", SampleCache.otherClient, "--expired"],
                "No entry matches. To list all entries, run cachetool list --group test --root ROOT.\n", ["list"]
            ),
            (
                ["accounts", "--account", "nobody@contoso.example"],
                "No account matches. To list all accounts, run cachetool accounts --group test --root ROOT --all.\n",
                ["accounts", "--all"]
            ),
        ]

        @Test("a list in which nothing matches says where to look, and there is something", arguments: empty.indices)
        func noMatch(index: Int) throws {
            let (words, message, followed) = Self.empty[index]
            let tool = try Tool.withSample()
            let done = try tool.run(words)
            #expect(done.exitCode == 0)
            #expect(done.messages.replacing(tool.root.path, with: "ROOT") == message)
            #expect(try !tool.run(followed).output.isEmpty)
        }

        @Test("accounts that are all signed out are counted, and --all shows them")
        func signedOut() throws {
            let tool = try Tool.withSample()
            #expect(try tool.run("sign-out", SampleCache.adele, "--client", SampleCache.client, "--yes").exitCode == 0)
            let words = ["accounts", "--account", SampleCache.adele, "--client", SampleCache.client]
            let done = try tool.run(words)
            #expect(done.output.isEmpty)
            #expect(done.messages == "No account is signed in. 1 account is signed out: --all shows it.\n")
            #expect(try tool.run(words + ["--all"]).text.contains(SampleCache.adele))
        }

        @Test("lookup says where to look for the account, and that nothing is stored of the app")
        func lookup() throws {
            let tool = try Tool.withSample()
            let unknown = try tool.run(
                "lookup",
                "--account",
                "nobody@contoso.example",
                "--client",
                SampleCache.client,
                "--scopes",
                "User.Read"
            )
            #expect(unknown.exitCode == 3)
            #expect(unknown.messages.contains(" --all shows all accounts.\n"))
            // As tokens of a family, which other apps may try.
            let document = String(decoding: try SampleCache().document, as: UTF8.self)
                .replacing("\"secret\":\"1.CANARYREFRESH", with: "\"family_id\":\"1\",\"secret\":\"1.CANARYREFRESH")
            #expect(try tool.run("import", "--replace", "-", input: Data(document.utf8)).exitCode == 0)
            let family = try tool.run(
                "lookup",
                "--account",
                SampleCache.adele,
                "--client",
                "new",
                "--scopes",
                "User.Read"
            )
            #expect(family.text.hasPrefix("renew: "))
            // Wrapped.
            let text = family.lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
            #expect(text.contains("no entries of this app are stored for this account; only the server knows"))
            #expect(family.messages.hasSuffix(" shows which apps have entries.\n"))
        }

        @Test("doctor leaves an empty folder empty")
        func emptyFolder() throws {
            let tool = try Tool()
            let folder = tool.root.path + "/" + tool.group
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
            let done = try tool.run("doctor")
            #expect(done.exitCode == 0)
            #expect(done.text.contains("the group is empty"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }

        @Test("a state file that is none is a problem of the store, with one cause", arguments: ["garbage", ""])
        func stateFile(text: String) throws {
            let tool = try Tool.withSample()
            try Data(text.utf8).write(to: URL(filePath: "\(tool.root.path)/\(tool.group)/store"))
            let opened = try tool.run("accounts")
            #expect(opened.exitCode == 7)
            #expect(opened.messages.contains("The stored data is damaged (the state file"))
            #expect(!opened.messages.contains("another group"))
            let findings = try #require(try tool.run("doctor", "--json").json["findings"] as? [[String: Any]])
            let store = findings.filter { $0["topic"] as? String == "store" }
            #expect(store.map { $0["level"] as? String } == ["problem"])
        }
    }
}
