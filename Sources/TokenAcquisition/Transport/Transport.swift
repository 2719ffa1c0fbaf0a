// SPDX-License-Identifier: Apache-2.0

/// Sends HTTP requests for a client: an app with an HTTP stack of its own adapts it to this protocol.
///
/// A transport carries refresh tokens and authorization codes: it logs no URL, header or body.
public protocol Transport: Sendable {
    /// Sends a request and returns the whole response.
    ///
    /// It never follows a redirect, and neither stores nor sends cookies. It requires TLS with a certificate that is valid
    /// for the host, except for `http` URLs, which the caller restricts to loopback hosts.
    ///
    /// - Parameter request: the request. The transport limits the time to ``TransportRequest/timeout`` and the size of the
    ///   response body to ``TransportRequest/maximumResponseByteCount``.
    /// - Returns: the response, regardless of its status.
    /// - Throws: ``TransportError`` if there is no complete response.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Whether servers are trusted by the root certificates of this system alone. Only then is the metadata of an
    /// authority kept in the group: what was received by trust in other roots stays in the process, since the other
    /// processes do not trust them. False by default.
    var usesSystemRoots: Bool { get }
}

extension Transport {
    /// False: the metadata of authorities stays in the process.
    public var usesSystemRoots: Bool { false }
}
