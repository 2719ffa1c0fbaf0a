// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// The way to a server: directly, or through a proxy.
struct Route: Hashable {
    let host: String
    let proxy: Proxy?
    let isSecure: Bool
}

/// The HTTP clients of one transport, one for each route, on a thread that all transports share.
final class HTTPClients: Sendable {
    // The group never ends: a closed client may still read root certificates and report that to its event loop, which
    // SwiftNIO calls a mistake after the loop has ended.
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let tls: TLSConfiguration
    /// Nil once the clients are shut down.
    private let clients = Mutex<[Route: HTTPClient]?>([:])

    init(tls: TLSConfiguration) {
        self.tls = tls
    }

    /// Returns the client for a route.
    ///
    /// - Throws: `closed` after shutdown.
    func client(for route: Route) throws(TransportError) -> HTTPClient {
        try clients.withLock { (clients) throws(TransportError) in
            guard let known = clients else { throw TransportError(.closed, mayHaveBeenSent: false) }
            if let client = known[route] { return client }
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(Self.group),
                configuration: Self.configuration(tls: tls, route: route)
            )
            clients?[route] = client
            return client
        }
    }

    /// Says which certificate was rejected, and why.
    func explanation(of code: TransportError.Code, on route: Route, _ url: String) async -> String? {
        await RejectedCertificate.explanation(of: code, Self.configuration(tls: tls, route: route), url)
    }

    /// Ends the requests in progress.
    func shutDown() async {
        let open = clients.withLock { clients in
            defer { clients = nil }
            return clients ?? [:]
        }
        for client in open.values { try? await client.shutdown() }
    }

    private static func configuration(tls: TLSConfiguration, route: Route) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10)),
            proxy: route.proxy.map(HTTPClient.Configuration.Proxy.init),
            ignoreUncleanSSLShutdown: false,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        // Report a failure at once; the sender knows whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Trace spans would contain URLs.
        configuration.tracing.tracer = nil
        if route.isSecure, !RequestTarget.isAddress(route.host) {
            // The client calls this a debug hook, but nothing else runs between the handshake and the request.
            configuration.http1_1ConnectionDebugInitializer = { ServerIdentity.check($0, host: route.host) }
        }
        return configuration
    }
}

extension HTTPClient.Configuration.Proxy {
    init(_ proxy: Proxy) {
        self =
            switch proxy.kind {
            case .connect:
                .server(
                    host: proxy.host,
                    port: proxy.port,
                    authorization: proxy.credentials.map { .basic(username: $0.username, password: $0.password) }
                )
            case .socks: .socksServer(host: proxy.host, port: proxy.port)
            }
    }
}
#endif
