internal import DequeModule
internal import TidingsSocket

/// Consumes queues over one connection, reconnects, and delivers messages in batches.
///
/// ``run()`` connects and keeps the consumer running. Read ``batches``, and settle their messages with ``acknowledge(_:)`` and
/// ``reject(_:requeue:)``. ``stop()`` ends the deliveries, but messages can still be settled. ``close()`` ends the connection. After a lost
/// connection, the broker redelivers all unsettled messages under new tags. Settling the old tags then has no effect.
///
/// All work on the connection happens on its own thread. No thread of the cooperative pool ever waits for the broker.
public actor AMQPConsumer: SessionOwner {
    public nonisolated let configuration: AMQPConfiguration
    public nonisolated let queues: [String]

    nonisolated let thread: SocketThread
    let connectionName: String
    private let prefetch: Int
    let idleLimit: Duration
    let ownQueue: OwnQueue?
    /// The name of the consumer's own queue on the broker. Nil while the queue is not declared, and for a consumer of other queues.
    var ownName: String?
    private let onQueueLost: @Sendable (String) async -> Void
    let log: @Sendable (AMQPEvent) -> Void

    var session: Session<BrokerConnection>
    var subscriptions: Subscriptions
    var ledger = DeliveryLedger()
    private var buffer: BatchBuffer
    var acknowledgements = Deque<Acknowledgement>()
    var settledAt: ContinuousClock.Instant?
    /// The time of the last delivery, settlement or opening of a channel.
    var busyAt = ContinuousClock.now
    var idleWatch: IdleWatch
    /// Whether this connection has delivered a message since the last turn. A queue of the consumer's own shows nothing about the cluster.
    private var hasDelivered = false
    /// The consumers that the broker has not stopped yet, of a connection that moves.
    var stoppingTags: Set<String> = []
    private var readers = BatchReaders()
    private var chores = ChoreList()

    init(
        _ configuration: AMQPConfiguration, connectionName: String, queues: [String], prefetch: Int, batch: BatchPolicy,
        idleLimit: Duration, lookInterval: Duration = AMQPConsumer.lookInterval, ownQueue: OwnQueue? = nil,
        onQueueLost: @escaping @Sendable (String) async -> Void,
        log: @escaping @Sendable (AMQPEvent) -> Void, thread: SocketThread
    ) {
        precondition((1...65_535).contains(prefetch), "an unlimited prefetch would put the whole queue into memory")
        self.configuration = configuration
        self.connectionName = connectionName
        self.queues = queues
        self.prefetch = prefetch
        self.idleLimit = idleLimit
        self.ownQueue = ownQueue
        self.onQueueLost = onQueueLost
        self.log = log
        self.thread = thread
        // A batch limit above the prefetch would never be reached, so each batch would wait for its full delay.
        var batch = batch
        batch.maximumMessages = min(batch.maximumMessages, prefetch * max(1, queues.count))
        buffer = BatchBuffer(batch)
        idleWatch = IdleWatch(interval: lookInterval)
        session = Session(configuration.reconnect)
        subscriptions = Subscriptions(queues: queues, policy: configuration.reconnect, now: .now)
    }

    isolated deinit {
        thread.whenReady(nil)
        _ = session.close()
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
        if session.isRunning { throw AMQPError.stopped }
        guard session.isIdle else { return }
        beginSession()
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
        guard !session.hasStopped else { return }
        session.stop()
        let untouched = buffer.discard()
        if let connection = session.connection {
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
        if session.connection != nil, let settledAt {
            try? await Task.sleep(until: settledAt.advanced(by: Self.settlementGrace), clock: .continuous)  // no answer confirms them
        }
        guard !session.isClosed else { return }
        endSession()
        log(.stopped)
        await configuration.brokerNodes.witness.close()
    }

    /// Waits for a batch. Returns nil once the consumer has stopped, or when the waiting task is cancelled.
    package func nextBatch() async -> MessageBatch? {
        if session.hasStopped { return nil }
        if readers.isEmpty, let due = buffer.due(), due <= .now {
            let hadRoom = buffer.hasRoom
            let batch = buffer.dequeue()
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

    // MARK: One turn

    var hasRoom: Bool { buffer.hasRoom }

    func prepare(_ connection: BrokerConnection) throws(AMQPError) {
        try connection.limitPrefetch(prefetch)
        ownName = try ownQueue?.declare(over: connection)
        ledger = DeliveryLedger()
        busyAt = .now
    }

    /// Renews the channel if it is idle. A new channel would delete the consumer's own queue, so such a queue is bound again instead: the
    /// binding ends when an operator deletes the exchange, and the broker tells no consumer.
    func beginTurn(_ connection: BrokerConnection) throws(AMQPError) {
        if let ownQueue, ownName == nil, session.isRunning { ownName = try ownQueue.declare(over: connection) }
        if let due = lookDue, due <= .now { look(besides: connection.seat) }
        // A new channel drops the messages that have arrived, and the broker counts a return for each. So the socket must be read first.
        guard let due = renewalDue, let readUntil = session.readUntil, due <= readUntil else { return }
        if let ownQueue, let ownName {
            // No other node can look at this queue, so the other connections of the process are the witnesses.
            if connection.seat.shouldBeLeft { throw .timedOut("messages of a node that other connections left") }
            try ownQueue.bind(ownName, over: connection)
            busyAt = .now
            return
        }
        try connection.renewChannel()
        try prepare(connection)
        session.renewedChannel()
        subscriptions.connectionLost(now: .now)
    }

    func receive(_ event: BrokerEvent) {
        switch event {
        case .delivered(let delivery): receive(delivery)
        case .consumerStarted(let tag):
            guard let queue = subscriptions.started(tag) else { return }
            session.succeeded()
            log(.consuming(queue: queue))
        case .consumerCancelled(let tag):
            guard let queue = subscriptions.cancelled(tag) else { return }
            ownName = nil
            report(lostQueue: queue, .consumerCancelled(queue: queue))
        case .consumerStopped(let tag): stoppingTags.remove(tag)
        case .returned, .confirmed, .refused, .blocked, .unblocked, .channelClosed, .connectionClosed: return
        }
    }

    private func receive(_ delivery: Delivery) {
        busyAt = .now
        if ownQueue == nil { hasDelivered = true }
        ledger.delivered(delivery.envelope.tag)
        if session.isRunning, let queue = subscriptions.queue(of: delivery.envelope.consumerTag) {
            buffer.append(AMQPMessage(delivery, generation: session.generation, queue: queue), at: busyAt)
        } else {
            let tag = DeliveryTag(generation: session.generation, value: delivery.envelope.tag)
            queueAcknowledgements([tag], .reject(requeue: true))
        }
    }

    func send(over connection: BrokerConnection) throws(AMQPError) -> Bool {
        try startConsumers(connection)
        try sendAcknowledgements(connection)
        return !acknowledgements.isEmpty
    }

    private func startConsumers(_ connection: BrokerConnection) throws(AMQPError) {
        guard session.isRunning, session.move == nil else { return }
        while let request = subscriptions.takeDue(now: .now) {
            if request.isDoubtful && subscriptions.liveTags.count > 1,
                let error = BrokerConnection.refusal(of: request.queue, configuration, name: connectionName)
            {
                guard let queue = subscriptions.cancelled(request.tag) else { continue }
                report(lostQueue: queue, error)
            } else {
                try connection.startConsumer(queue: ownName ?? request.queue, tag: request.tag)
            }
        }
    }

    /// Gives complete batches to the readers. The next turn is due for a queue, for the renewal of the channel, or for the next batch.
    func finishTurn() -> [ContinuousClock.Instant] {
        while !readers.isEmpty, let due = buffer.due(), due <= .now, let batch = buffer.dequeue() { readers.give(batch) }
        var moments: [ContinuousClock.Instant] = []
        if session.isRunning, let due = subscriptions.nextDue { moments.append(due) }
        if let due = renewalDue { moments.append(due) }
        if let due = lookDue { moments.append(due) }
        if session.move != nil, let graceEnd, graceEnd > .now { moments.append(graceEnd) }
        if hasDelivered { session.connection?.served() }
        hasDelivered = false
        if !readers.isEmpty, let due = buffer.due() { moments.append(due) }
        return moments
    }

    // MARK: Settling

    private func settle(_ tags: [DeliveryTag], _ kind: Acknowledgement.Kind) {
        queueAcknowledgements(tags, kind)
        guard !acknowledgements.isEmpty else { return }
        settledAt = .now
        busyAt = .now
        advance()
    }

    private func queueAcknowledgements(_ tags: [DeliveryTag], _ kind: Acknowledgement.Kind) {
        guard session.connection != nil else { return }
        let generation = session.generation
        let current = tags.lazy.filter { $0.generation == generation }.map(\.value)
        for frame in ledger.settle(current) { acknowledgements.append(Acknowledgement(frame: frame, kind: kind)) }
    }

    private func sendAcknowledgements(_ connection: BrokerConnection) throws(AMQPError) {
        defer { connection.sendHeldBack() }
        while let next = acknowledgements.first, connection.hasRoom(for: BrokerConnection.methodBytes) {
            if acknowledgements.count > 1 { connection.holdBack() }
            switch next.kind {
            case .acknowledge: try connection.acknowledge(next.frame.tag, multiple: next.frame.multiple)
            case .reject(let requeue): try connection.reject(next.frame.tag, multiple: next.frame.multiple, requeue: requeue)
            }
            _ = acknowledgements.popFirst()
        }
    }

    // MARK: Losing the connection

    func retriesAtOnce(after error: AMQPError) -> Bool { false }

    func interrupted(by error: AMQPError) {
        // Drop these messages: the broker redelivers them, so delivering them now would only make duplicates.
        _ = buffer.discard()
        acknowledgements.removeAll()
        if case .channelClosed = error, let queue = subscriptions.refused() { report(lostQueue: queue, error) }
        subscriptions.connectionLost(now: .now)
    }

    func gaveUp(_ error: AMQPError) {
        session.stop()
        readers.finish()
        chores.finish(error)
    }

    private func report(lostQueue queue: String, _ error: AMQPError) {
        log(.queueLost(queue: queue, error))
        chores.add(queue)
    }
}
