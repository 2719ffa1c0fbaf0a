// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage

extension ProvokedError {
    static func ofTheMachine(_ code: StorageError.Code) -> ProvokedError {
        switch code {
        case .busy:
            ProvokedError(
                make: { try BrokenState.holdLock($0, namesItself: true) },
                command: ["clear", "--expired", "--yes", "--timeout", "0.3"],
                exitCode: 6,
                cause: "Another process or thread is changing the group",
                advice: "Nothing was changed; to let that process continue, run kill -CONT",
                // It goes on to its end.
                person: { group in for process in group.processes { try process.finish() } }
            )
        case .timeout:
            ProvokedError(
                make: { try $0.keyring?.freeze() },
                command: ["list"],
                exitCode: 6,
                cause: "The operation took too long",
                advice: "if this persists, restart the keyring: cachetool doctor --group contoso names the process.",
                keyring: .withGroup,
                // And says what to do with it.
                person: { group in
                    for finding in try group.findings("--timeout", "1").all where finding.level == "problem" {
                        try group.follow(finding.advice)
                    }
                }
            )
        case .full:
            ProvokedError(
                make: { group in
                    group.options = ["--group", "another"]
                    group.wrapper = ["/bin/bash", "-c", "ulimit -f 8; exec \"$@\"", "bash"]
                },
                command: ["import", ScratchGroup.sample],
                exitCode: 1,
                cause: "The disk or the quota is full",
                advice: "Raise it with ulimit -f, then try again.",
                person: { $0.wrapper = [] }
            )
        case .indeterminate:
            ProvokedError(
                make: { $0.wrapper = injecting("fdatasync", "error=EIO") },
                command: ["clear", "--expired", "--yes"],
                exitCode: 1,
                cause: "It is unknown whether the change reached the disk",
                advice: "Read it back, and repeat the change if it is missing.",
                person: { group in
                    group.wrapper = []
                    guard try group.run("list").exitCode == 0 else { throw Unfit(reason: "it cannot be read back") }
                }
            )
        case .outOfMemory:
            ProvokedError(
                make: { $0.wrapper = ["/bin/bash", "-c", "ulimit -v 150000; exec \"$@\" 3<<<secret", "bash"] },
                command: ["slots", "add", "--new-passphrase-fd", "3"],
                exitCode: 1,
                cause: "There is not enough memory",
                advice: "Free some, or raise the limit",
                person: { $0.wrapper = ["/bin/bash", "-c", "exec \"$@\" 3<<<secret", "bash"] }
            )
        case .cancelled:
            ProvokedError(
                make: { _ in },
                command: ["import", "-"],
                exitCode: 130,
                cause: "Interrupted.",
                advice: "Nothing was changed.",
                run: { group, command, isAgain in
                    // Once the group is open, Ctrl-C is listened for.
                    let running = try Program.cachetool.start(
                        command + ["--group", "another"],
                        environment: group.environment
                    )
                    if isAgain {
                        running.write(try SampleCache().document)
                        return try running.finish()
                    }
                    let end = ContinuousClock.now + .seconds(60)
                    while try !group.shell("cachetool groups").text.contains("another  "), ContinuousClock.now < end {
                        usleep(2_000)
                    }
                    running.interrupt()
                    while running.isRunning, ContinuousClock.now < end { usleep(2_000) }
                    let done = try running.finish()
                    // A shell reports the signal like this.
                    return FinishedProgram(exitCode: done.exitCode ?? 130, output: done.output, messages: done.messages)
                }
            )
        default:
            ProvokedError(
                make: { $0.wrapper = injecting("getdents64", "error=EIO") },
                command: ["groups"],
                exitCode: 1,
                cause: "A system call failed",
                advice: "Resolve the system error, then try again.",
                person: { $0.wrapper = [] }
            )
        }
    }

    /// What has system calls of the program fail, or answer otherwise.
    static func injecting(_ call: String, _ fault: String) -> [String] {
        [
            "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "signal=none",
            "-e", "inject=\(call):\(fault)",
        ]
    }
}
