// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("export")
    struct ExportTests {
        @Test("everything that was imported comes back as it was")
        func roundTrip() throws {
            let sample = try SampleCache().document
            let tool = try Tool()
            _ = try tool.run("import", "-", input: sample)
            let done = try tool.run("export", "-")
            #expect(done.exitCode == 0)
            let before = try JSONSerialization.jsonObject(with: sample) as? NSDictionary
            let after = try JSONSerialization.jsonObject(with: done.output) as? NSDictionary
            #expect(before == after)
            #expect(before != nil)
        }

        @Test("a file is made for its owner alone, and not over another one")
        func file() throws {
            let tool = try Tool.withSample()
            let path = tool.root.path + "/out.json"
            #expect(try tool.shell("umask 000; $tool export '\(path)' \"$@\"").exitCode == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let again = try tool.run("export", path)
            #expect(again.exitCode == 2)
            #expect(again.messages.contains("exists already"))
            #expect(try tool.run("export", "--yes", path).exitCode == 0)
        }

        @Test("a terminal is refused without a yes, before anything is opened")
        func terminal() throws {
            let tool = try Tool.withSample()
            let refused = try tool.terminal(["export", "-"])
            #expect(refused.exitCode == 2)
            #expect(!refused.text.contains("CANARY"))
            let asked = try tool.terminal(["export", "--yes", "-"])
            #expect(asked.exitCode == 0)
            #expect(asked.text.contains("CANARYREFRESH"))
        }

        @Test("standard output is written only if it is named, even with a yes", arguments: [[], ["--yes"]])
        func unnamedOutput(_ options: [String]) throws {
            let tool = try Tool.withSample()
            let refused = try tool.run(["export"] + options)
            #expect(refused.exitCode == 2)
            #expect(refused.output.isEmpty)
            #expect(refused.messages.contains("or - to write every token"))
            let shown = try tool.terminal(["export"] + options)
            #expect(shown.exitCode == 2)
            #expect(!shown.text.contains("CANARY"))
        }

        @Test("an export whose reader has exited says so only by its status")
        func goneReader() throws {
            let tool = try Tool.withSample()
            // A pipe whose only reader is closed before anything is written.
            let done = try tool.shell(
                #"mkfifo "$HOME/pipe"; exec 3<>"$HOME/pipe" 4>"$HOME/pipe" 3<&-; "$tool" export - "$@" >&4; echo $? >&2"#
            )
            #expect(done.messages == "1\n")
        }

        @Test("a copied folder is exported only if its name is accepted, and nothing in it is changed")
        func copiedFolder() throws {
            var copy = try Tool.withSample()
            let original = try copy.run("export", "-").output
            let folder = copy.root.path + "/copy"
            try FileManager.default.copyItem(atPath: copy.root.path + "/" + copy.group, toPath: folder)
            copy.group = "copy"
            let before = FileManager.default.contents(atPath: folder + "/journal")
            #expect(try copy.run("export", "-").exitCode == 7)
            let done = try copy.run("export", "--accept-name", "-")
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.output == original)
            #expect(FileManager.default.contents(atPath: folder + "/journal") == before)
            #expect(try copy.run("accounts").exitCode == 7)
        }

        @Test("a full disk is an error")
        func fullDisk() throws {
            let tool = try Tool.withSample()
            let done = try tool.shell("$tool export - \"$@\" >/dev/full")
            #expect(done.exitCode == 1)
        }
    }
}
