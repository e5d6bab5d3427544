import Glibc
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Bounds the time of a connection, and answers what is no request. One guard belongs to one connection.
///
/// - A request that has not arrived ``HTTPServerLimits/request`` after its first byte gets 408.
/// - Bytes that are no HTTP get 400, and headers beyond a limit get 431.
/// - A client that takes too little of its answer within ``HTTPServerLimits/writeStall`` is disconnected. So is a client that has vanished:
///   the kernel ends a connection whose other end confirms nothing for the same time.
/// - A client that has closed its side of the connection gets no stream.
/// - The body of a request stays with its client until the handler asks for it. Only the part that came with the head is in memory.
/// - A connection beyond a bound of the server is answered with 429 or 503, and closed without a look at its request.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: HTTPServerLimits
    private let connections: OpenConnections
    private let refusal: @Sendable (HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8])
    /// Requests whose head has arrived and whose answer is not complete.
    private var requestsInWork = 0
    /// Whether bytes of a request have arrived, but not all.
    private var isArriving = false
    /// Whether the body of the request that arrives was not asked for yet. Then nothing is read from the client.
    private var isBodyHeld = false
    /// Whether the channel wanted to read meanwhile.
    private var isReadDue = false
    private var isRefused = false
    /// The answer to a connection beyond a bound. Nil for an admitted connection.
    private var answerToConnection: HTTPResponse.Status?
    private var isStreaming = false
    /// Whether the client has closed its side.
    private var isInputClosed = false
    private var deadline: Scheduled<Void>?
    private var stall: Scheduled<Void>?

    init(
        _ limits: HTTPServerLimits, _ connections: OpenConnections,
        refusal: @escaping @Sendable (HTTPResponse.Status) -> (headers: HTTPFields, body: [UInt8])
    ) {
        self.limits = limits
        self.connections = connections
        self.refusal = refusal
    }

    func handlerAdded(context: ChannelHandlerContext) {
        switch connections.enter(context.channel.remoteAddress?.ipAddress) {
        case .admitted(let place): context.channel.closeFuture.whenComplete { [connections] _ in connections.leave(place) }
        case .refused(let status): answerToConnection = status
        }
        // The decoder hides bytes that are no whole head yet, so the arrival of bytes is noted before it. A handshake is no request.
        let pipeline = context.pipeline.syncOperations
        let place: ChannelPipeline.SynchronousOperations.Position
        if let tls = try? pipeline.handler(type: TLSHandler.self) { place = .after(tls) } else { place = .first }
        try? pipeline.addHandler(ArrivalNote { [weak self] in self?.bytesArrived(context) }, position: place)
        // A few bytes to a vanished client wait in the kernel for a quarter of an hour, and the channel stays writable.
        let vanishes = ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))
        try? context.channel.syncOptions?.setOption(vanishes, value: SocketOptionValue(Int(limits.writeStall / .milliseconds(1))))
        // Otherwise the kernel keeps some MiB for a client that takes nothing, and tells of room only when a third of them is taken. The
        // stall would then begin although the client takes parts.
        let unsent = ChannelOptions.Types.SocketOption(level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT))
        try? context.channel.syncOptions?.setOption(unsent, value: SocketOptionValue(limits.answerPartBytes))
        // Each part fills the channel, which has room again when less than a part is left. With the marks of NIO, an answer of known length
        // would fill it with two parts, and the stall would end when the client has taken most of both.
        let mark = max(1, limits.answerPartBytes - 1)
        let marks = ChannelOptions.Types.WriteBufferWaterMark(low: mark, high: mark)
        try? context.channel.syncOptions?.setOption(ChannelOptions.writeBufferWaterMark, value: marks)
        let parts = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2_048, maximum: limits.partBytes)
        try? context.channel.syncOptions?.setOption(ChannelOptions.recvAllocator, value: parts)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if let answerToConnection { refuse(answerToConnection, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The connection is closed in a moment: a request that ends meanwhile would be carried out without an answer.
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head:
            requestsInWork += 1
            isBodyHeld = true
            bytesArrived(context)
        case .body: break
        case .end:
            isArriving = false
            deadline?.cancel()
            releaseBody(context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard isBodyHeld else { return context.read() }
        isReadDue = true
    }

    private func releaseBody(_ context: ChannelHandlerContext) {
        isBodyHeld = false
        guard isReadDue else { return }
        isReadDue = false
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { requestsInWork -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let problem = error as? HTTPParserError, requestsInWork == 0 else { return context.fireErrorCaught(error) }
        refuse(problem == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest, context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stall?.cancel()
        if !context.channel.isWritable {
            stall = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.writeStall)) { context.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        switch event {
        case is StreamBegins:
            isStreaming = true
            promise?.succeed()
            // The client closed its side while the answer was made, so no event will tell of it.
            if isInputClosed { context.close(promise: nil) }
        case is BodyIsWanted:
            promise?.succeed()
            // With another request behind it, this one has arrived as a whole. The body that is held belongs to the later request.
            if requestsInWork <= 1 { releaseBody(context) }
        default: context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            isInputClosed = true
            if isStreaming { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        stall?.cancel()
        context.fireChannelInactive()
    }

    private func bytesArrived(_ context: ChannelHandlerContext) {
        guard !isArriving, !isRefused else { return }
        isArriving = true
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limits.request)) { [weak self] in
            guard let self, isArriving else { return }
            if requestsInWork == 0 { refuse(.requestTimeout, context) } else { context.fireErrorCaught(RequestTooSlow()) }
        }
    }

    private func refuse(_ status: HTTPResponse.Status, _ context: ChannelHandlerContext) {
        guard !isRefused else { return }
        isRefused = true
        let (headers, body) = refusal(status)
        var head = HTTPResponse(status: status, headerFields: headers)
        head.headerFields[.connection] = "close"
        head.headerFields[.contentLength] = String(body.count)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(mode: .output, promise: nil)
        // The client has the answer. The rest of its bytes is dropped with the connection.
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(200)) { context.close(promise: nil) }
    }
}

/// The answer to a request is streamed from now on.
struct StreamBegins: Sendable {}

/// The handler reads the body of its request from now on, or the server drops the body.
struct BodyIsWanted: Sendable {}

/// The request did not arrive in time.
struct RequestTooSlow: Error {}

/// Tells that bytes have arrived.
private final class ArrivalNote: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let note: () -> Void

    init(_ note: @escaping () -> Void) { self.note = note }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        note()
        context.fireChannelRead(data)
    }
}
