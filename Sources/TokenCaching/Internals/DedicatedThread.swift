// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Runs blocking work on a new thread, so that it never occupies a thread of Swift's pool.
package enum DedicatedThread {
    /// Runs `work` on a new detached thread, or on the calling one if no thread can be created.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        if !startIfPossible(work) { work() }
    }

    /// Runs `work` on a new detached thread.
    ///
    /// - Returns: false if no thread can be created; `work` has not run then.
    package static func startIfPossible(_ work: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Work(work))
        // SAFETY: the new thread receives the reference; if none was created, it is released here.
        let result = unsafe pthread_create(&thread, nil, { unsafe runWork($0) }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            return false
        }
        _ = pthread_detach(thread)
        return true
    }

    /// Runs `work` on a new thread and waits for it without blocking the caller's thread.
    static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let outcome = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try outcome.get()
    }

    fileprivate final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    // SAFETY: the argument is the reference that `start` passed, and it is taken once.
    unsafe Unmanaged<DedicatedThread.Work>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
