// SAFETY: the call reads a value that lives on this stack until it returns.

internal import CLinux
internal import Glibc
internal import SystemPackage

/// Every call to the operating system that the folder of a group and the file in it need, once.
///
/// All throw what the system said. A call that a signal interrupted is made again, except where that would hide
/// something: a failed or interrupted sync is reported as it is, never repeated. Safe from any thread.
package enum Syscalls {
    /// Makes a call again as long as a signal interrupts it.
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

    /// The user that files are created and judged for.
    package static var effectiveUserID: UInt32 { geteuid() }

    /// This process.
    package static var processID: Int32 { getpid() }

    /// Random bytes of the kernel, for names.
    package static func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Sleeps, or returns early when a signal comes.
    package static func sleep(nanoseconds: Int64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
    }

    /// Seconds since 1970 of the wall clock, for people's eyes only.
    package static var wallClockSeconds: Int64 { Int64(time(nil)) }
}
