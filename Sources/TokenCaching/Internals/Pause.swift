// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call reads a value that lives on this stack until it returns.

internal import Glibc

/// Waits on a thread that may block.
package enum Pause {
    /// Sleeps; returns early if a signal arrives.
    package static func sleep(nanoseconds: Int64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
    }
}
