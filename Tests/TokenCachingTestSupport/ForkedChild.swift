// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs `body` in a forked child and gives what it returns; -1 where it ended otherwise.
func inForkedChild(_ body: () -> Int32) -> Int32 {
    guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
    // SAFETY: this is the type of fork.
    let process = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
    if process == 0 {
        // Should it hang, it is not to outlive the test.
        alarm(30)
        _exit(body())
    }
    var status: Int32 = 0
    guard process > 0, unsafe waitpid(process, &status, 0) == process, status & 0x7F == 0 else { return -1 }
    return status >> 8 & 0xFF
}
