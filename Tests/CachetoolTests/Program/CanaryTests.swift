import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Secrets in output")
    struct CanaryTests {
        /// Every command with the flags that change what it says, and how it ends. None asks for a secret.
        private static let commands: [(words: [String], status: Int32)] = [
            (["groups"], 0), (["accounts"], 0), (["accounts", "--all"], 0), (["list"], 0), (["list", "--expired"], 0),
            (["stats"], 0), (["verify"], 0), (["doctor"], 0), (["list", "--kind", "refresh-token"], 0),
            (["list", "--account", SampleCache.adele], 0), (["slots", "list"], 0),
            (["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read"], 0),
            (
                ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Files.Read"],
                0
            ),
            (["lookup", "--account", SampleCache.hostile, "--client", SampleCache.client, "--scopes", "User.Read"], 0),
            (["clear", "--all", "--dry-run"], 0), (["repair", "--dry-run"], 0), (["compact"], 0), (["rekey"], 0),
            (["slots", "remove", "0000"], 3), (["inspect", "0000"], 3),
            (["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"], 0),
            (["export", "--json", "/dev/null"], 2), (["import", "/dev/null"], 7), (["clear", "--expired", "--yes"], 0),
            (["clear", "--all", "--yes"], 0),
        ]

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
            for command in Self.commands {
                let done = try tool.run(command.words + flags)
                #expect(done.exitCode == command.status, "\(command): \(done.messages)")
                #expect(canaries(in: said(done)) == [], "\(command)")
            }
        }

        @Test("nothing from a cache reaches a terminal as a command", arguments: [[], ["--json"]])
        func injection(flags: [String]) throws {
            let tool = try Tool.withSample()
            for command in Self.commands {
                let text = said(try tool.run(command.words + flags))
                let unsafe = text.unicodeScalars.filter { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E }
                #expect(unsafe.isEmpty, "\(command)")
            }
        }

        @Test("inspecting every entry shows no secret, nor the value of a field that nobody knows")
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
