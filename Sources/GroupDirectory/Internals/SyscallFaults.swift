// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
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
    private static let plans = Mutex<[UInt: [Fault]]>([:])
    private static let armed = Atomic<Int>(0)

    /// Runs `body` with `faults` armed for calls made on this thread.
    package static func with<Result, Failure: Error>(
        _ faults: [Fault],
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = UInt(pthread_self())
        plans.withLock { $0[thread] = faults }
        armed.add(1, ordering: .sequentiallyConsistent)
        defer {
            armed.subtract(1, ordering: .sequentiallyConsistent)
            plans.withLock { $0[thread] = nil }
        }
        return try body()
    }

    /// Whether a fault armed for this thread has not been triggered yet.
    package static var isPending: Bool {
        let thread = UInt(pthread_self())
        return plans.withLock { $0[thread]?.contains { $0.times > 0 } ?? false }
    }

    @inline(__always)
    static func check(_ call: Call) throws(Errno) {
        if armed.load(ordering: .relaxed) == 0 { return }
        guard let fault = next(call) else { return }
        fault.action?()
        if let error = fault.error { throw error }
    }

    /// For writes: the number of bytes out of `count` that this call may write. The next call then throws the fault.
    static func writeLimit(_ count: Int) throws(Errno) -> Int {
        if armed.load(ordering: .relaxed) == 0 { return count }
        guard let fault = next(.pwrite) else { return count }
        fault.action?()
        guard let error = fault.error else { return count }
        guard let short = fault.shortCount else { throw error }
        let thread = UInt(pthread_self())
        let rest = Fault(.pwrite, error)
        plans.withLock { $0[thread, default: []].insert(rest, at: 0) }
        return min(short, count)
    }

    private static func next(_ call: Call) -> Fault? {
        let thread = UInt(pthread_self())
        return plans.withLock { plans -> Fault? in
            guard let index = plans[thread]?.firstIndex(where: { $0.call == call && $0.times > 0 }) else { return nil }
            guard var fault = plans[thread]?[index] else { return nil }
            if fault.after > 0 {
                fault.after -= 1
                plans[thread]?[index] = fault
                return nil
            }
            plans[thread]?[index].times -= 1
            return fault
        }
    }
    #else
    @inline(__always)
    static func check(_ call: Call) throws(Errno) {}

    @inline(__always)
    static func writeLimit(_ count: Int) throws(Errno) -> Int { count }
    #endif
}
