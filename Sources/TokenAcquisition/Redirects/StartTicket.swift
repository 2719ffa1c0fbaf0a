// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import ByteOperations
internal import Sealing
internal import Synchronization

/// The way from a URL that says nothing to the server, by a page that may name the user: 128 bits that are good once.
final class StartTicket: Sendable {
    private let current = Mutex<(ticket: String, page: LoopbackPage)?>(nil)

    private static let prefix = "/start/"

    /// A path that leads to `page` once. One that was issued before leads nowhere any more.
    func path(to page: LoopbackPage) -> String {
        let ticket = Base64URL.encode(SystemRandom.bytes(16))
        current.withLock { $0 = (ticket, page) }
        return Self.prefix + ticket
    }

    /// Whether a path has the form of one that was issued.
    static func isPath(_ path: String) -> Bool { path.hasPrefix(prefix) }

    /// Where a path leads; nil if it was followed before.
    func redeem(_ path: String) -> LoopbackPage? {
        current.withLock { current in
            // Guesses are compared by their hashes, so that the time says nothing.
            guard let (ticket, page) = current,
                SHA256Digest.of((Self.prefix + ticket).rawSpan) == SHA256Digest.of(path.rawSpan)
            else { return nil }
            current = nil
            return page
        }
    }
}
#endif
