// SPDX-License-Identifier: Apache-2.0

#if SignIn
/// Receives responses at `http://localhost`, `http://127.0.0.1` or `http://[::1]` (RFC 8252, section 7.3).
///
/// - Each request has a listener of its own, on the port of the redirect URI, or on any free port if that has none. For
///   `localhost` it listens on 127.0.0.1 and ::1, or on the one that the machine has.
/// - It reads only `GET` and `POST` requests to the registered path and host, forms of up to 64 KiB, one request per
///   connection, for up to ten seconds, and 64 connections at a time: a new connection replaces the oldest one whose
///   request is incomplete.
/// - It refuses a response with another state, a second one and a late one, and continues to wait.
/// - The start URL contains a ticket of 128 bits, which is valid once and redirects to the server.
/// - Pages contain no scripts. No cache, frame or referrer receives anything from them.
///
/// A session has a thread until it is closed.
public struct LoopbackListener: RedirectListener {
    /// Creates a listener.
    public init() {}

    /// Starts to listen.
    ///
    /// - Parameter redirectURI: `http://localhost`, `http://127.0.0.1` or `http://[::1]`, with or without a port and a
    ///   path.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if the port is in use, and
    ///   ``AcquisitionError/Code/configurationRejected`` if the redirect URI has another form.
    public func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        let address = try LoopbackAddress(redirectURI)
        let (ticket, pending) = (StartTicket(), PendingRedirect())
        let routes = LoopbackRoutes(host: address.host, path: address.path, ticket: ticket, pending: pending)
        let server = try await LoopbackServer.start(address, routes)
        return LoopbackSession(address: address, server: server, ticket: ticket, pending: pending)
    }
}

/// The wait for one response at a loopback address.
struct LoopbackSession: RedirectSession {
    let address: LoopbackAddress
    let server: LoopbackServer
    let ticket: StartTicket
    let pending: PendingRedirect

    var redirectURI: String { address.origin(port: server.port) + address.path }

    func startURL(for authorizationURL: String) async -> String {
        address.origin(port: server.port) + ticket.path(to: authorizationURL)
    }

    func response(
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse {
        try await pending.response(judging: judge)
    }

    func close() async {
        pending.end()
        await server.close()
    }
}
#endif
