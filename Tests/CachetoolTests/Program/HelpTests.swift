// SPDX-License-Identifier: Apache-2.0

import Programs
import Testing

extension ProgramTests {
    @Suite("Help")
    struct HelpTests {
        private static let environment = ["COLUMNS": "80", "PATH": "/usr/bin:/bin"]

        @Test("the help of each command equals its snapshot, on a terminal", arguments: CommandTree.all)
        func help(command: [String]) throws {
            let done = try Tool.terminal(command + ["--help"], columns: 80)
            #expect(done.exitCode == 0)
            let name = (["cachetool"] + command).joined(separator: "-")
            try Snapshot.check(done.text + "\n", "help-80/\(name).txt")
        }

        @Test("help goes to standard output alone")
        func stream() throws {
            let done = try Program.cachetool.run(["--help"], environment: Self.environment)
            #expect(done.exitCode == 0 && done.messages.isEmpty && !done.output.isEmpty)
        }

        @Test("the version is one line")
        func version() throws {
            let done = try Program.cachetool.run(["--version"])
            #expect(done.exitCode == 0)
            #expect(done.text.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
        }

        @Test("no line of any help is wider than a terminal of 80 columns", arguments: CommandTree.all)
        func width(command: [String]) throws {
            let done = try Program.cachetool.run(command + ["--help"], environment: Self.environment)
            let usage = done.lines.filter { !$0.hasPrefix("USAGE:") }
            #expect(usage.allSatisfy { $0.count <= 80 })
            // A wrapped example cannot be copied.
            #expect(!done.lines.contains { $0.hasSuffix("\"") && $0.filter { $0 == "\"" }.count == 1 })
        }

        @Test("no help is recorded for a command that no longer exists")
        func gone() throws {
            let known = CommandTree.all.map { (["cachetool"] + $0).joined(separator: "-") + ".txt" }
            #expect(try Set(Snapshot.names(in: "help-80")) == Set(known))
        }
    }
}
