internal import CRabbitMQ
internal import Glibc

/// One TCP or TLS connection with one channel, over librabbitmq. It belongs to one actor and therefore to one thread.
///
/// Reading never blocks: ``next()`` returns nil when no input is left, and the caller may then poll the socket. All decoded data is copied
/// before the library's buffers are released. After any error, the connection is broken and refuses every further use. The reason is that
/// librabbitmq 0.11 can overrun a buffer if it continues after malformed data.
///
/// A connection has one channel, because librabbitmq 0.11 can drop queued frames of other channels.
@safe final class BrokerConnection {
    static let channel: amqp_channel_t = 1
    /// The number of frames read between two releases of the library's buffers. Without releases, 20,000 messages of 1 KB held 31 MB.
    private static let framesBetweenReleases = 64
    /// The time between two reports that the node serves. Each report takes a lock of the whole process.
    private static let reportInterval = Duration.seconds(1)

    let state: amqp_connection_state_t
    let socket: Int32
    let heartbeat: Duration
    let frameMaximum: Int
    /// The place of this connection at its node.
    let seat: NodeSeat
    /// Scratch memory for the next encoded method, recycled after every send.
    let scratch: ScratchPool
    private let stallGuard: StallGuard.Watch
    private var assembler = MessageAssembler()
    private var framesSinceRelease = 0
    private(set) var isBroken = false
    /// The time of the last report that the node serves.
    private var servedAt: ContinuousClock.Instant?
    /// The time between two questions whether this connection moves to another node, without jitter.
    private let moveInterval: Duration
    private var moveDue: ContinuousClock.Instant
    /// The time of the last write, for our own heartbeats.
    private var lastWrite = ContinuousClock.now
    /// The number of bytes to write before the kernel is asked again; see ``hasRoom(for:)``.
    private var room = 0
    /// Whether the kernel holds written bytes back; see ``holdBack()``.
    private var isHoldingBack = false

    /// Opens the connection, logs in and opens the channel. Blocks the calling thread for at most a few connect time-outs, plus the time to
    /// resolve the host name.
    ///
    /// - Parameter target: the node of the first attempt. Nil for the best node.
    init(_ configuration: AMQPConfiguration, name: String, target: Int? = nil) throws(AMQPError) {
        let opened = try unsafe Handshake(configuration, name: name, target: target).open()
        unsafe state = opened.state
        socket = unsafe opened.socket
        seat = unsafe opened.seat
        frameMaximum = unsafe Int(amqp_get_frame_max(opened.state))
        let heartbeat = Duration.seconds(max(1, unsafe Int(amqp_get_heartbeat(opened.state))))
        self.heartbeat = heartbeat
        scratch = ScratchPool()
        moveInterval = configuration.moveInterval
        moveDue = .now.advanced(by: configuration.moveInterval)
        // Three heartbeats, so that the library's own detection after two heartbeats comes first.
        do throws(AMQPError) {
            stallGuard = try StallGuard.shared.watch(socket: socket, limit: heartbeat * 3 + configuration.connectTimeout)
        } catch {
            _ = unsafe amqp_destroy_connection(opened.state)
            throw error
        }
    }

    deinit {
        stallGuard.end()
        _ = unsafe amqp_destroy_connection(state)
    }

    /// Runs `body`, which may call the library. If `body` does not return in time, another thread shuts the socket down, and the library
    /// then returns an error. This guard is needed because librabbitmq 0.11 can wait without a limit after the network is cut.
    func guarded<Result>(_ body: () throws(AMQPError) -> Result) throws(AMQPError) -> Result {
        stallGuard.enter()
        defer { stallGuard.leave() }
        return try body()
    }

    /// The next event from the broker, or nil when there is nothing more to read now. This call also sends the library's heartbeats and
    /// notices when the broker's are missing.
    func next() throws(AMQPError) -> BrokerEvent? {
        try refuseWhenBroken()
        while true {
            var frame = unsafe amqp_frame_t()
            var noWait = timeval()
            let status = unsafe amqp_simple_wait_frame_noblock(state, &frame, &noWait)
            if status == AMQP_STATUS_TIMEOUT.rawValue {
                releaseBuffers()
                return nil
            }
            try check(status)
            let event = try unsafe receive(frame)
            framesSinceRelease += 1
            if framesSinceRelease >= Self.framesBetweenReleases { releaseBuffers() }
            if let event { return event }
        }
    }

    private func receive(_ frame: amqp_frame_t) throws(AMQPError) -> BrokerEvent? {
        do throws(AMQPError) {
            let incoming = unsafe IncomingFrame(frame)
            // Release the buffers after this frame: the library's copy of 120,000 values takes megabytes, and 64 frames may contain 32 such
            // copies.
            if incoming.hasLargeHeaders { framesSinceRelease = Self.framesBetweenReleases }
            switch try assembler.receive(incoming) {
            case .channelClosed(let code, let text): throw .channelClosed(code: code, text: text)
            case .connectionClosed(let code, let text):
                var ok = amqp_connection_close_ok_t()
                unsafe amqp_send_method(state, 0, amqp_method_number_t(AMQP_CONNECTION_CLOSE_OK_METHOD), &ok)
                throw .connectionClosed(code: code, text: text)
            case let event: return event
            }
        } catch {
            isBroken = true
            throw error
        }
    }

    private func releaseBuffers() {
        framesSinceRelease = 0
        unsafe amqp_maybe_release_buffers(state)
    }

    /// Sends a heartbeat if nothing was written for half an interval, which is earlier than the library would. If the network is cut, the
    /// connection then always has unacknowledged bytes, which TCP_USER_TIMEOUT notices.
    func keepAlive(now: ContinuousClock.Instant) throws(AMQPError) {
        guard lastWrite.duration(to: now) >= heartbeat / 2 else { return }
        try refuseWhenBroken()
        var frame = unsafe amqp_frame_t()
        unsafe frame.frame_type = UInt8(AMQP_FRAME_HEARTBEAT)
        unsafe frame.channel = 0
        try check(unsafe amqp_send_frame(state, &frame))
        wrote(bytes: 8)
    }

    /// The latest time for the next calls of ``keepAlive(now:)`` and ``next()``.
    var nextDuty: ContinuousClock.Instant { min(lastWrite.advanced(by: heartbeat / 2), .now.advanced(by: heartbeat / 2)) }

    /// Whether `bytes` can be written without blocking: the socket's unacknowledged bytes must stay below a quarter of its buffer. A larger
    /// message goes alone into an empty buffer.
    func hasRoom(for bytes: Int) -> Bool {
        if bytes < room { return true }
        let waiting = Int(tidings_amqp_unacknowledged_bytes(socket))
        guard waiting >= 0 else { return true }  // The socket is closed; the write reports it.
        room = SocketTuning.sendBufferSize(of: socket) / 4 - waiting
        return bytes < room || waiting == 0
    }

    /// Makes the kernel collect written bytes and send them together, at ``sendHeldBack()`` or when a segment is full. A segment for each
    /// message would cost the kernel and the broker more than the message itself.
    func holdBack() {
        guard !isHoldingBack else { return }
        isHoldingBack = true
        SocketTuning.holdBack(true, on: socket)
    }

    /// Sends the written bytes that the kernel still collects.
    func sendHeldBack() {
        guard isHoldingBack else { return }
        isHoldingBack = false
        SocketTuning.holdBack(false, on: socket)
    }

    func wrote(bytes: Int) {
        room -= bytes
        lastWrite = .now
    }

    /// Records that the node did its work: it delivered a message, or confirmed one. Reports that once a second.
    func served() {
        let now = ContinuousClock.now
        guard servedAt.map({ $0.duration(to: now) >= Self.reportInterval }) ?? true else { return }
        servedAt = now
        seat.served()
    }

    /// Asks whether this connection moves to another node, and begins the move. Nil if it stays, or was asked a moment ago.
    func move(canTry: Bool, at now: ContinuousClock.Instant) -> Int? {
        guard moveDue <= now else { return nil }
        moveDue = now.advanced(by: moveInterval * .random(in: 0.5...1.5))
        return seat.move(canTry: canTry)
    }

    /// Leaves this connection where it is for a while, because its work did not end in time. The next work takes about as long.
    func postponeMove() { moveDue = .now.advanced(by: moveInterval * 60) }

    func refuseWhenBroken() throws(AMQPError) {
        if isBroken { throw .socket("the connection already failed") }
    }

    /// Turns a status of the library into an error and marks the connection broken.
    func check(_ status: Int32) throws(AMQPError) {
        guard status != AMQP_STATUS_OK.rawValue else { return }
        isBroken = true
        throw AMQPError(status: status)
    }

    /// Turns a failed reply into an error. A closed channel breaks the connection too, because the connection has only this channel.
    func check(_ reply: amqp_rpc_reply_t) throws(AMQPError) {
        guard let error = unsafe AMQPError(reply: reply) else { return }
        isBroken = true
        throw error
    }

    /// Closes the connection in agreement with the broker, waiting at most `limit` for its answer. `deinit` closes the socket.
    func close(limit: Duration = .seconds(2)) {
        guard !isBroken else { return }
        var timeout = timeval(limit)
        unsafe amqp_set_rpc_timeout(state, &timeout)
        stallGuard.enter()
        _ = unsafe amqp_connection_close(state, AMQP_REPLY_SUCCESS)
        stallGuard.leave()
        isBroken = true
    }
}
