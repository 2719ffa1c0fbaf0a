// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import SystemPackage

// SAFETY: the call reads a value that lives on this stack until it returns.

/// The system calls on a group's folder and files.
///
/// All throw the system's error. They retry a call interrupted by a signal, except where that could hide a problem. A
/// failed sync is never retried; an interrupted one has not failed. Thread-safe. New descriptors are never standard input,
/// output or error, even if these are closed.
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

// SAFETY: the call writes to two local numbers that live until it returns.

extension Syscalls {
    /// Takes an open file description lock on one byte. Throws ``Errno/resourceTemporarilyUnavailable`` at once if
    /// another open file description holds a conflicting lock.
    package static func lock(_ file: FileDescriptor, byte: Int64, exclusive: Bool) throws(Errno) {
        try lock(file, byte: byte, count: 1, exclusive: exclusive)
    }

    /// The same for several bytes.
    static func lock(_ file: FileDescriptor, byte: Int64, count: Int64, exclusive: Bool) throws(Errno) {
        try SyscallFaults.check(.lock)
        do throws(Errno) {
            _ = try retrying { linux_ofd_lock(file.rawValue, exclusive ? 1 : 0, byte, count) }
        } catch {
            // POSIX allows either error for a conflicting lock.
            throw error == .permissionDenied ? .resourceTemporarilyUnavailable : error
        }
    }

    /// Releases an open file description lock on one byte.
    package static func unlock(_ file: FileDescriptor, byte: Int64) {
        unlock(file, byte: byte, count: 1)
    }

    /// The same for several bytes.
    static func unlock(_ file: FileDescriptor, byte: Int64, count: Int64) {
        _ = linux_ofd_unlock(file.rawValue, byte, count)
    }
}

extension Syscalls {
    /// A range overlapping `range` that another open file description has locked; any of them if there are several,
    /// `nil` if none is locked.
    static func lockedRange(of file: FileDescriptor, in range: Range<Int64>) throws(Errno) -> Range<Int64>? {
        var start = range.lowerBound
        var length = range.upperBound - start
        let found = try retrying { unsafe linux_ofd_find_lock(file.rawValue, &start, &length) }
        guard found == 1 else { return nil }
        let end = start.addingReportingOverflow(length)
        return start..<(length <= 0 || end.overflow ? .max : end.partialValue)
    }
}
