// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("crashes", .timeLimit(.minutes(10)))
    struct HardeningTests {
        /// What the kernel says of a running program, by the words at the beginning of a line.
        private func field(_ name: String, _ file: String, of program: RunningProgram) throws -> String {
            let text = try Program(path: "/bin/cat").run(["/proc/\(program.processID)/\(file)"]).text
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) }, "\(text)")
            return line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
        }

        @Test(
            "leave no core file and say nothing of memory, while a document is read",
            arguments: [SIGSEGV, SIGBUS, SIGTRAP]
        )
        func silent(signal: Int32) throws {
            let tool = try Tool.withSample()
            let running = try tool.start(["import", "-"])
            // Once it ignores what a file that grew too large sends it is hardened: that comes right after.
            try waitUntil("the program is hardened") {
                let ignored = try UInt64(field("SigIgn:", "status", of: running), radix: 16) ?? 0
                return ignored & (1 << (SIGXFSZ - 1)) != 0
            }
            #expect(try field("Max core file size", "limits", of: running).hasPrefix("0 "))
            running.write(Data("{\"AccessToken\":{\"a\":{\"secret\":\"CANARYCRASH".utf8))
            kill(running.processID, signal)
            let finished = try running.finish()
            #expect(finished.exitCode == nil)
            #expect(finished.messages.isEmpty, "\(finished.messages)")
        }
    }
}
