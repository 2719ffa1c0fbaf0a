// SPDX-License-Identifier: Apache-2.0

import Glibc
import TokenCaching

/// Children that go on without exec, as those of careless libraries do.
enum Child {
    private typealias Fork = @convention(c) () -> pid_t

    /// Forks a child that keeps what it was given for ten seconds, but for pipes and sockets, which somebody waits to see
    /// closed.
    static func forkAndStay() {
        guard fork() == 0 else { return }
        for descriptor in 0..<1024 as Range<Int32> {
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else { continue }
            if [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) { close(descriptor) }
        }
        sleep(10)
        _exit(0)
    }

    /// Runs `body` in a child and waits for its end. The child says which error it meets.
    static func fork(_ body: () throws(TokenCacheError) -> Void) {
        let child = fork()
        if child == 0 {
            alarm(10)
            do throws(TokenCacheError) { try body() } catch { say("child \(error.code)") }
            _exit(0)
        }
        _ = waitpid(child, nil, 0)
    }

    private static func fork() -> pid_t {
        // Swift does not offer it.
        guard let symbol = unsafe dlsym(nil, "fork") else { giveUp("no fork") }
        // SAFETY: this is the type of fork.
        return unsafe unsafeBitCast(symbol, to: Fork.self)()
    }
}
