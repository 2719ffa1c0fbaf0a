// SPDX-License-Identifier: Apache-2.0

/// Why there is no complete HTTP response. It contains no URL and no content.
public struct TransportError: Error, Hashable, Sendable {
    /// What went wrong. Later versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, for logs.
        public let name: String

        /// The host's name could not be resolved.
        public static let hostNotFound = Code(name: "hostNotFound")
        /// No connection: refused, unreachable, or the proxy did not make one.
        public static let connectionFailed = Code(name: "connectionFailed")
        /// The certificate is not valid for the host, or TLS could not be agreed on.
        public static let tlsFailed = Code(name: "tlsFailed")
        /// The time was over before the last byte of the response.
        public static let timeout = Code(name: "timeout")
        /// The connection ended before the response did.
        public static let connectionClosed = Code(name: "connectionClosed")
        /// The response is not HTTP.
        public static let malformedResponse = Code(name: "malformedResponse")
        /// The body is larger than the request accepts.
        public static let responseTooLarge = Code(name: "responseTooLarge")
        /// The task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// The URL is not one that this transport sends to.
        public static let urlRejected = Code(name: "urlRejected")
        /// A header field is not one that HTTP allows, for example because of a line break in its value.
        public static let headerRejected = Code(name: "headerRejected")
        /// The proxy that the environment names is not one that this transport can use.
        public static let proxyRejected = Code(name: "proxyRejected")
        /// A file of root certificates cannot be read, or contains no certificate.
        public static let rootsUnreadable = Code(name: "rootsUnreadable")
        /// The transport was closed.
        public static let closed = Code(name: "closed")

        /// The name.
        public var description: String { name }
    }

    /// What went wrong.
    public let code: Code
    /// Whether the request may have reached the server: a refresh token that it carried may be spent.
    public let mayHaveBeenSent: Bool

    /// Creates an error.
    public init(_ code: Code, mayHaveBeenSent: Bool) {
        self.code = code
        self.mayHaveBeenSent = mayHaveBeenSent
    }
}

extension TransportError: CustomStringConvertible {
    /// The name of the code.
    public var description: String { code.name }
}
