// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread that waits for something while the main thread works.
public enum BackgroundThread {
    /// Runs `work` on a new thread. If none can be created, `work` never runs; a second Ctrl-C ends the program all the
    /// same.
    public static func start(_ work: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Work(work))
        // SAFETY: the new thread takes the reference; if no thread is created, it is released here.
        guard unsafe pthread_create(&thread, nil, { unsafe runWork($0) }, box.toOpaque()) == 0 else {
            return unsafe box.release()
        }
        _ = pthread_detach(thread)
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
    // SAFETY: the argument is the reference that `start` passed, and is consumed once.
    unsafe Unmanaged<BackgroundThread.Work>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
