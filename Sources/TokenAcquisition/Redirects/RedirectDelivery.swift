// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import GroupDirectory
internal import NIOCore
internal import NIOPosix

/// Passes a URL to a process that waits for it, through its socket.
final class RedirectDelivery: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let accepted = UInt8(ascii: "1")
    static let refused = UInt8(ascii: "0")
    /// The maximum size of a URL. One with a code has a few kilobytes.
    static let longestLine = FormParameters.maximumByteCount

    /// A process that has just opened the browser reads its socket after two seconds at most. A stopped process never
    /// does.
    private static let timeLimit = TimeAmount.seconds(10)

    private let url: String
    private let outcome: EventLoopPromise<Bool>

    private init(_ url: String, _ outcome: EventLoopPromise<Bool>) {
        (self.url, self.outcome) = (url, outcome)
    }

    /// Whether the process at one of the sockets was waiting for the URL.
    static func deliver(_ url: String, to sockets: [String]) async -> Bool {
        Syscalls.fillStandardDescriptors()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let isAwaited = await withTaskGroup(of: Bool.self) { tasks in
            for socket in sockets { tasks.addTask { await deliver(url, to: socket, on: group) } }
            return await tasks.contains(true)
        }
        try? await group.shutdownGracefully()
        return isAwaited
    }

    private static func deliver(_ url: String, to socket: String, on group: any EventLoopGroup) async -> Bool {
        let outcome = group.next().makePromise(of: Bool.self)
        let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(RedirectDelivery(url, outcome))
            }
        }
        let connected = bootstrap.connect(unixDomainSocketPath: socket)
        connected.whenFailure { outcome.fail($0) }
        let deadline = group.next().scheduleTask(in: timeLimit) { outcome.succeed(false) }
        defer { deadline.cancel() }
        return (try? await outcome.futureResult.get()) ?? false
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: url + "\n")), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        outcome.succeed(unwrapInboundIn(data).readableBytesView.first == Self.accepted)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        outcome.succeed(false)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
#endif
