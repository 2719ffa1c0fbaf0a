// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Keys and slots")
    struct KeyTests {
        private func slots(_ tool: Tool) throws -> [[String: Any]] {
            try #require(try tool.run("slots", "list", "--json").json["slots"] as? [[String: Any]])
        }

        @Test("a group has one slot at first: its own key file")
        func first() throws {
            let slots = try slots(Tool.withSample())
            #expect(slots.count == 1)
            #expect(slots.first?["kind"] as? String == "own_key_file")
        }

        @Test("a group made with a passphrase opens with it and with no other")
        func passphrase() throws {
            let tool = try Tool()
            let sample = try SampleCache().document
            let made = try tool.shell(
                "printf 'correct horse\\n' >\"$HOME/pw\"; printf 'wrong\\n' >\"$HOME/no\"; "
                    + "$tool import - --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"",
                input: sample
            )
            #expect(made.exitCode == 0, "\(made.messages)")
            #expect(try tool.shell("$tool list --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"").lines.count == 16)
            let wrong = try tool.shell("$tool list --passphrase-fd 3 3<\"$HOME/no\" \"$@\"")
            #expect(wrong.exitCode == 4)
            #expect(wrong.output.isEmpty)
            #expect(try tool.run("list", "--no-prompt").exitCode == 4)
        }

        @Test("a damaged group that only a passphrase opens is repaired with it")
        func repairedWithPassphrase() throws {
            let tool = try Tool()
            let made = try tool.shell(
                "printf 'correct horse\\n' >\"$HOME/pw\"; $tool import - --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"",
                input: SampleCache().document
            )
            #expect(made.exitCode == 0, "\(made.messages)")
            let journal = try FileHandle(forUpdating: URL(filePath: tool.root.path + "/test/journal"))
            let first = try #require(try journal.read(upToCount: 1)?.first)
            try journal.seek(toOffset: 0)
            try journal.write(contentsOf: Data([first ^ 1]))
            try journal.close()
            let done = try tool.shell("$tool repair --yes --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"")
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(try tool.shell("$tool list --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"").lines.count == 16)
        }

        @Test("if the key file is lost for good, the message names the remaining ways out")
        func lostKeyFile() throws {
            let tool = try Tool.withSample()
            try FileManager.default.removeItem(atPath: tool.root.path + "/.keys")
            let done = try tool.run("list")
            #expect(done.exitCode == 4)
            #expect(done.messages.contains("move \(tool.root.path)/test away to start over"), "\(done.messages)")
        }

        @Test("a passphrase is asked for on a terminal, without echo")
        func typed() throws {
            let tool = try Tool()
            let sample = try SampleCache().document
            let made = try tool.shell(
                "printf 'correct horse\\n' >\"$HOME/pw\"; $tool import - --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"",
                input: sample
            )
            #expect(made.exitCode == 0)
            let done = try tool.terminal(["list"], answers: [("Passphrase of group test:", "correct horse\n")])
            #expect(done.exitCode == 0)
            #expect(!done.text.contains("correct horse"))
            #expect(done.messages == "echo: off on\n")
            #expect(done.text.contains("EXPIRES"))
        }

        @Test("a mistyped passphrase is asked for again, twice at most", arguments: [1, 3])
        func mistyped(count: Int) throws {
            let tool = try Tool()
            let made = try tool.shell(
                "printf 'correct horse\\n' >\"$HOME/pw\"; $tool import - --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"",
                input: SampleCache().document
            )
            #expect(made.exitCode == 0)
            let question = "Passphrase of group test:"
            let wrong = Array(repeating: (question, "wrong\n"), count: count)
            let done = try tool.terminal(["list"], answers: wrong + [(question, "correct horse\n")])
            #expect(done.exitCode == (count < 3 ? 0 : 4), "\(done.text)")
            #expect(done.text.components(separatedBy: "does not open the group. Try again").count - 1 == min(count, 2))
        }

        @Test("a new passphrase is asked for twice, and two that differ change nothing")
        func typedTwice() throws {
            let tool = try Tool.withSample()
            let question = "New passphrase for group test"
            let slip = try tool.terminal(
                ["slots", "add", "--new-passphrase"],
                answers: [(question + ":", "one\n"), (question + ", again:", "two\n")]
            )
            #expect(slip.exitCode != 0)
            #expect(slip.text.contains("differ"))
            #expect(try slots(tool).count == 1)
            let added = try tool.terminal(
                ["slots", "add", "--new-passphrase"],
                answers: [(question + ":", "one\n"), (question + ", again:", "one\n")]
            )
            #expect(added.exitCode == 0)
            #expect(try slots(tool).count == 2)
        }

        @Test("an interrupted question gives the terminal its echo back")
        func interrupted() throws {
            let tool = try Tool.withSample()
            let done = try tool.terminal(["slots", "add", "--new-passphrase"], answers: [("New passphrase", "\u{3}")])
            #expect(done.exitCode == 130)
            #expect(done.messages == "echo: off on\n")
            #expect(try slots(tool).count == 1)
        }

        @Test("a slot that was added opens the group until it is removed")
        func addAndRemove() throws {
            let tool = try Tool.withSample()
            let added = try tool.shell(
                "printf 'second way\\n' >\"$HOME/pw\"; $tool slots add --new-passphrase-fd 3 3<\"$HOME/pw\" \"$@\""
            )
            #expect(added.exitCode == 0, "\(added.messages)")
            let both = try slots(tool)
            #expect(both.count == 2)
            #expect(try tool.shell("$tool list --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"").exitCode == 0)
            let id = try #require(both.first { $0["kind"] as? String == "passphrase" }?["id"] as? String)
            #expect(try tool.run("slots", "remove", id).exitCode == 2)
            #expect(try tool.run("slots", "remove", id, "--yes").exitCode == 0)
            #expect(try tool.shell("$tool list --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"").exitCode == 4)
            #expect(try tool.run("list").lines.count == 16)
        }

        @Test("the last slot stays")
        func last() throws {
            let tool = try Tool.withSample()
            let id = try #require(try slots(tool).first?["id"] as? String)
            #expect(try tool.run("slots", "remove", id, "--yes").exitCode != 0)
            #expect(try tool.run("list").exitCode == 0)
        }

        @Test("a new key re-encrypts everything, and a passphrase that is not given is dropped only after confirmation")
        func rekey() throws {
            let tool = try Tool.withSample()
            _ = try tool.shell(
                "printf 'second\\n' >\"$HOME/pw\"; $tool slots add --new-passphrase-fd 3 3<\"$HOME/pw\" \"$@\""
            )
            #expect(try tool.run("rekey").exitCode == 2)
            #expect(try slots(tool).count == 2)
            let journal = FileManager.default.contents(atPath: tool.root.path + "/" + tool.group + "/journal")
            let done = try tool.run("rekey", "--yes", "--json")
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect((try done.json["dropped"] as? [Any])?.count == 1)
            #expect(try done.json["epoch"] as? Int == 2)
            #expect(FileManager.default.contents(atPath: tool.root.path + "/" + tool.group + "/journal") != journal)
            #expect(try slots(tool).count == 1)
            #expect(try tool.run("list").lines.count == 16)
        }

        @Test("a new key names the old key file that stays, in a folder that came back from a backup")
        func rekeyAfterRestoring() throws {
            let tool = try Tool.withSample()
            let root = tool.root.path
            try FileManager.default.copyItem(atPath: "\(root)/\(tool.group)", toPath: "\(root)/copy")
            try FileManager.default.removeItem(atPath: "\(root)/\(tool.group)")
            try FileManager.default.moveItem(atPath: "\(root)/copy", toPath: "\(root)/\(tool.group)")
            let done = try tool.run("rekey", "--yes", "--json")
            #expect(done.exitCode == 0, "\(done.messages)")
            let kept = try #require(try done.json["kept_key_files"] as? [String])
            #expect(kept.count == 1 && kept.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let again = try tool.run("rekey", "--yes")
            #expect(again.messages.contains(try #require(kept.first)), "\(again.messages)")
            let first = URL(filePath: try #require(kept.first))
            let adopted = try tool.run("repair", "--adopt", "--yes")
            #expect(adopted.exitCode == 0 && !adopted.text.contains("nothing to repair"), "\(adopted.text)")
            #expect(adopted.messages.contains("is now a group of its own, with new keys"), "\(adopted.messages)")
            let keys = first.deletingLastPathComponent().path()
            let old = try FileManager.default.contentsOfDirectory(atPath: keys).filter {
                $0.hasPrefix(first.lastPathComponent.prefix(36))
            }
            #expect(old.count > 1 && old.allSatisfy { adopted.messages.contains(keys + $0) }, "\(old)")
            #expect(try tool.run("rekey", "--yes", "--json").json["kept_key_files"] as? [String] == [])
            #expect(try tool.run("list").lines.count == 16)
            // What a process that was killed left goes with the next key file that goes.
            let stale = keys + "tmp.0123456789abcdef0123456789abcdef"
            try #require(FileManager.default.createFile(atPath: stale, contents: Data(count: 32)))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: stale)
            #expect(try tool.run("groups", "remove", "--yes").exitCode == 0)
            #expect(!FileManager.default.fileExists(atPath: stale))
        }

        @Test("a key file that opens the group already is not added again")
        func sameKeyFile() throws {
            let tool = try Tool.withSample()
            let path = tool.root.path + "/key"
            #expect(try tool.run("slots", "add", "--new-key-file", path).exitCode == 0)
            let again = try tool.run("slots", "add", "--new-key-file", path)
            #expect(again.exitCode == 2, "\(again.messages)")
            #expect(again.messages.contains("key file already opens the group"))
        }

        @Test("exactly one new way is named", arguments: [[], ["--new-passphrase", "--new-key-file", "/x"]])
        func oneWay(options: [String]) throws {
            #expect(try Tool.withSample().run(["slots", "add"] + options).exitCode == 2)
        }
    }
}
