internal import DequeModule
internal import TidingsSocket

/// Consumes queues over one connection, reconnects, and delivers messages in batches.
///
/// ``run()`` connects and keeps the consumer running. Read ``batches``, and settle their messages with ``acknowledge(_:)`` and
/// ``reject(_:requeue:)``. ``stop()`` ends the deliveries, but messages can still be settled. ``close()`` ends the connection. After a lost
/// connection, the broker redelivers all unsettled messages under new tags. Settling the old tags then has no effect.
///
/// All work on the connection happens on its own thread. No thread of the cooperative pool ever waits for the broker.
public actor AMQPConsumer {
    public nonisolated let configuration: AMQPConfiguration
    public nonisolated let queues: [String]

    nonisolated let thread: SocketThread
    private let connectionName: String
    private let prefetch: Int
    private let idleLimit: Duration
    private let onQueueLost: @Sendable (String) async -> Void
    private let log: @Sendable (AMQPEvent) -> Void

    private enum Phase { case idle, running, draining, closed }
    private var phase = Phase.idle
    private var connection: BrokerConnection?
    private var generation: UInt64 = 0
    private var backoff: ReconnectBackoff
    private var reconnectAt: ContinuousClock.Instant?
    private var subscriptions: Subscriptions
    private var ledger = DeliveryLedger()
    private var buffer: BatchBuffer
    private var settlements = Deque<Settlement>()
    private var settledAt: ContinuousClock.Instant?
    /// The time of the last delivery, settlement or opening of a channel.
    private var busyAt = ContinuousClock.now
    private var readers = BatchReaders()
    private var chores = ChoreList()

    init(
        _ configuration: AMQPConfiguration, connectionName: String, queues: [String], prefetch: Int, batch: BatchPolicy,
        idleLimit: Duration, onQueueLost: @escaping @Sendable (String) async -> Void, log: @escaping @Sendable (AMQPEvent) -> Void,
        thread: SocketThread
    ) {
        precondition((1...65_535).contains(prefetch), "an unlimited prefetch would put the whole queue into memory")
        self.configuration = configuration
        self.connectionName = connectionName
        self.queues = queues
        self.prefetch = prefetch
        self.idleLimit = idleLimit
        self.onQueueLost = onQueueLost
        self.log = log
        self.thread = thread
        // A batch limit above the prefetch would never be reached, so each batch would wait for its full delay.
        var batch = batch
        batch.maximumMessages = min(batch.maximumMessages, prefetch * max(1, queues.count))
        buffer = BatchBuffer(batch)
        backoff = ReconnectBackoff(configuration.reconnect)
        subscriptions = Subscriptions(queues: queues, policy: configuration.reconnect, now: .now)
    }

    isolated deinit {
        thread.whenReady(nil)
        connection = nil
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// The messages in batches.
    public nonisolated var batches: MessageBatches { MessageBatches(consumer: self) }

    /// Connects, consumes, and reconnects with growing, jittered pauses until ``stop()``, then returns. Call it once. Cancelling the task
    /// stops and closes the consumer.
    ///
    /// Throws the last error after ``ReconnectPolicy/maximumAttempts`` failed attempts in a row, and ``AMQPError/stopped`` if it already runs.
    public func run() async throws {
        if phase == .running { throw AMQPError.stopped }
        guard phase == .idle else { return }
        phase = .running
        reconnectAt = .now
        Self.install(self, on: thread)
        advance()
        try await withTaskCancellationHandler {
            while let queue = try await nextChore() {
                await onQueueLost(queue)
                subscriptions.restored(queue, now: .now)
                advance()
            }
        } onCancel: {
            Task { await close() }  // A cancellation handler cannot await. Stopping ends run().
        }
    }

    /// Acknowledges messages. One frame settles many tags if no older tag is open. Tags of an earlier connection are ignored, because the
    /// broker redelivers their messages.
    public func acknowledge(_ tags: [DeliveryTag]) {
        settle(tags, .acknowledge)
    }

    /// Rejects messages: requeues them, or sends them to the queue's dead-letter exchange. Without such an exchange they are dropped.
    public func reject(_ tags: [DeliveryTag], requeue: Bool) {
        settle(tags, .reject(requeue: requeue))
    }

    /// Ends the deliveries: ``batches`` ends, ``run()`` returns, and messages not yet delivered to a reader are requeued. Delivered
    /// messages may still be settled until ``close()``. A connection lost from now on is not replaced.
    public func stop() {
        guard phase == .running || phase == .idle else { return }
        phase = .draining
        reconnectAt = nil
        let untouched = buffer.discard()
        if let connection {
            do throws(AMQPError) {
                for tag in subscriptions.liveTags { try connection.stopConsumer(tag: tag) }
            } catch {
                lost(error)
            }
        }
        settle(untouched, .reject(requeue: true))
        readers.finish()
        chores.finish(nil)
    }

    /// Stops the consumer if necessary, sends the last settlements and closes the connection. The broker redelivers unsettled messages to
    /// other consumers.
    ///
    /// Waits until the last settlement is ``settlementGrace`` old, unless the task is cancelled.
    public func close() async {
        stop()
        if connection != nil, let settledAt {
            try? await Task.sleep(until: settledAt.advanced(by: Self.settlementGrace), clock: .continuous)  // no answer confirms them
        }
        guard phase != .closed else { return }
        phase = .closed
        connection?.close()
        connection = nil
        thread.watch([], until: nil)
        thread.whenReady(nil)
        log(.stopped)
    }

    /// Waits for a batch. Returns nil once the consumer has stopped, or when the waiting task is cancelled.
    func nextBatch() async -> MessageBatch? {
        if phase == .draining || phase == .closed { return nil }
        if readers.isEmpty, let due = buffer.due(), due <= .now {
            let hadRoom = buffer.hasRoom
            let batch = buffer.take()
            // The buffer has room again: read the messages that have arrived meanwhile.
            if !hadRoom { advance() }
            return batch
        }
        let id = readers.newID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                readers.add(id, continuation)
                advance()
            }
        } onCancel: {
            Task { await cancelReader(id) }  // A cancellation handler cannot await. cancelReader resumes the continuation.
        }
    }

    private func cancelReader(_ id: Int) { readers.cancel(id) }

    private func nextChore() async throws -> String? {
        try await withCheckedThrowingContinuation { chores.wait($0) }
    }

    // MARK: The loop

    /// Runs one turn: connects if it is time, reads all input, sends settlements, delivers batches, and sets the time of the next turn.
    private func advance() {
        guard phase == .running || phase == .draining else { return }
        do throws(AMQPError) {
            try connectIfDue()
            try renewIfIdle()
            if let connection {
                let wasCutShort = try connection.guarded { () throws(AMQPError) in
                    let wasCutShort = try read(connection)
                    try startConsumers(connection)
                    try sendSettlements(connection)
                    try connection.keepAlive(now: .now)
                    return wasCutShort
                }
                handOver()
                watch(connection, again: wasCutShort)
                return
            }
        } catch {
            lost(error)
        }
        handOver()
        thread.watch([], until: reconnectAt)
    }

    private func connectIfDue() throws(AMQPError) {
        guard connection == nil, phase == .running, let reconnectAt, reconnectAt <= .now else { return }
        let opened = try BrokerConnection(configuration, name: connectionName)
        try opened.limitPrefetch(prefetch)
        newChannel()
        (connection, self.reconnectAt) = (opened, nil)
        backoff.connected()
        log(.connected(generation: generation))
    }

    /// The time at which the idle channel is renewed. Nil while the channel is in use.
    private var renewalDue: ContinuousClock.Instant? {
        guard phase == .running, ledger.openCount == 0, settlements.isEmpty, subscriptions.areConsuming else { return nil }
        return busyAt.advanced(by: idleLimit)
    }

    private func renewIfIdle() throws(AMQPError) {
        guard let connection, let due = renewalDue, due <= .now else { return }
        try connection.renewChannel()
        try connection.limitPrefetch(prefetch)
        newChannel()
        subscriptions.connectionLost(now: .now)
    }

    private func newChannel() {
        generation += 1
        ledger = DeliveryLedger()
        busyAt = .now
    }

    /// Reads until no input is left. Returns true when it stopped early, to give other work a turn or because the buffer has no room.
    private func read(_ connection: BrokerConnection) throws(AMQPError) -> Bool {
        for _ in 0..<Self.eventsPerTurn {
            guard buffer.hasRoom else { return true }
            guard let event = try connection.next() else { return false }
            take(event)
        }
        return true
    }

    private func take(_ event: BrokerEvent) {
        switch event {
        case .delivered(let delivery): take(delivery)
        case .consumerStarted(let tag):
            guard let queue = subscriptions.started(tag) else { return }
            backoff.reset()
            log(.consuming(queue: queue))
        case .consumerCancelled(let tag):
            guard let queue = subscriptions.cancelled(tag) else { return }
            report(lostQueue: queue, .consumerCancelled(queue: queue))
        case .blocked(let reason): log(.blocked(reason: reason))
        case .unblocked: log(.unblocked)
        case .consumerStopped, .returned, .confirmed, .refused, .channelClosed, .connectionClosed: return
        }
    }

    private func take(_ delivery: Delivery) {
        busyAt = .now
        ledger.delivered(delivery.envelope.tag)
        if phase == .running, let queue = subscriptions.queue(of: delivery.envelope.consumerTag) {
            buffer.append(AMQPMessage(delivery, generation: generation, queue: queue), at: busyAt)
        } else {
            let tag = DeliveryTag(generation: generation, value: delivery.envelope.tag)
            queueSettlements([tag], .reject(requeue: true))
        }
    }

    private func startConsumers(_ connection: BrokerConnection) throws(AMQPError) {
        guard phase == .running else { return }
        while let request = subscriptions.takeDue(now: .now) {
            if request.isDoubtful && subscriptions.liveTags.count > 1,
                let error = BrokerConnection.refusal(of: request.queue, configuration, name: connectionName)
            {
                guard let queue = subscriptions.cancelled(request.tag) else { continue }
                report(lostQueue: queue, error)
            } else {
                try connection.startConsumer(queue: request.queue, tag: request.tag)
            }
        }
    }

    private func handOver() {
        while !readers.isEmpty, let due = buffer.due(), due <= .now, let batch = buffer.take() { readers.give(batch) }
    }

    private func watch(_ connection: BrokerConnection, again: Bool) {
        var moments = [connection.nextDuty]
        if again && buffer.hasRoom { moments.append(.now) }
        if !settlements.isEmpty { moments.append(.now.advanced(by: Self.roomRetry)) }
        if phase == .running, let due = subscriptions.nextDue { moments.append(due) }
        if let due = renewalDue { moments.append(due) }
        if !readers.isEmpty, let due = buffer.due() { moments.append(due) }
        thread.watch(buffer.hasRoom ? [.reading(connection.socket)] : [], until: moments.min())
    }

    // MARK: Settling

    private func settle(_ tags: [DeliveryTag], _ kind: Settlement.Kind) {
        queueSettlements(tags, kind)
        guard !settlements.isEmpty else { return }
        settledAt = .now
        busyAt = .now
        advance()
    }

    private func queueSettlements(_ tags: [DeliveryTag], _ kind: Settlement.Kind) {
        guard connection != nil else { return }
        let current = tags.lazy.filter { $0.generation == self.generation }.map(\.value)
        for frame in ledger.settle(current) { settlements.append(Settlement(frame: frame, kind: kind)) }
    }

    private func sendSettlements(_ connection: BrokerConnection) throws(AMQPError) {
        defer { connection.letGo() }
        while let next = settlements.first, connection.hasRoom(for: BrokerConnection.methodBytes) {
            if settlements.count > 1 { connection.holdBack() }
            switch next.kind {
            case .acknowledge: try connection.acknowledge(next.frame.tag, multiple: next.frame.multiple)
            case .reject(let requeue): try connection.reject(next.frame.tag, multiple: next.frame.multiple, requeue: requeue)
            }
            _ = settlements.popFirst()
        }
    }

    // MARK: Losing the connection

    private func lost(_ error: AMQPError) {
        connection = nil
        // Drop these messages: the broker redelivers them, so delivering them now would only make duplicates.
        _ = buffer.discard()
        settlements.removeAll()
        if case .channelClosed = error, let queue = subscriptions.refused() { report(lostQueue: queue, error) }
        subscriptions.connectionLost(now: .now)
        guard phase == .running else {
            log(.disconnected(error, retryIn: nil))
            return
        }
        let delay = backoff.nextDelay()
        log(.disconnected(error, retryIn: delay))
        if let delay {
            reconnectAt = .now.advanced(by: delay)
        } else {
            phase = .draining
            readers.finish()
            chores.finish(error)
        }
    }

    private func report(lostQueue queue: String, _ error: AMQPError) {
        log(.queueLost(queue: queue, error))
        chores.add(queue)
    }

    private static nonisolated func install(_ consumer: AMQPConsumer, on thread: SocketThread) {
        thread.whenReady { [weak consumer] _ in consumer?.assumeIsolated { $0.advance() } }
    }
}
