// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import ByteOperations
internal import Sealing
internal import Synchronization

/// Tickets of 128 bits, one of which is valid once: it leads from a URL that reveals nothing to the server.
final class StartTicket: Sendable {
    private let current = Mutex<[(ticket: String, url: String)]>([])

    private static let prefix = "/start/"

    /// Issues a path that leads to `url` once. The one before stays valid beside it, because a slow browser may still be
    /// on its way there; the first that is used makes both invalid.
    func path(to url: String) -> String {
        let ticket = Base64URL.encode(SystemRandom.bytes(16))
        current.withLock { $0 = $0.suffix(1) + [(ticket, url)] }
        return Self.prefix + ticket
    }

    /// Whether a path has the form of an issued one.
    static func isPath(_ path: String) -> Bool { path.hasPrefix(prefix) }

    /// The URL that a path leads to; nil if the path was used before.
    func redeem(_ path: String) -> String? {
        current.withLock { current in
            // Guesses are compared by their hashes, so that the timing reveals nothing.
            let asked = SHA256Digest.of(path.rawSpan)
            guard let found = current.first(where: { SHA256Digest.of((Self.prefix + $0.ticket).rawSpan) == asked })
            else { return nil }
            current = []
            return found.url
        }
    }
}
#endif
