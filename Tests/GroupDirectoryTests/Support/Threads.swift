import Foundation
import Synchronization

/// Runs `body` on so many threads at once, and throws the first error that any of them met.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    let failure = Mutex<(any Error)?>(nil)
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
    group.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}
