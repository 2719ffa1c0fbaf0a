// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs `body` on so many threads at once, and throws the first error that any of them met.
package func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    let failure = Mutex<(any Error)?>(nil)
    // Threads of their own: a shared pool may run them one after the other.
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            defer { group.leave() }
            do {
                try body(index)
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        thread.start()
    }
    guard group.wait(timeout: .now() + .seconds(180)) == .success else {
        throw ConformanceFailure("a thread did not end: a deadlock", #fileID, #line)
    }
    if let error = failure.withLock({ $0 }) { throw error }
}

/// Something that one thread waits for until another one says it.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    /// False where nothing came within half a minute.
    func wait() -> Bool { semaphore.wait(timeout: .now() + 30) == .success }
}
