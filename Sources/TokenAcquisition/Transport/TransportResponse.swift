// SPDX-License-Identifier: Apache-2.0

/// An HTTP response. Its description contains no headers or body, because both may contain tokens.
public struct TransportResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields in the order received.
    public let headers: [HTTPHeaderField]
    /// The whole body.
    public let body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: [HTTPHeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first header field with this name; nil if there is none.
    ///
    /// - Parameter name: the name; the case of ASCII letters is ignored.
    /// - Returns: the value.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

extension TransportResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size of the body.
    public var description: String { "TransportResponse(\(status), \(body.count) bytes)" }

    /// No children, because headers and body may contain tokens.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
