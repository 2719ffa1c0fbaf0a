// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Work on threads of the system: no pool and no scheduler comes between.
public enum Threads {
    private final class Job {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on `count` threads at the same time, and returns when all have ended.
    public static func run(_ count: Int, _ body: @escaping (Int) -> Void) {
        var threads: [pthread_t] = []
        for number in 0..<count {
            var thread = pthread_t()
            let job = Unmanaged.passRetained(Job { body(number) })
            let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { job in
                if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body() }
                return nil
            }
            pthread_create(&thread, nil, start, job.toOpaque())
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
