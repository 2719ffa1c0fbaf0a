// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call reads a value that lives on this stack until it returns.

internal import CLinux
internal import Glibc
internal import SystemPackage

/// The system calls on a group's folder and files.
///
/// All throw the system's error. They retry a call interrupted by a signal, except where that could hide a problem: a
/// failed or interrupted sync is reported, not retried. Thread-safe.
package enum Syscalls {
    /// Repeats a call while a signal interrupts it.
    @inline(__always)
    static func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
        while true {
            let result = call()
            if result != -1 { return result }
            let code = Errno(rawValue: Glibc.errno)
            if code != .interrupted { throw code }
        }
    }

    /// Makes a call once.
    @inline(__always)
    static func once<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
        let result = call()
        if result == -1 { throw Errno(rawValue: Glibc.errno) }
        return result
    }

    /// The user who creates files and whose ownership is checked.
    package static var effectiveUserID: UInt32 { geteuid() }

    /// The id of this process.
    package static var processID: Int32 { getpid() }

    /// A random number from the system, for file names.
    package static func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Sleeps; returns early if a signal arrives.
    package static func sleep(nanoseconds: Int64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
    }

    /// Seconds since 1970 of the wall clock, for display only.
    package static var wallClockSeconds: Int64 { Int64(time(nil)) }
}
