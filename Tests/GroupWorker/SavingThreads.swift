// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TokenCaching

/// Eight threads that save one response after the other, each for an account of its own, until they are stopped.
final class SavingThreads: Sendable {
    private static let count = 8
    private let isStopped = Atomic<Bool>(false)
    private let failure = Mutex<TokenCacheError?>(nil)
    private let group = DispatchGroup()

    /// - Parameters:
    ///   - session: what they save with.
    ///   - account: the first of their accounts.
    init(_ session: Session, from account: Int) {
        let running = DispatchGroup()
        for index in 0..<Self.count {
            running.enter()
            group.enter()
            Thread.detachNewThread { [self] in
                var number = 0
                while !isStopped.load(ordering: .acquiring) {
                    do throws(TokenCacheError) {
                        try session.save(number, account: account + index)
                    } catch {
                        // They wait for each other: that one of them waits too long is no failure.
                        if error.code != .busy { failure.withLock { $0 = error } }
                    }
                    number += 1
                    // What is used for the first time is not the fork's business.
                    if number == 3 { running.leave() }
                }
                if number < 3 { running.leave() }
                group.leave()
            }
        }
        running.wait()
    }

    /// Waits for their end.
    func stop() throws(TokenCacheError) {
        isStopped.store(true, ordering: .releasing)
        group.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
