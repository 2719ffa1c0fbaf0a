// SPDX-License-Identifier: Apache-2.0

/// Sends HTTP requests for a client. An application with an HTTP stack of its own adapts it to this protocol.
///
/// A transport carries refresh tokens and authorization codes, so it must not log URLs, headers or bodies.
public protocol Transport: Sendable {
    /// Sends a request and returns the whole response.
    ///
    /// It must not follow redirects, and must neither store nor send cookies. It must require TLS with a certificate
    /// that is valid for the host, except for `http` URLs, which the caller restricts to loopback hosts.
    ///
    /// - Parameter request: the request. The transport limits the time to ``TransportRequest/timeout``, and the size of
    ///   the response body to ``TransportRequest/maximumResponseByteCount``.
    /// - Returns: the response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no complete response.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Whether the transport trusts only the root certificates of this system. Only then does the group learn from it
    /// which hosts belong to a cloud, because other processes do not trust other roots. False by default.
    var usesSystemRoots: Bool { get }
}

extension Transport {
    /// False: the group learns nothing.
    public var usesSystemRoots: Bool { false }
}
