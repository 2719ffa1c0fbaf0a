// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// fork, which Swift does not offer, for tests of what it leaves behind.
///
/// A child may wait for ever for what another thread held at that moment, be it in the Swift library. So tests fork in a process
/// of their own, in which nothing else runs, as that of an exit test.
package enum Fork {
    private typealias Function = @convention(c) () -> pid_t

    /// Gives 0 in the child, and in the parent the child's number.
    package static func start() -> pid_t {
        guard let symbol = unsafe dlsym(nil, "fork") else { preconditionFailure("no fork") }
        // SAFETY: this is the type of fork.
        let function = unsafe unsafeBitCast(symbol, to: Function.self)
        let child = function()
        precondition(child >= 0, "fork failed")
        return child
    }

    /// Runs `body` in a child and gives back its result, which is an exit code; 99 where it threw, -1 where a signal ended it.
    package static func inChild(_ body: () throws -> Int32) -> Int32 {
        let child = start()
        if child == 0 {
            endIfHanging()
            let code: Int32 = (try? body()) ?? 99
            _exit(code)
        }
        return wait(child)
    }

    /// The exit code of a child, or -1 where it ended otherwise.
    package static func wait(_ child: pid_t) -> Int32 {
        var status: Int32 = 0
        let result = unsafe waitpid(child, &status, 0)
        precondition(result == child)
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }

    /// Closes pipes and terminals, which somebody may wait to see closed.
    package static func closePipes() {
        for descriptor in 0..<1024 as Range<Int32> {
            var status = stat()
            let result = unsafe fstat(descriptor, &status)
            if result == 0, [S_IFIFO, S_IFCHR, S_IFSOCK].contains(status.st_mode & S_IFMT) { close(descriptor) }
        }
    }

    /// A child is not to outlive its test by long, nor to keep it waiting.
    private static func endIfHanging() {
        // The threads of Dispatch hear no signals.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGALRM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        alarm(60)
    }
}
