// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import Synchronization

/// The connections with incomplete requests, limited in number. A new connection replaces the oldest one, so that idle
/// connections cannot block others.
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
