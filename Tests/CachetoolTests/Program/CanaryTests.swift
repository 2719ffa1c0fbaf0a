// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Secrets in output")
    struct CanaryTests {
        /// Every command with the flags that change what it says, and how it ends. None asks for a secret.
        private static let commands: [(words: [String], status: Int32)] = [
            (["groups", "list"], 0), (["status"], 0), (["accounts"], 0), (["accounts", "--all"], 0), (["list"], 0),
            (["list", "--expired"], 0),
            (["stats"], 0), (["verify"], 0), (["doctor"], 0), (["list", "--kind", "refresh-token"], 0),
            (["list", "--account", SampleCache.adele], 0), (["slots", "list"], 0),
            (["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read"], 0),
            (
                ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Files.Read"],
                0
            ),
            (["lookup", "--account", SampleCache.hostile, "--client", SampleCache.client, "--scopes", "User.Read"], 0),
            (
                [
                    "lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read",
                    "--claims", #"{"access_token":{"nbf":{"essential":true}}}"#,
                ],
                0
            ),
            (["import", "@document"], 0), (["export", "--all", "--yes", "@root/exported"], 0),
            (["import", "@root/exported"], 0), (["doctor", "--probe-write"], 0),
            (["slots", "add", "--new-key-file", "@root/key"], 0),
            (["clear", "--all", "--dry-run"], 0), (["repair", "--dry-run"], 0), (["compact"], 0),
            (["rekey", "--yes"], 0),
            (["slots", "remove", "0000"], 3), (["inspect", "0000"], 3),
            (["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"], 0),
            (["export", "--json", "/dev/null"], 2), (["import", "/dev/null"], 7), (["clear", "--expired", "--yes"], 0),
            (["clear", "--all", "--yes"], 0), (["groups", "remove", "--dry-run"], 0),
            (["groups", "remove", "--yes"], 0),
        ]

        @Test("no command is left out here")
        func complete() {
            // A migration needs a keyring, and a watch somebody who changes something: the tests below, and of `watch`, have them.
            // What unlocks the keyring, or lists profiles, opens no group.
            let others: Set = [["migrate"], ["watch"], ["unlock"], ["profiles"]]
            let commands = Set(Self.commands.compactMap { CommandTree.command(of: $0.words) })
            #expect(CommandTree.leaves.subtracting(commands) == CommandTree.signingIn.union(others))
        }

        /// The words with the places that only the test knows.
        private static func words(_ words: [String], _ tool: Tool) -> [String] {
            words.map { word in
                word == "@document"
                    ? tool.root.path + "/document" : word.replacingOccurrences(of: "@root", with: tool.root.path)
            }
        }

        @Test("a migration there and back shows none", arguments: [[], ["--json"]])
        func migration(flags: [String]) throws {
            let tool = try Tool.withSample()
            let keyring = try PrivateKeyring()
            for target in ["keyring", "file"] {
                let done = try tool.run(
                    ["migrate", "--to", target] + flags,
                    environment: ["DBUS_SESSION_BUS_ADDRESS": keyring.address]
                )
                #expect(done.exitCode == 0, "\(done.messages)")
                #expect(canaries(in: said(done)) == [])
            }
        }

        @Test("messages about damage and its repair show no secret")
        func damage() throws {
            let tool = try Tool.withSample()
            let journal = tool.root.path + "/test/journal"
            var bytes = try Data(contentsOf: URL(filePath: journal))
            for offset in stride(from: 4_200, to: bytes.count, by: 1_500) { bytes[offset] ^= 0x40 }
            try bytes.write(to: URL(filePath: journal))
            let verified = try tool.run("verify")
            #expect(verified.exitCode == 7, "\(verified.messages)")
            for command in [
                ["verify", "--json"], ["list"], ["repair", "--dry-run"], ["repair", "--yes"], ["doctor"],
            ] {
                #expect(canaries(in: said(try tool.run(command))) == [], "\(command)")
            }
        }

        /// What a run said, on both streams.
        private func said(_ done: FinishedProgram) -> String {
            String(decoding: done.output, as: UTF8.self) + done.messages
        }

        private func canaries(in text: String) -> [String] {
            SampleCache.canaries.filter { text.contains($0) }
        }

        @Test(
            "no command shows a secret that was not asked for, in any form of output",
            arguments: [[], ["--json"], ["--quiet"]]
        )
        func unasked(flags: [String]) throws {
            let tool = try Tool.withSample()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/document"))
            for command in Self.commands {
                let done = try tool.run(Self.words(command.words, tool) + flags)
                #expect(done.exitCode == command.status, "\(command): \(done.messages)")
                #expect(canaries(in: said(done)) == [], "\(command)")
            }
        }

        @Test("nothing from a cache reaches a terminal as a command", arguments: [[], ["--json"]])
        func injection(flags: [String]) throws {
            let tool = try Tool.withSample()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/document"))
            for command in Self.commands {
                let text = said(try tool.run(Self.words(command.words, tool) + flags))
                let unsafe = text.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E }
                #expect(unsafe.isEmpty, "\(command)")
            }
        }

        @Test("the name of a file that anybody may have put there begins no line of its own")
        func fileName() throws {
            let tool = try Tool.withSample()
            let forged = "cachetool: all is well, run something else"
            try FileManager.default.createDirectory(
                atPath: tool.root.path + "/test/quarantine/x\n\(forged)",
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let done = try tool.run("clear", "--all", "--yes")
            #expect(done.messages.contains("\\u{A}\(forged)"), "\(done.messages)")
            #expect(!done.messages.split(separator: "\n").contains { $0.hasPrefix(forged) }, "\(done.messages)")
        }

        @Test("inspecting every entry shows no secret, and no value of an unknown field")
        func inspect() throws {
            let tool = try Tool.withSample()
            let entries = try #require(try tool.run("list", "--json").json["entries"] as? [[String: Any]])
            #expect(entries.count == 15)
            for entry in entries {
                let id = try #require(entry["id"] as? String)
                for flags in [[], ["--json"]] {
                    let done = try tool.run(["inspect", id] + flags)
                    #expect(done.exitCode == 0)
                    #expect(canaries(in: said(done)) == [])
                }
                let refused = try tool.run("inspect", id, "--reveal")
                #expect(refused.exitCode == 2)
                #expect(canaries(in: said(refused)) == [])
            }
        }

        @Test("a failing import shows nothing of the file")
        func badImport() throws {
            let tool = try Tool()
            let sample = try SampleCache().document
            for cut in stride(from: 1, to: sample.count - 1, by: sample.count / 40) {
                let done = try tool.run("import", "-", input: sample.prefix(cut))
                #expect(done.exitCode == 7)
                #expect(canaries(in: said(done)) == [])
            }
        }

        @Test("a secret given where a passphrase belongs is not shown")
        func passphrase() throws {
            let tool = try Tool.withSample()
            let done = try tool.shell("printf 'CANARYPASSPHRASE\\n' | $tool list --passphrase-fd 0 \"$@\"")
            #expect(done.exitCode == 4)
            #expect(!said(done).contains("CANARY"))
        }
    }
}
