// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import NIOCore
internal import NIOHTTP1

/// One connection to the loopback listener, with one request and one response.
final class LoopbackConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case idle
        case query([UInt8])
        case form([UInt8])
        case answered
    }

    /// The time limit for a complete request. Browsers open connections in advance, and open others when these are
    /// closed.
    private static let timeLimit = TimeAmount.seconds(10)

    private let routes: LoopbackRoutes
    private let connections: LoopbackConnections
    private var state = State.idle
    private var deadline: Scheduled<Void>?

    init(routes: LoopbackRoutes, connections: LoopbackConnections) {
        self.routes = routes
        self.connections = connections
    }

    func channelActive(context: ChannelHandlerContext) {
        connections.add(context.channel)
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: Self.timeLimit) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        connections.remove(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard case .idle = state else { return }
            switch routes.decision(on: head, port: context.localAddress?.port ?? 0) {
            case .answer(let page): answer(page, context)
            case .query(let query): state = .query(query)
            case .form: state = .form([])
            }
        case .body(let buffer):
            guard case .form(var form) = state else { return }
            guard form.count + buffer.readableBytes <= LoopbackRoutes.longestForm else {
                answer(.tooLarge, context)
                return
            }
            state = .idle
            form.append(contentsOf: buffer.readableBytesView)
            state = .form(form)
        case .end:
            switch state {
            case .idle, .answered: break
            case .query(let query): submit(as: .query, query, in: context)
            case .form(let form): submit(as: .formPost, form, in: context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The preceding handler has already answered anything that is not HTTP.
        context.close(promise: nil)
    }

    private func submit(as mode: ResponseMode, _ parameters: [UInt8], in context: ChannelHandlerContext) {
        state = .answered
        complete(context)
        let answered = context.eventLoop.makePromise(of: LoopbackPage.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        answered.futureResult.whenSuccess { page in
            let (handler, context) = bound.value
            handler.write(page, context)
        }
        routes.pending.submit(RedirectResponse(mode: mode, parameters: parameters)) { answered.succeed(.page(for: $0)) }
    }

    private func answer(_ page: LoopbackPage, _ context: ChannelHandlerContext) {
        state = .answered
        complete(context)
        write(page, context)
    }

    /// The request is complete: neither the time limit nor newer connections end it any more.
    private func complete(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        connections.remove(context.channel)
    }

    private func write(_ page: LoopbackPage, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.write(wrapOutboundOut(.head(page.head)), promise: nil)
        if !page.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: page.body)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
#endif
