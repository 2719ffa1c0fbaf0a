// SPDX-License-Identifier: Apache-2.0

// SAFETY: `with` retains the plan that the thread's value points to until it has restored the previous value.

internal import Glibc
package import SystemPackage

/// Lets tests make system calls fail on their own thread. Not present in release builds.
package enum SyscallFaults {
    /// The calls that can be made to fail.
    package enum Call: Hashable, Sendable, CaseIterable {
        case open, pread, pwrite, fdatasync, fsync, ftruncate, fallocate, rename, unlink, mkdir, fstat, mmap, lock
    }

    /// Makes `times` calls of `call` fail, after letting `after` calls succeed.
    package struct Fault: Sendable {
        package var call: Call
        /// The error to throw; `nil` to make the call after ``action``.
        package var error: Errno?
        package var after: Int
        package var times: Int
        /// For ``Call/pwrite``: the number of bytes to write before the error; `nil` writes none.
        package var shortCount: Int?
        /// Runs before the call, to simulate another process acting in the meantime.
        package var action: (@Sendable () -> Void)?

        package init(_ call: Call, _ error: Errno, after: Int = 0, times: Int = 1, shortCount: Int? = nil) {
            self.call = call
            self.error = error
            self.after = after
            self.times = times
            self.shortCount = shortCount
        }

        /// Runs `action` before one call, which then fails with `error` unless that is `nil`.
        package init(
            before call: Call,
            after: Int = 0,
            failing error: Errno? = nil,
            _ action: @escaping @Sendable () -> Void
        ) {
            self.call = call
            self.error = error
            self.after = after
            times = 1
            self.action = action
        }
    }

    #if DEBUG
    /// The faults armed for one thread.
    private final class Plan {
        var faults: [Fault]

        init(_ faults: [Fault]) {
            self.faults = faults
        }
    }

    /// Where each thread keeps its plan.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(unsafe pthread_key_create(&key, nil) == 0, "no thread-specific key is left")
        return key
    }()

    private static var plan: Plan? {
        unsafe pthread_getspecific(key).map { unsafe Unmanaged<Plan>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` with `faults` armed for calls made on this thread.
    package static func with<Result, Failure: Error>(
        _ faults: [Fault],
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = unsafe pthread_getspecific(key)
        let plan = unsafe Unmanaged.passRetained(Plan(faults))
        unsafe pthread_setspecific(key, plan.toOpaque())
        defer {
            unsafe pthread_setspecific(key, outer)
            unsafe plan.release()
        }
        return try body()
    }

    /// Whether a fault armed for this thread has not been triggered yet.
    package static var isPending: Bool {
        plan?.faults.contains { $0.times > 0 } ?? false
    }

    static func check(_ call: Call) throws(Errno) {
        guard let fault = next(call) else { return }
        fault.action?()
        if let error = fault.error { throw error }
    }

    /// For writes: the number of bytes out of `count` that this call may write. The next call then throws the fault.
    static func writeLimit(_ count: Int) throws(Errno) -> Int {
        guard let fault = next(.pwrite) else { return count }
        fault.action?()
        guard let error = fault.error else { return count }
        guard let short = fault.shortCount else { throw error }
        plan?.faults.insert(Fault(.pwrite, error), at: 0)
        return min(short, count)
    }

    private static func next(_ call: Call) -> Fault? {
        guard let plan else { return nil }
        guard let index = plan.faults.firstIndex(where: { $0.call == call && $0.times > 0 }) else { return nil }
        if plan.faults[index].after > 0 {
            plan.faults[index].after -= 1
            return nil
        }
        plan.faults[index].times -= 1
        return plan.faults[index]
    }
    #else
    @inline(__always)
    static func check(_ call: Call) throws(Errno) {}

    @inline(__always)
    static func writeLimit(_ count: Int) throws(Errno) -> Int { count }
    #endif
}
