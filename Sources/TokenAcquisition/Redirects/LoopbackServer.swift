// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import Glibc
internal import GroupDirectory
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Listens on one port of the loopback addresses, on a thread of its own.
final class LoopbackServer: Sendable {
    let port: Int
    let group: MultiThreadedEventLoopGroup
    private let listeners: [any Channel]

    private init(port: Int, group: MultiThreadedEventLoopGroup, listeners: [any Channel]) {
        (self.port, self.group, self.listeners) = (port, group, listeners)
    }

    /// - Throws: `redirectUnavailable`.
    static func start(_ address: LoopbackAddress, _ routes: LoopbackRoutes) async throws(AcquisitionError)
        -> LoopbackServer
    {
        Syscalls.fillStandardDescriptors()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do throws(AcquisitionError) {
            // A port that is free on one address may be in use on the other.
            for _ in 0..<20 {
                if let (port, listeners) = try await bind(address, bootstrap(group, routes)) {
                    return LoopbackServer(port: port, group: group, listeners: listeners)
                }
            }
            throw AcquisitionError(.redirectUnavailable, detail: "no free port was found")
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Closes the connections and ends the thread. Responses already written still arrive.
    func close() async {
        for listener in listeners { try? await listener.close() }
        try? await group.shutdownGracefully()
    }

    private static func bootstrap(_ group: MultiThreadedEventLoopGroup, _ routes: LoopbackRoutes) -> ServerBootstrap {
        let connections = LoopbackConnections()
        return ServerBootstrap(group: group)
            // Recently closed connections do not block a fixed port; another listener does.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
                    try pipeline.addHandler(LoopbackConnection(routes: routes, connections: connections))
                }
            }
    }

    /// Listens on one port of all loopback addresses of this machine; nil if a port that is free on one is in use on
    /// another.
    private static func bind(
        _ address: LoopbackAddress,
        _ bootstrap: ServerBootstrap
    ) async throws(AcquisitionError) -> (port: Int, listeners: [any Channel])? {
        var listeners: [any Channel] = []
        var port = address.port ?? 0
        for host in address.addresses {
            do {
                // Bind to the address, not to a name: the resolver fails in its own ways if the machine lacks a kind of
                // address.
                let listener = try await bootstrap.bind(to: SocketAddress(ipAddress: host, port: port)).get()
                listeners.append(listener)
                port = listener.localAddress?.port ?? port
            } catch {
                let code = (error as? IOError)?.errnoCode
                // One address is enough if the machine has no other.
                if code == EADDRNOTAVAIL || code == EAFNOSUPPORT { continue }
                for listener in listeners { try? await listener.close() }
                if code == EADDRINUSE, address.port == nil, port != 0 { return nil }
                throw AcquisitionError(.redirectUnavailable, detail: reason(code, port))
            }
        }
        guard !listeners.isEmpty else {
            throw AcquisitionError(.redirectUnavailable, detail: "this machine has no loopback address")
        }
        return (port, listeners)
    }

    private static func reason(_ code: CInt?, _ port: Int) -> String {
        switch code {
        case EADDRINUSE: "port \(port) is in use by another program, or by another sign-in"
        case EACCES: "only root may listen on port \(port)"
        default: "listening on port \(port) failed, error \(code ?? 0)"
        }
    }
}
#endif
