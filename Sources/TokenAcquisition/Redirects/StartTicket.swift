// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import ByteOperations
internal import Sealing
internal import Synchronization

/// The way from a URL that says nothing to the authorization URL, which names the user: 128 bits that are good once.
final class StartTicket: Sendable {
    private let current = Mutex<(ticket: String, url: String)?>(nil)

    private static let prefix = "/start/"

    /// A path that leads to `url` once. One that was issued before leads nowhere any more.
    func path(to url: String) -> String {
        let ticket = Base64URL.encode(SystemRandom.bytes(16))
        current.withLock { $0 = (ticket, url) }
        return Self.prefix + ticket
    }

    /// Whether a path has the form of one that was issued.
    static func isPath(_ path: String) -> Bool { path.hasPrefix(prefix) }

    /// Where a path leads; nil if it was followed before.
    func redeem(_ path: String) -> String? {
        current.withLock { current in
            // Guesses are compared by their hashes, so that the time says nothing.
            guard let (ticket, url) = current,
                SHA256Digest.of((Self.prefix + ticket).rawSpan) == SHA256Digest.of(path.rawSpan)
            else { return nil }
            current = nil
            return url
        }
    }
}
#endif
