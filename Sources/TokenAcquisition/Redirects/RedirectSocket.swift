// SPDX-License-Identifier: Apache-2.0

// SAFETY: paths are C strings for the duration of a call; the credentials are the three words that the kernel writes.

#if SignIn
internal import ByteOperations
internal import Glibc
internal import GroupDirectory
internal import NIOCore
internal import NIOPosix
internal import RecordStorage
internal import Sealing

/// Waits for redirects that another process of this user received, at a socket in a folder that only this user can
/// enter.
final class RedirectSocket: Sendable {
    private let folder: PrivateFolder
    private let name: String
    private let listener: any Channel

    private init(folder: PrivateFolder, name: String, listener: any Channel) {
        (self.folder, self.name, self.listener) = (folder, name, listener)
    }

    /// - Throws: `redirectUnavailable`.
    static func start(
        _ address: CustomSchemeAddress,
        _ pending: PendingRedirect,
        on group: any EventLoopGroup
    ) async throws(AcquisitionError) -> RedirectSocket {
        let connections = LoopbackConnections()
        let bootstrap = ServerBootstrap(group: group)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = RedirectConnection(at: address, pending: pending, connections: connections)
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
        do {
            let folder = try RedirectFolder.open(creates: true)
            await removeLeftovers(in: folder, on: group)
            let random = Base64URL.encode(SystemRandom.bytes(8))
            // The socket gets its final name when it is ready, so that a named socket without a listener is always a
            // leftover.
            let (temporary, name) = (".\(random)", CustomSchemeAddress.socketPrefix(of: address.scheme) + random)
            let path = folder.shortPath(of: temporary)
            let listener = try await bootstrap.bind(unixDomainSocketPath: path).get()
            do {
                guard unsafe chmod(path, 0o600) == 0 else { throw IOError(errnoCode: errno, reason: "chmod") }
                try folder.renameFile(temporary, to: name)
            } catch {
                try? await listener.close()
                try? folder.removeFile(temporary)
                throw error
            }
            return RedirectSocket(folder: folder, name: name, listener: listener)
        } catch let error as StorageError {
            let problem = error.detail ?? error.code.rawValue
            throw AcquisitionError(.redirectUnavailable, detail: "there is no private folder for a socket: \(problem)")
        } catch {
            let number = (error as? IOError)?.errnoCode ?? 0
            throw AcquisitionError(.redirectUnavailable, detail: "listening at a socket failed, error \(number)")
        }
    }

    /// Stops listening. Responses already written still arrive.
    func close() async {
        try? folder.removeFile(name)
        try? await listener.close()
    }

    /// Removes the sockets of killed processes, except those without a final name: another process may be about to
    /// listen there.
    private static func removeLeftovers(in folder: PrivateFolder, on group: any EventLoopGroup) async {
        for name in (try? folder.names()) ?? [] where !name.hasPrefix(".") {
            do {
                let path = folder.shortPath(of: name)
                try await ClientBootstrap(group: group).connect(unixDomainSocketPath: path).get().close()
            } catch {
                guard (error as? IOError)?.errnoCode == ECONNREFUSED else { continue }
                try? folder.removeFile(name)
            }
        }
    }
}

/// One connection to the socket of a waiting process: reads a URL and a line feed, and answers 1 if the process waited
/// for it, otherwise 0.
private final class RedirectConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The peer's credentials according to the kernel: `struct ucred` of unix(7).
    private struct Credentials: Sendable {
        let process: Int32
        let user: UInt32
        let group: UInt32
    }

    private static let timeLimit = TimeAmount.seconds(10)

    private let address: CustomSchemeAddress
    private let pending: PendingRedirect
    private let connections: LoopbackConnections
    /// The bytes received so far; nil while no input is accepted.
    private var line: [UInt8]?
    private var deadline: Scheduled<Void>?

    init(at address: CustomSchemeAddress, pending: PendingRedirect, connections: LoopbackConnections) {
        (self.address, self.pending, self.connections) = (address, pending, connections)
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        connections.add(channel)
        deadline = context.eventLoop.scheduleTask(in: Self.timeLimit) { channel.close(promise: nil) }
        guard let options = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        let peer: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        )
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        peer.whenComplete { peer in
            if case .success(let peer) = peer, peer.user == geteuid() {
                bound.value.line = []
            } else {
                channel.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        connections.remove(context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard var line else { return }
        self.line = nil
        line.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        guard line.count <= RedirectDelivery.longestLine else { return context.close(promise: nil) }
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return self.line = line }
        guard end == line.count - 1, let query = address.query(of: String(decoding: line[..<end], as: UTF8.self)) else {
            return answer(.foreign, context)
        }
        // The request is complete: neither the time limit nor newer connections end it any more.
        deadline?.cancel()
        connections.remove(context.channel)
        let answered = context.eventLoop.makePromise(of: RedirectVerdict.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answered.futureResult.whenSuccess { verdict in
            let (handler, context) = bound.value
            handler.answer(verdict, context)
        }
        var response = RedirectResponse(mode: .query, parameters: query)
        response.isSenderKnown = true
        pending.submit(response) { answered.succeed($0) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ verdict: RedirectVerdict, _ context: ChannelHandlerContext) {
        let channel = context.channel
        let byte = verdict == .foreign ? RedirectDelivery.refused : RedirectDelivery.accepted
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [byte]))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
#endif
