// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// How a server is reached.
struct Route: Hashable {
    let host: String
    let proxy: Proxy?
    let isSecure: Bool
}

/// The clients of one transport, one for each route, on the thread of all transports.
final class HTTPClients: Sendable {
    // It never ends: the client that is closed may still read root certificates, and reports that to its event loop, which
    // SwiftNIO calls a mistake after the loop's end.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let tls: TLSConfiguration
    /// Nil once they are shut down.
    private let clients = Mutex<[Route: HTTPClient]?>([:])

    init(tls: TLSConfiguration) {
        self.tls = tls
    }

    /// The client for a route.
    ///
    /// - Throws: `closed` if they are shut down.
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

    /// Ends the requests that are under way.
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
        // A failure is reported at once; whoever sends knows whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Spans would name URLs.
        configuration.tracing.tracer = nil
        if route.isSecure, !RequestTarget.isAddress(route.host) {
            // Called "debug" by the client; it is the only place between the handshake and the request.
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
