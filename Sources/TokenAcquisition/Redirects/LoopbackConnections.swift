// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import Synchronization

/// The connections whose request is not complete: a bounded number. A new one replaces the oldest, so that connections
/// that say nothing keep nobody out.
final class LoopbackConnections: Sendable {
    private static let most = 64
    private let waiting = Mutex<[any Channel]>([])

    func add(_ channel: any Channel) {
        let oldest: (any Channel)? = waiting.withLock { waiting in
            waiting.append(channel)
            return waiting.count > Self.most ? waiting.removeFirst() : nil
        }
        oldest?.close(promise: nil)
    }

    func remove(_ channel: any Channel) {
        waiting.withLock { waiting in waiting.removeAll { $0 === channel } }
    }
}
#endif
