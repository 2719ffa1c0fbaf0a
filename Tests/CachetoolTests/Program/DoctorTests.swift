// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

extension ProgramTests {
    @Suite("doctor")
    struct DoctorTests {
        private func findings(_ done: FinishedProgram) throws -> [String: [[String: Any]]] {
            let all = try #require(try done.json["findings"] as? [[String: Any]])
            return Dictionary(grouping: all) { $0["topic"] as? String ?? "" }
        }

        private func folder(_ tool: Tool) -> String { tool.root.path + "/" + tool.group }

        private func levels(_ findings: [[String: Any]]?) -> [String] {
            (findings ?? []).compactMap { $0["level"] as? String }
        }

        @Test("a sound group without a keyring has nothing wrong, and a round trip leaves nothing behind")
        func sound() throws {
            let tool = try Tool.withSample()
            let before = try FileManager.default.contentsOfDirectory(atPath: folder(tool)).sorted()
            let done = try tool.run("doctor", "--json", "--probe-write")
            #expect(done.exitCode == 0)
            #expect(try done.json["healthy"] as? Bool == true)
            let findings = try findings(done)
            for topic in ["folder", "files", "store", "locks", "opening", "round_trip"] {
                #expect(levels(findings[topic]) == ["fine"], "\(topic)")
            }
            #expect(levels(findings["keyring"]) == ["note"])
            #expect(findings["choice"]?.first?["description"] as? String ?? "" != "")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder(tool)).sorted() == before)
        }

        @Test("a sound group under the standard root opens with its own key file")
        func standardRoot() throws {
            let home = try ScratchRoot()
            let run = { (command: [String]) in
                try Program.cachetool.run(
                    command,
                    input: SampleCache().document,
                    environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
                )
            }
            #expect(try run(["import", "-"]).exitCode == 0)
            let done = try run(["doctor", "--json"])
            #expect(done.exitCode == 0, "\(done.text)")
            let findings = try findings(done)
            #expect(levels(findings["opening"]) == ["fine"])
            #expect(levels(findings["files"]) == ["fine"])
        }

        @Test(
            "the standard root is the same whether it is named or not",
            arguments: ["", "/", "/../swift-token-cache"]
        )
        func namedStandardRoot(suffix: String) throws {
            let home = try ScratchRoot()
            let run = { (command: [String]) in
                try Program.cachetool.run(
                    command,
                    input: SampleCache().document,
                    environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
                )
            }
            let root = ["--root", home.path + "/.local/share/swift-token-cache" + suffix]
            #expect(try run(["import", "-"]).exitCode == 0)
            let done = try run(["doctor", "--json"] + root)
            #expect(done.exitCode == 0, "\(done.text)")
            #expect(levels(try findings(done)["files"]) == ["fine"])
            #expect(try run(["import", "--group", "other", "-"] + root).exitCode == 0)
            #expect(try run(["accounts", "--group", "other"]).exitCode == 0)
        }

        @Test("a key file that an earlier version put below the standard root is found there, and replaced by a rekey")
        func earlierKeyFile() throws {
            let home = try ScratchRoot()
            let run = { (command: [String]) in
                try Program.cachetool.run(
                    command,
                    input: SampleCache().document,
                    environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
                )
            }
            #expect(try run(["import", "-"]).exitCode == 0)
            let (keys, earlier) = (
                home.path + "/.local/state/swift-token-cache/keys", home.path + "/.local/share/swift-token-cache/.keys"
            )
            try FileManager.default.moveItem(atPath: keys, toPath: earlier)
            #expect(try run(["accounts"]).exitCode == 0)
            #expect(try run(["doctor"]).exitCode == 0)
            #expect(try run(["rekey"]).exitCode == 0)
            #expect(try run(["accounts"]).exitCode == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: earlier).isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: keys).count == 1)
        }

        @Test("doctor finds every damage that verify finds, and its advice mends it")
        func damagedRecords() throws {
            var mended = 0
            for step in 1...16 {
                let tool = try Tool.withSample()
                let journal = URL(filePath: folder(tool) + "/journal")
                var bytes = try Data(contentsOf: journal)
                let used = try #require(bytes.lastIndex { $0 != 0 })
                bytes[used * step / 17] ^= 1
                let handle = try FileHandle(forWritingTo: journal)
                try handle.write(contentsOf: bytes)
                try handle.close()
                guard try tool.run("verify").exitCode != 0 else { continue }
                let done = try tool.run("doctor", "--json")
                #expect(done.exitCode == 1, "byte \(used * step / 17)")
                guard let records = try findings(done)["records"]?.first else { continue }
                #expect(records["level"] as? String == "problem")
                #expect((records["advice"] as? String ?? "").hasPrefix("cachetool repair"))
                // 9 if something could not be saved.
                #expect([0, 9].contains(try tool.run("repair", "--yes").exitCode))
                #expect(try tool.run("doctor").exitCode == 0)
                mended += 1
            }
            #expect(mended > 0)
        }

        @Test("doctor misses no single damaged bit that verify finds", .timeLimit(.minutes(10)))
        func flippedBits() throws {
            let tool = try Tool.withSample()
            let journal = URL(filePath: folder(tool) + "/journal")
            let sound = try Data(contentsOf: journal)
            let used = try #require(sound.lastIndex { $0 != 0 })
            var random = SeededGenerator(seed: RunSeed.value)
            var found = 0
            for _ in 0..<150 {
                let (byte, bit) = (Int.random(in: 0...used, using: &random), UInt8.random(in: 0..<8, using: &random))
                let handle = try FileHandle(forWritingTo: journal)
                try handle.seek(toOffset: UInt64(byte))
                try handle.write(contentsOf: Data([sound[byte] ^ 1 << bit]))
                if try tool.run("verify").exitCode != 0 {
                    found += 1
                    #expect(try tool.run("doctor").exitCode == 1, "bit \(bit) of byte \(byte)")
                }
                try handle.seek(toOffset: 0)
                try handle.write(contentsOf: sound)
                try handle.close()
            }
            #expect(found > 100)
            #expect(try tool.run("doctor").exitCode == 0)
        }

        @Test("records are checked, and counted")
        func soundRecords() throws {
            let done = try Tool.withSample().run("doctor", "--json")
            let records = try #require(try findings(done)["records"]?.first)
            #expect(records["level"] as? String == "fine")
            #expect((records["description"] as? String ?? "").hasSuffix(" can be read"))
        }

        @Test("a file that others can read is named, and the remaining checks continue")
        func readable() throws {
            let tool = try Tool.withSample()
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder(tool) + "/journal")
            let done = try tool.run("doctor", "--json")
            #expect(done.exitCode == 1)
            let findings = try findings(done)
            #expect(levels(findings["files"]) == ["problem"])
            #expect(levels(findings["opening"]) == ["problem"])
            #expect(findings["files"]?.first?["description"] as? String ?? "" != "")
            #expect(findings["memory"]?.count == 1)
        }

        @Test("a missing key file is a problem of opening, not of the folder")
        func keyGone() throws {
            let tool = try Tool.withSample()
            try FileManager.default.removeItem(atPath: tool.root.path + "/.keys")
            let findings = try findings(try tool.run("doctor", "--json"))
            #expect(levels(findings["folder"]) == ["fine"])
            #expect(levels(findings["opening"]) == ["problem"])
        }

        @Test("a key file below the root is reported as not protecting a copy of it")
        func keyBeside() throws {
            let done = try Tool.withSample().run("doctor")
            #expect(done.text.contains("a copy of that folder includes the key"))
        }

        @Test("a missing group is a problem, with advice")
        func missing() throws {
            let tool = try Tool()
            let done = try tool.run("doctor")
            #expect(done.exitCode == 1)
            #expect(done.text.contains("cachetool groups --root \(tool.root.path) lists the existing groups"))
        }
    }
}
