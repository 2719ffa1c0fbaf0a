// SPDX-License-Identifier: Apache-2.0

#if SignIn
/// Receives responses at `http://localhost`, `http://127.0.0.1` or `http://[::1]` (RFC 8252, section 7.3).
///
/// - Each request has a listener of its own: on the port of the redirect URI, or on any free one if it has none. For
///   `localhost` it listens on 127.0.0.1 and ::1, or on the one that the machine has.
/// - Connections of other users than this one and root are closed (the kernel is asked, by `NETLINK_SOCK_DIAG`). If the
///   other end is not to be found, as behind a relay of WSL, it passes: ``RedirectResponse/isSenderKnown``.
/// - Only `GET` and `POST` of the registered path with the registered host are read, forms up to 64 KiB, one request for
///   each connection, in ten seconds, and 64 connections at a time: a new one replaces the oldest that says nothing.
/// - A response with another state, a second one and a late one are refused; the wait goes on.
/// - The start URL has a ticket of 128 bits, which is good once and leads to the server: by a redirect, or by a page that
///   posts the request, with a button for browsers without scripts.
/// - Other pages have no scripts, and no cache, frame or referrer gets anything of any.
///
/// A session has a thread until it is closed.
public struct LoopbackListener: RedirectListener {
    /// Creates a listener.
    public init() {}

    /// Begins to listen.
    ///
    /// - Parameter redirectURI: `http://localhost`, `http://127.0.0.1` or `http://[::1]`, with or without a port and a
    ///   path.
    /// - Returns: a session that nothing else uses.
    /// - Throws: ``AcquisitionError/Code/redirectUnavailable`` if the port is in use, and
    ///   ``AcquisitionError/Code/configurationRejected`` if the redirect URI has another form.
    public func listen(at redirectURI: String) async throws(AcquisitionError) -> any RedirectSession {
        let address = try LoopbackAddress(redirectURI)
        return try await LoopbackSession.start(at: address, path: address.path)
    }
}

/// The wait for one response at a loopback address.
struct LoopbackSession: RedirectSession {
    let address: LoopbackAddress
    let server: LoopbackServer
    let ticket: StartTicket
    let pending: PendingRedirect

    /// Begins to wait. Responses are expected at `path`; nil if they come by another way.
    static func start(at address: LoopbackAddress, path: String?) async throws(AcquisitionError) -> LoopbackSession {
        let (ticket, pending) = (StartTicket(), PendingRedirect())
        let routes = LoopbackRoutes(host: address.host, path: path, ticket: ticket, pending: pending)
        let server = try await LoopbackServer.start(address, routes)
        return LoopbackSession(address: address, server: server, ticket: ticket, pending: pending)
    }

    var redirectURI: String { address.origin(port: server.port) + address.path }

    func startURL(for authorizationURL: String) async -> String {
        address.origin(port: server.port) + ticket.path(to: .redirect(to: authorizationURL))
    }

    func startURL(posting form: [UInt8], to url: String) async -> String? {
        guard let fields = FormParameters.decoded(form) else { return nil }
        return address.origin(port: server.port) + ticket.path(to: .posting(fields, to: url))
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
