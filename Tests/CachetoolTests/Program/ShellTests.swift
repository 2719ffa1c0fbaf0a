// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Manual page and completions")
    struct ShellTests {
        private static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path()

        @Test("the manual page agrees with the help")
        func manual() throws {
            let done = try Program(path: "/usr/bin/python3").run([
                Self.project + "scripts/cachetool-manual", Program.cachetool.path, "--check",
            ])
            #expect(done.exitCode == 0, "\(done.messages)")
        }

        @Test("a completion script knows every command", arguments: ["bash", "zsh", "fish"])
        func completions(shell: String) throws {
            let done = try Program.cachetool.run(["--generate-completion-script", shell])
            #expect(done.exitCode == 0)
            for command in CommandTree.all where command.count == 1 { #expect(done.text.contains(command[0])) }
        }

        @Test("the completion script for bash is one that bash can read")
        func bash() throws {
            let script = try Program.cachetool.run(["--generate-completion-script", "bash"])
            let done = try Program(path: "/bin/bash").run(["-n"], input: script.output)
            #expect(done.exitCode == 0)
        }
    }
}
