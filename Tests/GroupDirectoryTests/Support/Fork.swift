// SPDX-License-Identifier: Apache-2.0

import Foundation

/// fork, which Swift does not offer, for tests of what it leaves behind.
enum Fork {
    private typealias Function = @convention(c) () -> pid_t

    static func fork() -> pid_t {
        guard let symbol = unsafe dlsym(nil, "fork") else { preconditionFailure("no fork") }
        // SAFETY: this is the type of fork.
        let function = unsafe unsafeBitCast(symbol, to: Function.self)
        return function()
    }

    /// The exit code of a child, or -1 where it ended otherwise.
    static func wait(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        let result = unsafe waitpid(child, &status, 0)
        precondition(result == child)
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }

    /// Closes pipes and terminals, which somebody may wait to see closed.
    static func closePipes() {
        for descriptor in 0..<1024 as Range<Int32> {
            var status = stat()
            let result = unsafe fstat(descriptor, &status)
            if result == 0, [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT) { close(descriptor) }
        }
    }

    /// Whether a process lives and is no mere entry in the table.
    static func isRunning(_ process: pid_t) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first.map { $0 != "Z" } ?? false
    }

    /// Runs `body` in a child and gives back its result, which is an exit code; 99 where it threw.
    static func inChild(_ body: () throws -> Int32) throws -> Int32 {
        let child = fork()
        if child == 0 {
            // Should it ever hang, it is not to outlive the test.
            alarm(60)
            let code: Int32 = (try? body()) ?? 99
            _exit(code)
        }
        return wait(child)
    }
}
