// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("watch")
    struct WatchTests {
        private func watching(_ tool: Tool, _ flags: String...) throws -> RunningProgram {
            let program = try tool.start(["watch"] + flags)
            let end = ContinuousClock.now + .seconds(60)
            while !program.messagesSoFar.contains("Watching"), program.isRunning, ContinuousClock.now < end {
                usleep(2_000)
            }
            return program
        }

        @Test("shows each change as one JSON object a line, and ends well at Ctrl-C")
        func json() throws {
            let tool = try Tool.withSample()
            let watch = try watching(tool, "--json")
            let out = try tool.run("sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes")
            #expect(out.exitCode == 0)
            #expect(!watch.waitForLines(1).isEmpty)
            watch.interrupt()
            let done = try watch.finish()
            #expect(done.exitCode == 0)
            for line in done.lines {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(object["schema_version"] as? Int == 1)
                #expect(object["change"] as? String == "removed")
                #expect(object["username"] as? String == SampleCache.zoe)
                #expect(object.keys.count == 14)
            }
            #expect(SampleCache.canaries.filter { done.text.contains($0) } == [])
        }

        @Test("shows additions, replacements and removals as text")
        func people() throws {
            let tool = try Tool.withSample()
            let watch = try watching(tool)
            let cleared = try tool.run("clear", "--all", "--yes")
            #expect(cleared.exitCode == 0)
            let lines = watch.waitForLines(15)
            #expect(lines.count == 15)
            #expect(lines.allSatisfy { $0.contains("  removed   ") })
            watch.interrupt()
            #expect(try watch.finish().exitCode == 0)
        }

        @Test("ends quietly once its reader is gone")
        func closedOutput() throws {
            let tool = try Tool.withSample()
            // A pipe whose only reader is closed; what ends a watch that goes on is no answer.
            let done = try tool.shell(
                #"mkfifo "$HOME/pipe"; exec 3<>"$HOME/pipe" 4>"$HOME/pipe" 3<&-; "#
                    + #"timeout 60 "$tool" watch "$@" --quiet >&4; echo $? >&2"#
            )
            #expect(done.messages == "0\n")
        }
    }
}
