// SPDX-License-Identifier: Apache-2.0

/// The reason that there is no complete HTTP response. Contains no URL and no content, except in ``underlying``, which
/// only the application's own transport sets.
public struct TransportError: Error, Sendable {
    /// What went wrong. Later versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, for logs.
        public let name: String

        /// The host's name could not be resolved.
        public static let hostNotFound = Code(name: "hostNotFound")
        /// No connection could be established: the host refused it or is unreachable.
        public static let connectionFailed = Code(name: "connectionFailed")
        /// The server's certificate has expired or is not valid yet, or no root certificate that the transport trusts
        /// vouches for it.
        public static let certificateRejected = Code(name: "certificateRejected")
        /// The server's certificate is for another host.
        public static let certificateOfOtherHost = Code(name: "certificateOfOtherHost")
        /// The TLS handshake failed for another reason: the server does not speak TLS 1.2 or newer, or no TLS at all.
        public static let tlsFailed = Code(name: "tlsFailed")
        /// The request timed out before the last byte of the response.
        public static let timeout = Code(name: "timeout")
        /// The connection ended before the response did.
        public static let connectionClosed = Code(name: "connectionClosed")
        /// The response is not HTTP.
        public static let malformedResponse = Code(name: "malformedResponse")
        /// The body is larger than the request accepts.
        public static let responseTooLarge = Code(name: "responseTooLarge")
        /// The task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// The transport does not send to this URL.
        public static let urlRejected = Code(name: "urlRejected")
        /// HTTP does not allow a header field, for example because its value contains a line break.
        public static let headerRejected = Code(name: "headerRejected")
        /// The proxy that the environment names cannot be reached, or did not establish a connection.
        public static let proxyUnreachable = Code(name: "proxyUnreachable")
        /// The transport cannot use the proxy that the environment names.
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
    /// Whether the request may have reached the server: then a refresh token in it may have been redeemed.
    public let mayHaveBeenSent: Bool
    /// The error of the application's HTTP stack; nil if its transport gave none. Descriptions omit it, because
    /// its content is unknown.
    public let underlying: (any Error)?
    /// The files and folders of the roots that count, with the variables that name them; nil for the system's roots.
    var roots: String?
    /// Which certificate was rejected, and why; nil if that is unknown.
    var certificate: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - mayHaveBeenSent: whether the request may have reached the server.
    ///   - underlying: the error of your own HTTP stack.
    public init(_ code: Code, mayHaveBeenSent: Bool, underlying: (any Error)? = nil) {
        self.code = code
        self.mayHaveBeenSent = mayHaveBeenSent
        self.underlying = underlying
    }
}

extension TransportError: Hashable {
    /// Whether two errors are equal in everything except ``underlying``.
    public static func == (left: TransportError, right: TransportError) -> Bool {
        left.code == right.code && left.mayHaveBeenSent == right.mayHaveBeenSent
    }

    /// Hashes everything except ``underlying``.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(mayHaveBeenSent)
    }
}

extension TransportError {
    /// Whether the server did not show who it is, which it will not do at the next request either.
    var isOfTLS: Bool { code == .certificateRejected || code == .certificateOfOtherHost || code == .tlsFailed }

    /// What to do about the error, where the network is not at fault; nil for other errors.
    var advice: String? {
        switch code {
        case .certificateRejected:
            (certificate ?? "The server's certificate has expired, or its root certificate is not trusted")
                + ". Check the clock. If you trust the server, add its root certificate to "
                + (roots ?? "the system's, or to a file that SSL_CERT_FILE names or a folder that SSL_CERT_DIR names")
                + (roots == nil ? "; these count" : ", which counts") + " instead of the system's"
        case .certificateOfOtherHost:
            (certificate ?? "The server's certificate is for another host")
                + ". Check the address, and whether a proxy or a network that asks for a sign-in of its own answers in the "
                + "server's place"
        case .tlsFailed:
            "Check the address and its port: the server does not speak TLS 1.2 or newer there"
        case .rootsUnreadable:
            "There is no root certificate in PEM form in \(roots ?? "the file or folder that is named"), or this user may not "
                + "read it. Correct or unset what names it"
        case .proxyUnreachable:
            "The proxy cannot be reached, or refuses the connection. Check the variable that names it, such as https_proxy"
        case .proxyRejected: "Check the variables that name the proxy, such as https_proxy"
        default: nil
        }
    }
}

extension TransportError: CustomStringConvertible, CustomReflectable {
    /// The name of the code.
    public var description: String { code.name }

    /// The code, and whether the request may have reached the server, without ``underlying``.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "mayHaveBeenSent": mayHaveBeenSent]) }
}
