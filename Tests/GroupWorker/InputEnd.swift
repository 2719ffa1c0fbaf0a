// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells whether standard input has ended, without waiting for it.
struct InputEnd {
    var isReached: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // SAFETY: one descriptor is passed, and its count.
        return unsafe poll(&descriptor, 1, 0) > 0
    }
}
