// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Signals")
    struct SignalTests {
        @Test(
            "one signal ends a command that waits for a lock of the group, and nothing has changed",
            arguments: ["import sample", "import -", "clear --all --yes", "rekey", "doctor"],
            ["SIGINT", "SIGTERM", "SIGHUP"]
        )
        func waitsForLock(command: String, signal: String) throws {
            let tool = try Tool.withSample()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let done = try run(Self.lockScript, signal, command.split(separator: " ").map(String.init), tool)
            #expect(done.text == "ended by the signal", "\(done.text) \(done.messages)")
            #expect(try tool.run("list").lines.count == 16)
        }

        @Test(
            "a command that is ended while it waits for its input leaves no group",
            arguments: ["import -", "import --passphrase-fd 0 sample"],
            ["SIGINT", "SIGTERM", "SIGHUP"]
        )
        func waitsForInput(command: String, signal: String) throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let done = try run(Self.inputScript, signal, command.split(separator: " ").map(String.init), tool)
            #expect(done.text == "ended by the signal", "\(done.text) \(done.messages)")
            #expect(!FileManager.default.fileExists(atPath: tool.root.path + "/test"))
            #expect(try FileManager.default.subpathsOfDirectory(atPath: tool.root.path).count <= 2)
        }

        private func run(
            _ script: String,
            _ signal: String,
            _ command: [String],
            _ tool: Tool
        ) throws -> FinishedProgram {
            try Program(path: "/usr/bin/python3").run(
                ["-c", Self.start + script, Program.cachetool.path, signal, tool.root.path + "/test/lock"] + command
                    + tool.location,
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
        }

        private static let start = """
            import fcntl, os, signal, struct, subprocess, sys, time
            tool, name, lock, *command = sys.argv[1:]
            os.chdir(os.environ["HOME"])
            def defaults():
                signal.pthread_sigmask(signal.SIG_SETMASK, [])
                for number in (signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_DFL)
            def end(run):
                run.send_signal(getattr(signal, name))
                try:
                    print("ended by the signal" if run.wait(20) == -getattr(signal, name) else f"ended with {run.returncode}")
                except subprocess.TimeoutExpired:
                    print("waits on")
                    run.kill()

            """

        /// Every byte of the lock file is locked by this process.
        private static let lockScript = """
            held = os.open(lock, os.O_RDWR)
            fcntl.fcntl(held, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            with open("sample", "rb") as document:
                run = subprocess.Popen([tool, *command, "--timeout", "60"], stdin=document, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=defaults)
                time.sleep(1)
                end(run)
            """

        private static let inputScript = """
            run = subprocess.Popen([tool, *command], stdin=subprocess.PIPE, preexec_fn=defaults)
            time.sleep(1)
            end(run)
            """
    }
}
