// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import NIOPosix
internal import Synchronization

/// The transport that the package trait `SignIn` brings: HTTP/1.1 with TLS 1.2 or newer.
///
/// - It sends to `https` URLs, and to `http` URLs whose host is `localhost`, `::1` or in `127.0.0.0/8`.
/// - It opens a connection for each request and uses none twice, so that a connection that the server has closed in the
///   meantime never leaves open whether a refresh token was received. It sends no request again.
/// - It follows no redirect, keeps no cookie, decompresses nothing, and logs and traces nothing.
/// - Requests go through the proxy of `HTTPS_PROXY`, else of `ALL_PROXY` (`http://…`, `socks5://…`; upper or lower case),
///   except those to loopback hosts and those to the hosts in `NO_PROXY`: names, which include all names below them, with
///   or without a port; addresses; `*`.
/// - A server whose host is an address is not reached through a proxy.
/// - Certificates must name the host. They must lead to a root certificate of the system, or of the file that
///   `SSL_CERT_FILE` names in their place, or of the files that ``init(environment:additionalRootFiles:)`` is given.
/// - A connection is made in ten seconds, or not at all.
///
/// Requests and responses pass through buffers of SwiftNIO, which are not wiped.
///
/// The first request of the process starts a thread, which all transports share from then on.
public final class HTTPTransport: Transport {
    private enum State {
        case unused, open(HTTPClients), closed
    }

    private let proxies: ProxyRules
    private let roots: RootFiles
    private let state = Mutex(State.unused)

    /// Creates a transport. It reads the files of root certificates at the first request.
    ///
    /// - Parameters:
    ///   - environment: where to find `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and `SSL_CERT_FILE`.
    ///   - additionalRootFiles: files in PEM format with root certificates to accept, too.
    public init(environment: [String: String], additionalRootFiles: [String] = []) {
        proxies = ProxyRules(environment: environment)
        roots = RootFiles(replacement: environment["SSL_CERT_FILE"], additions: additionalRootFiles)
    }

    /// Creates a transport that goes by the environment of the process as it is now.
    ///
    /// - Parameter additionalRootFiles: files in PEM format with root certificates to accept, too.
    public convenience init(additionalRootFiles: [String] = []) {
        self.init(
            environment: NetworkEnvironment.current,
            additionalRootFiles: additionalRootFiles
        )
    }

    deinit {
        guard let clients = takeClients() else { return }
        Task.detached { await clients.shutDown() }
    }

    /// Whether `SSL_CERT_FILE` names no file, and no other root certificates were added.
    public var usesSystemRoots: Bool { roots.areSystemRoots }

    /// Sends a request and returns the whole response.
    ///
    /// - Throws: ``TransportError`` if there is no complete response. `mayHaveBeenSent` is false only if no byte of the
    ///   body was handed to a connection; for a request without a body, if there was no connection.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // A transport that is used does not end.
        defer { withExtendedLifetime(self) {} }
        guard let target = RequestTarget(request.url), target.isSecure || target.isLoopback else {
            throw TransportError(.urlRejected, mayHaveBeenSent: false)
        }
        guard request.headers.allSatisfy(\.isValid) else {
            throw TransportError(.headerRejected, mayHaveBeenSent: false)
        }
        let proxy = try proxies.proxy(for: target)
        // The certificate would be compared with the proxy's address.
        guard proxy == nil || !RequestTarget.isAddress(target.host) else {
            throw TransportError(.proxyRejected, mayHaveBeenSent: false)
        }
        let route = Route(host: target.host, proxy: proxy, isSecure: target.isSecure)
        return try await HTTPExchange(request: request, client: openClients().client(for: route)).response()
    }

    /// Ends the requests that are under way. Requests that follow are refused.
    ///
    /// Waits for a connection that is being made, for ten seconds at most.
    public func close() async {
        await takeClients()?.shutDown()
    }

    private func openClients() throws(TransportError) -> HTTPClients {
        try state.withLock { (state) throws(TransportError) in
            switch state {
            case .open(let clients): return clients
            case .closed: throw TransportError(.closed, mayHaveBeenSent: false)
            case .unused:
                let clients = HTTPClients(tls: try roots.tlsConfiguration())
                state = .open(clients)
                return clients
            }
        }
    }

    private func takeClients() -> HTTPClients? {
        state.withLock { state in
            defer { state = .closed }
            guard case .open(let clients) = state else { return nil }
            return clients
        }
    }
}
#endif
