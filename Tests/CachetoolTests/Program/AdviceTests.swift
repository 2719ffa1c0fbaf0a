// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Advice in messages")
    struct AdviceTests {
        /// A group whose journal has a damaged record.
        private func damaged(_ tool: Tool) throws {
            let journal = URL(fileURLWithPath: tool.root.path + "/test/journal")
            var bytes = try Data(contentsOf: journal)
            for copy in [100, 8_292] where copy < bytes.count { bytes[copy] ^= 1 }
            try bytes.write(to: journal)
        }

        @Test("a command that a message names is named with the group and the root that were typed")
        func sameGroup() throws {
            let tool = try Tool.withSample()
            try damaged(tool)
            let done = try tool.run("list")
            #expect(done.exitCode == 7)
            #expect(
                done.messages.hasSuffix("run cachetool repair --group test --root \(tool.root.path).\n"),
                "\(done.messages)"
            )
        }

        @Test("advice of doctor and groups names the group, too")
        func findings() throws {
            let tool = try Tool.withSample()
            try FileManager.default.removeItem(atPath: tool.root.path + "/test/journal")
            for command in ["doctor", "groups"] {
                let done = try tool.run(command)
                let advice = "cachetool repair --group test --root \(tool.root.path)"
                #expect((done.text + done.messages).contains(advice), "\(command): \(done.text)\(done.messages)")
            }
        }

        @Test("an adoption acts before anything is looked at, so it cannot be tried without acting")
        func dryRun() throws {
            let tool = try Tool.withSample()
            let done = try tool.run("repair", "--adopt", "--dry-run", "--yes")
            #expect(done.exitCode == 2)
            #expect(done.messages.contains("Use either it or --dry-run"), "\(done.messages)")
        }

        @Test("an overwritten key file of the group is reported as such, with the remaining ways out")
        func overwrittenKeyFile() throws {
            let tool = try Tool.withSample()
            let keys = tool.root.path + "/.keys"
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: keys).first)
            for bytes in [Data(repeating: 7, count: 32), Data("short".utf8)] {
                try bytes.write(to: URL(fileURLWithPath: keys + "/" + name))
                let done = try tool.run("list")
                #expect(done.exitCode == 4)
                #expect(done.messages.contains("was changed or replaced"), "\(done.messages)")
                #expect(done.messages.contains("move \(tool.root.path)/test away to start over"), "\(done.messages)")
            }
        }

        @Test("without a terminal for an answer, the question is still shown")
        func question() throws {
            let tool = try Tool.withSample()
            let added = try tool.shell(
                "printf 'secret\n' >\"$HOME/pw\"; $tool slots add --new-passphrase-fd 3 3<\"$HOME/pw\" \"$@\""
            )
            #expect(added.exitCode == 0, "\(added.messages)")
            let done = try tool.run("rekey")
            #expect(done.exitCode == 2)
            #expect(done.messages.contains("No key was given for"), "\(done.messages)")
            #expect(done.messages.contains("nothing was changed. Use --yes to confirm."), "\(done.messages)")
        }

        @Test("the only key slot is refused before anything is asked")
        func lastSlot() throws {
            let tool = try Tool.withSample()
            let slots = try #require(try tool.run("slots", "list", "--json").json["slots"] as? [[String: Any]])
            let id = try #require(slots.first?["id"] as? String)
            let done = try tool.run("slots", "remove", id)
            #expect(done.messages.contains("The last key slot cannot be removed"), "\(done.messages)")
            #expect(!done.messages.contains("--yes"))
        }

        @Test("a group that is empty is not said to be missing")
        func empty() throws {
            let tool = try Tool.withSample()
            try FileManager.default.removeItem(atPath: tool.root.path + "/test/journal")
            #expect(try tool.run("repair", "--yes").exitCode == 9)
            let done = try tool.run("list")
            #expect(done.exitCode == 3)
            #expect(done.messages.hasPrefix("cachetool: Group test is empty."), "\(done.messages)")
            let doctor = try tool.run("doctor")
            #expect(doctor.exitCode == 0, "\(doctor.text)")
            #expect(doctor.text.contains("the group is empty"))
        }
    }
}
