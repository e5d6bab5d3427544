import NIOCore

/// Speaks TLS with the client of one connection. The handlers behind it see plain bytes.
///
/// - A client whose handshake takes longer than the time for a request is disconnected. So is a client that does not speak TLS.
/// - Bytes that are written before the end of the handshake wait for it. Only the refusal of a connection is written so early.
/// - The end of the client's side is told once, whether it comes by TLS or by TCP. HTTP/1.1 knows by itself whether a message is whole.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum State {
        case handshaking, open, ended
    }

    /// The most plain bytes of one record (RFC 8446 section 5.1). Larger writes are cut, so that a session keeps no large buffers.
    private static let recordBytes = 16 * 1024

    private let session: any TLSSession
    private let patience: Duration
    private var state = State.handshaking
    /// Bytes for the client that were written before the end of the handshake.
    private var waiting: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    /// The close of the output that follows ``waiting``.
    private var waitingClose: [EventLoopPromise<Void>?] = []
    private var isInputClosed = false
    private var deadline: Scheduled<Void>?

    /// - Parameter patience: the longest time of the handshake.
    init(_ session: any TLSSession, patience: Duration) {
        self.session = session
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(patience)) { [weak self] in
            guard let self, state == .handshaking else { return }
            end(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { finish() }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state != .ended else { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { session.receive($0) }
        if state == .handshaking { shakeHands(context) }
        if state == .open { decrypt(context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        switch state {
        case .handshaking: end(context)
        case .open: inputEnded(context)
        case .ended: break
        }
    }

    private func shakeHands(_ context: ChannelHandlerContext) {
        let progress = session.handshake()
        sendOutput(context, promise: nil)
        context.flush()
        switch progress {
        case .needsBytes: break
        case .done:
            state = .open
            deadline?.cancel()
            sendWaiting(context)
        case .ended, .failed: end(context)
        }
    }

    private func decrypt(_ context: ChannelHandlerContext) {
        // A handler behind may end the connection.
        while state == .open, session.mayHaveMore {
            var plain = context.channel.allocator.buffer(capacity: Self.recordBytes)
            var progress = TLSProgress.needsBytes
            _ = plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordBytes) { memory in
                let read = session.read(into: memory)
                progress = read.progress
                return read.count
            }
            switch progress {
            case .done: context.fireChannelRead(wrapInboundOut(plain))
            case .needsBytes: return answer(context)
            case .ended:
                answer(context)
                return inputEnded(context)
            case .failed:
                answer(context)
                return end(context)
            }
        }
    }

    /// Sends what TLS itself has to say, such as the answer to a new key.
    private func answer(_ context: ChannelHandlerContext) {
        guard session.outputBytes > 0 else { return }
        sendOutput(context, promise: nil)
        context.flush()
    }

    private func inputEnded(_ context: ChannelHandlerContext) {
        guard !isInputClosed else { return }
        isInputClosed = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        switch state {
        case .handshaking: waiting.append((bytes, promise))
        case .open: encrypt(bytes, promise, context)
        case .ended: promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output, state == .handshaking, !waiting.isEmpty { return waitingClose.append(promise) }
        if mode != .input, state == .open {
            session.sayGoodbye()
            answer(context)
        }
        if mode == .all { finish() }
        context.close(mode: mode, promise: promise)
    }

    private func sendWaiting(_ context: ChannelHandlerContext) {
        let (writes, closes) = (waiting, waitingClose)
        (waiting, waitingClose) = ([], [])
        for write in writes {
            if state == .open { encrypt(write.bytes, write.promise, context) } else { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        }
        context.flush()
        for promise in closes { close(context: context, mode: .output, promise: promise) }
    }

    private func encrypt(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        var rest = bytes
        while let part = rest.readSlice(length: min(rest.readableBytes, Self.recordBytes)), part.readableBytes > 0 {
            guard part.withUnsafeReadableBytes({ session.write($0) }) == .done else {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return end(context)
            }
            sendOutput(context, promise: rest.readableBytes == 0 ? promise : nil)
        }
        if bytes.readableBytes == 0 { promise?.succeed() }
    }

    private func sendOutput(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        let count = session.outputBytes
        guard count > 0 else {
            promise?.succeed()
            return
        }
        var output = context.channel.allocator.buffer(capacity: count)
        _ = output.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { session.takeOutput(into: $0) }
        context.write(wrapOutboundOut(output), promise: promise)
    }

    // MARK: The end

    private func end(_ context: ChannelHandlerContext) {
        guard state != .ended else { return }
        answer(context)
        finish()
        context.close(mode: .all, promise: nil)
    }

    private func finish() {
        state = .ended
        deadline?.cancel()
        for write in waiting { write.promise?.fail(ChannelError.ioOnClosedChannel) }
        for promise in waitingClose { promise?.fail(ChannelError.ioOnClosedChannel) }
        (waiting, waitingClose) = ([], [])
    }
}
