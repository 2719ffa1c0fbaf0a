// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import Synchronization

/// The body of a request, which records whether the client asked for it. The client does so only once there is a
/// connection, past TLS and the proxy.
final class RequestBody: AsyncSequence, Sendable {
    private let bytes: [UInt8]
    private let sent = Atomic(false)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether bytes were passed to a connection.
    var wasSent: Bool { sent.load(ordering: .acquiring) }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody
        private var isAtEnd = false

        fileprivate init(body: RequestBody) {
            self.body = body
        }

        mutating func next() async -> ByteBuffer? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            body.sent.store(true, ordering: .releasing)
            return ByteBuffer(bytes: body.bytes)
        }
    }
}
#endif
