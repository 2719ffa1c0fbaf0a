import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Secrets in output")
    struct CanaryTests {
        /// Every command with the flags that change what it says. None asks for a secret.
        private static let commands: [[String]] = [
            ["groups"], ["accounts"], ["accounts", "--all"], ["list"], ["list", "--expired"], ["stats"], ["verify"],
            ["list", "--kind", "refresh-token"], ["list", "--account", SampleCache.adele], ["slots", "list"],
            ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read"],
            ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Files.Read"],
            ["lookup", "--account", SampleCache.hostile, "--client", SampleCache.client, "--scopes", "User.Read"],
            ["clear", "--all", "--dry-run"], ["repair", "--dry-run"], ["compact"], ["rekey"],
            ["slots", "remove", "0000"],
            ["inspect", "0000"], ["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"],
            ["export", "--json", "/dev/null"], ["import", "/dev/null"], ["clear", "--expired", "--yes"],
            ["clear", "--all", "--yes"],
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
                let text = said(try tool.run(command + flags))
                #expect(canaries(in: text) == [], "\(command)")
            }
        }

        @Test("nothing from a cache reaches a terminal as a command", arguments: [[], ["--json"]])
        func injection(flags: [String]) throws {
            let tool = try Tool.withSample()
            for command in Self.commands {
                let text = said(try tool.run(command + flags))
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
