// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Programs
import Testing

@testable import cachetool

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

        @Test("the manual page has examples of each command", arguments: CommandTree.leaves)
        func examples(command: [String]) throws {
            let name = command.joined(separator: " ")
            let page = try String(contentsOfFile: Self.project + "Documentation/man/cachetool.1", encoding: .utf8)
            let section = try #require(page.components(separatedBy: "\n.Ss ").first { $0.hasPrefix(name + "\n") })
            let examples = try #require(section.firstRange(of: "\nExamples:\n.Bd -literal"))
            let typed = section[examples.upperBound...].replacing("\\-", with: "-")
            let words = name == "groups list" ? "groups" : name
            #expect(typed.contains("cachetool \(words)"))
        }

        @Test("each example of the help is a command line that the command takes", arguments: CommandTree.leaves)
        func examplesAreTaken(command: [String]) throws {
            let help = try Program.cachetool.run(command + ["--help"])
            let examples = try #require(help.text.components(separatedBy: "EXAMPLES:\n").last)
            let block = examples.split(separator: "\n").prefix { $0.hasPrefix("  ") }
                .filter { !$0.contains(" ... ") }.joined(separator: "\n")
            let root = try ScratchRoot()
            // A shell reads them; what they would start only says with which words, each behind a NUL.
            let script = """
                cachetool() { { printf '%s\\0' "$@"; printf '\\001'; } >>said; }
                jq() { :; }; ssh() { :; }; decrypt() { :; }
                cd "$HOME"; echo secret >passphrase
                \(block)
                """
            let done = try Program(path: "/bin/bash").run(
                ["-c", script],
                environment: ["HOME": root.path, "PATH": "/usr/bin:/bin"]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            let said = String(decoding: try Data(contentsOf: URL(filePath: root.path + "/said")), as: UTF8.self)
            let lines = said.split(separator: "\u{1}").map { $0.split(separator: "\0").map(String.init) }
            #expect(!lines.isEmpty)
            for words in lines {
                #expect(throws: Never.self, "\(words)") { _ = try Cachetool.parseAsRoot(words) }
            }
        }

        @Test("each command in the README's table of tasks is a command line that cachetool takes")
        func tasks() throws {
            let readme = try String(contentsOfFile: Self.project + "README.md", encoding: .utf8)
            let table = try #require(readme.components(separatedBy: "| task | `cachetool` |").last)
            let rows = table.split(separator: "\n").dropFirst(2).prefix { $0.hasPrefix("|") }
            #expect(rows.count > 6)
            for row in rows {
                let cell = row.split(separator: "|", omittingEmptySubsequences: false)[2]
                let commands = cell.matches(of: #/`([^`]+)`/#).map {
                    $0.output.1.split(separator: " ").map(String.init)
                }
                #expect(!commands.isEmpty, "\(row)")
                for words in commands {
                    #expect(CommandTree.command(of: words) != nil, "\(words)")
                    #expect(throws: Never.self, "\(words)") { _ = try Cachetool.parseAsRoot(words) }
                }
            }
        }

        @Test("the README's table of commands has each of them", arguments: CommandTree.leaves)
        func listed(command: [String]) throws {
            let readme = try String(contentsOfFile: Self.project + "README.md", encoding: .utf8)
            let table = try #require(readme.components(separatedBy: "| reading | signing in |").last)
            let row = try #require(table.split(separator: "\n").dropFirst(2).first)
            let names = row.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
            // `groups list` may be typed as `groups`, and `slots` has several below it.
            #expect(names.contains(command.joined(separator: " ")) || names.contains(command[0]), "\(command)")
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
