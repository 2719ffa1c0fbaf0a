// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import GroupDirectory
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The transport of the package trait `SignIn`: HTTP/1.1 with TLS 1.2 or newer.
///
/// - It sends to `https` URLs, and to `http` URLs whose host is `localhost`, `::1` or in `127.0.0.0/8`.
/// - It opens a connection for each request and never reuses one: if the server had closed a reused connection, the
///   transport could not tell whether the server received a refresh token. It never sends a request again.
/// - It follows no redirect, keeps no cookie, decompresses nothing, and logs and traces nothing.
/// - Requests go through the proxy in `HTTPS_PROXY`, or else in `ALL_PROXY` (`http://…`, `socks5://…`; names in upper
///   or lower case), except those to loopback hosts and those to the hosts in `NO_PROXY`: names, which include all
///   names below them, with or without a port; addresses; `*`.
/// - It does not reach a server through a proxy if the server's host is an address.
/// - A certificate must name the host. It must lead to a root certificate of the system, or, instead, of the file that
///   `SSL_CERT_FILE` names and the folders in `SSL_CERT_DIR` (separated by colons), or of the files passed to
///   ``init(environment:additionalRootFiles:)``.
/// - If it does not trust a certificate, it connects once more, for two seconds at most, to say why, and sends nothing.
/// - Connecting times out after ten seconds.
///
/// Requests and responses pass through buffers of SwiftNIO, which are not wiped.
///
/// The first request of the process starts a thread, which all transports share.
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
    ///   - environment: where to find `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    ///   - additionalRootFiles: files in PEM format with additional root certificates to accept.
    public init(environment: [String: String], additionalRootFiles: [String] = []) {
        proxies = ProxyRules(environment: environment)
        roots = RootFiles(environment: environment, additions: additionalRootFiles)
    }

    /// Creates a transport with the current environment of the process.
    ///
    /// - Parameter additionalRootFiles: files in PEM format with additional root certificates to accept.
    public convenience init(additionalRootFiles: [String] = []) {
        self.init(environment: ProcessEnvironment.variables, additionalRootFiles: additionalRootFiles)
    }

    deinit {
        guard let clients = takeClients() else { return }
        Task.detached { await clients.shutDown() }
    }

    /// Whether the transport trusts only the system's root certificates: the environment names no file and no folder, and
    /// no others were added.
    public var usesSystemRoots: Bool { roots.areSystemRoots }

    /// Sends a request and returns the whole response.
    ///
    /// - Throws: ``TransportError`` if there is no complete response. `mayHaveBeenSent` is false only if no byte of the
    ///   body was passed to a connection, or, for a request without a body, if there was no connection.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // The transport must not be released during a request.
        defer { withExtendedLifetime(self) {} }
        guard let target = RequestTarget(request.url) else {
            throw TransportError(.urlRejected, mayHaveBeenSent: false)
        }
        guard request.headers.allSatisfy(\.isValid) else {
            throw TransportError(.headerRejected, mayHaveBeenSent: false)
        }
        let proxy = try proxies.proxy(for: target)
        // The client would compare the certificate with the proxy's address.
        guard proxy == nil || !RequestTarget.isAddress(target.host) else {
            throw TransportError(.proxyRejected, mayHaveBeenSent: false)
        }
        Syscalls.fillStandardDescriptors()
        let route = Route(host: target.host, proxy: proxy, isSecure: target.isSecure)
        do {
            return try await HTTPExchange(request: request, client: openClients().client(for: route)).response()
        } catch {
            // What is connected to is the proxy.
            guard proxy != nil, error.code == .hostNotFound || error.code == .connectionFailed else {
                var error = error
                error.roots = error.roots ?? roots.replacement
                if [.certificateRejected, .certificateOfOtherHost].contains(error.code) {
                    error.certificate = await (try? openClients())?.explanation(of: error.code, on: route, request.url)
                }
                throw error
            }
            throw TransportError(.proxyUnreachable, mayHaveBeenSent: error.mayHaveBeenSent)
        }
    }

    /// Ends the requests in progress. Later requests fail.
    ///
    /// Waits for a connection that is being established, for ten seconds at most.
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
