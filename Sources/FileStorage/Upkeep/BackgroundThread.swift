// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread of this library. It blocks all signals, because handling them is up to the program.
final class BackgroundThread: Sendable {
    private let thread: pthread_t
    private let process: pid_t

    /// Holds the closure until the thread has started.
    private final class Job: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that runs `body`; `nil` if the system cannot create a thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        var all = sigset_t()
        var before = sigset_t()
        var handle = pthread_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        let job = unsafe Unmanaged.passRetained(Job(body))
        let result = unsafe pthread_create(
            &handle,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                // SAFETY: the other end of passRetained, taken once.
                unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            job.toOpaque()
        )
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard result == 0 else {
            unsafe job.release()
            return nil
        }
        thread = handle
        process = getpid()
    }

    /// Waits for the thread to end. Call it once, and not from the thread itself.
    func join() {
        // A forked child has the object but not the thread.
        guard getpid() == process, pthread_equal(pthread_self(), thread) == 0 else { return }
        pthread_join(thread, nil)
    }
}
