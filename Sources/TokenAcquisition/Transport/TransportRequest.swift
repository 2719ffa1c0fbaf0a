// SPDX-License-Identifier: Apache-2.0

/// An HTTP request. Its description contains no URL, headers or body, because all of them may contain secrets.
public struct TransportRequest: Sendable {
    /// The methods that the client uses.
    public struct Method: Hashable, Sendable {
        /// The method as it appears in the request line.
        public let name: String
        /// Requests a document.
        public static let get = Method(name: "GET")
        /// Sends a form.
        public static let post = Method(name: "POST")
    }

    /// The method.
    public let method: Method
    /// The absolute URL: `https`, or `http` with a loopback host.
    public let url: String
    /// The header fields, without those that the transport adds: `Host`, `Content-Length`, `Connection`.
    public let headers: [HTTPHeaderField]
    /// The body; empty for `GET`.
    public let body: [UInt8]
    /// The timeout of the whole request, from name resolution to the last byte of the response.
    public let timeout: Duration
    /// The maximum size of the response body, in bytes. A larger one causes ``TransportError/Code/responseTooLarge``.
    public let maximumResponseByteCount: Int

    /// Creates a request.
    public init(
        method: Method,
        url: String,
        headers: [HTTPHeaderField] = [],
        body: [UInt8] = [],
        timeout: Duration = .seconds(30),
        maximumResponseByteCount: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumResponseByteCount = maximumResponseByteCount
    }
}

extension TransportRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the size of the body.
    public var description: String { "TransportRequest(\(method.name), \(body.count) bytes)" }

    /// No children, because URL, headers and body may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
