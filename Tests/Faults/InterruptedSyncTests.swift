// SPDX-License-Identifier: Apache-2.0

import Programs
import Testing

@Suite("Interrupted system calls", .timeLimit(.minutes(10)))
struct InterruptedSyncTests {
    @Test("a sync that a signal interrupts is repeated", arguments: ["fdatasync", "fsync"])
    func repeated(call: String) throws {
        let group = try ScratchGroup()
        let done = try Program(path: "/usr/bin/strace").run(
            ["-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "signal=none"]
                + ["-e", "inject=\(call):error=EINTR:when=1+2", Program.cachetool.path, "import"]
                + [ScratchGroup.sample] + group.options,
            environment: ["PATH": "/usr/bin:/bin", "HOME": group.root.path]
        )
        #expect(done.exitCode == ExitCode.success, "\(done.messages)")
        #expect(try group.attempt("verify").exitCode == ExitCode.success)
    }

    @Test("a sync that fails is not repeated, and the outcome of the import is unknown")
    func failed() throws {
        let group = try ScratchGroup.filled()
        let done = try Program(path: "/usr/bin/strace").run(
            ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e", "signal=none"]
                + ["-e", "inject=fdatasync:error=EIO:when=1", Program.cachetool.path, "clear", "--all", "--yes"]
                + group.options,
            environment: ["PATH": "/usr/bin:/bin", "HOME": group.root.path]
        )
        #expect(done.exitCode != ExitCode.success, "\(done.messages)")
        #expect(done.messages.contains("unknown"), "\(done.messages)")
    }
}
