internal import Synchronization
internal import TidingsSocket

/// Publishes with confirms over one connection of its own, reconnects by itself, and publishes again what may have been lost.
///
/// It connects on the first ``publish(_:)`` or with ``run()``. A connection used for publishing must not consume too: while the broker is
/// short of memory or disk it stops reading from connections that publish, so acknowledgements would be stuck as well.
///
/// A lost connection leaves it unknown whether unconfirmed messages arrived. They go out again with the same message ids, at most
/// `maximumRepublishes` times each; after that the caller learns that the outcome is unknown. So a message arrives at least once when
/// it is reported confirmed, and possibly more than once.
public actor AMQPPublisher {
    public nonisolated let configuration: AMQPConfiguration
    /// Reads between which other work of the connection gets a turn.
    private static let eventsPerTurn = 2_048
    /// How soon to try again when the socket's buffer was full.
    private static let roomRetry = Duration.milliseconds(2)

    private nonisolated let thread: SocketThread
    private let connectionName: String
    private let window: Int
    private let maximumBytesInFlight: Int
    private let confirmTimeout: Duration
    private let maximumRepublishes: Int
    private let log: @Sendable (AMQPEvent) -> Void

    private enum Phase { case idle, running, closed }
    private var phase = Phase.idle
    private var connection: BrokerConnection?
    private var generation: UInt64 = 0
    private var backoff: Backoff
    private var reconnectAt: ContinuousClock.Instant?
    private var waiting = FIFO<Parcel>()
    private var flying = ConfirmWindow<Parcel>()
    /// The one message in flight is a suspect: nothing may join it.
    private var isIsolating = false
    /// Confirms are not expected before this: while blocked the broker reads nothing.
    private var unblockedAt: ContinuousClock.Instant?
    private var refusals: Refusals
    private var user: OwnUser
    private var submissions: [Int: Submission] = [:]
    private var lastSubmission = 0
    private var runner: CheckedContinuation<Void, any Error>?
    // Read by anyone without waiting for the thread, which may be busy connecting.
    private nonisolated let blocked = Mutex<String?>(nil)

    init(
        configuration: AMQPConfiguration, connectionName: String, window: Int, maximumBytesInFlight: Int, confirmTimeout: Duration,
        refusalPatience: Duration, maximumRepublishes: Int, log: @escaping @Sendable (AMQPEvent) -> Void, thread: SocketThread
    ) {
        precondition(window > 0, "a publisher needs at least one message in flight")
        (self.configuration, user) = (configuration, OwnUser(configuration.user))
        self.connectionName = connectionName
        self.window = window
        self.maximumBytesInFlight = maximumBytesInFlight
        self.confirmTimeout = confirmTimeout
        refusals = Refusals(patience: refusalPatience)
        self.maximumRepublishes = maximumRepublishes
        self.log = log
        self.thread = thread
        backoff = Backoff(configuration.reconnect)
    }

    isolated deinit {
        thread.whenReady(nil)
        connection = nil
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Whether the broker has stopped reading from this connection. Known only after the first publish of a connection, when the broker
    /// says so; messages then wait.
    public nonisolated var isBlocked: Bool { get async { blocked.withLock { $0 != nil } } }

    /// The broker's reason for blocking: `low on memory`, `low on disk`; nil when not blocked.
    public nonisolated var blockedReason: String? { get async { blocked.withLock { $0 } } }

    /// Connects and stays connected until ``close()``, then returns. Optional: publishing connects too. Cancelling the task closes.
    ///
    /// Throws the last error when ``ReconnectPolicy/maximumAttempts`` attempts in a row failed; a later publish starts afresh.
    public func run() async throws {
        guard phase != .closed, runner == nil else { return }
        start()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                runner = continuation
                advance()
            }
        } onCancel: {
            Task { await close() }  // a cancellation handler cannot await
        }
    }

    /// Publishes in order, pipelined, and returns when each message is settled: one result per message, in the same order.
    /// There is no limit on the time that it takes while the broker is unreachable or blocked, unless
    /// ``ReconnectPolicy/maximumAttempts`` is set; cancelling the task ends the wait, and what is not settled by then is `.failed(.stopped)`.
    public func publish(_ messages: [OutgoingMessage]) async -> [PublishResult] {
        guard !messages.isEmpty else { return [] }
        guard phase != .closed else { return messages.map { _ in .failed(.stopped) } }
        start()
        lastSubmission += 1
        let id = lastSubmission
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                accept(messages, Submission(id: id, count: messages.count, continuation: continuation))
            }
        } onCancel: {
            Task { await abandon(id) }  // a cancellation handler cannot await
        }
    }

    /// Says goodbye to the broker. What is not settled becomes `.failed(.stopped)`: await your publishes first.
    public func close() {
        guard phase != .closed else { return }
        phase = .closed
        connection?.close()
        drop()
        _ = flying.takeAll()
        settleEverything(.stopped)
        thread.watch([], until: nil)
        thread.whenReady(nil)
        runner?.resume()
        runner = nil
        log(.stopped)
    }

    private func start() {
        guard phase == .idle else { return }
        phase = .running
        reconnectAt = .now
        Self.install(self, on: thread)
    }

    private func accept(_ messages: [OutgoingMessage], _ submission: Submission) {
        submissions[submission.id] = submission
        for (index, message) in messages.enumerated() {
            let parcel = Parcel(message: message, submission: submission, index: index)
            if let problem = user.signing(message).problem(frameMaximum: configuration.frameMaximum) {
                parcel.settle(.failed(problem))
            } else {
                waiting.append(parcel)
            }
        }
        forgetFinished(submission)
        advance()
    }

    private func abandon(_ id: Int) {
        guard let submission = submissions.removeValue(forKey: id) else { return }
        submission.finish(.stopped)
        _ = waiting.removeAll { $0.submission === submission }
    }

    private func forgetFinished(_ submission: Submission) {
        if submission.isDone { submissions[submission.id] = nil }
    }

    private func settle(_ parcel: Parcel, _ result: PublishResult) {
        parcel.settle(result)
        forgetFinished(parcel.submission)
    }

    private func settleEverything(_ error: AMQPError) {
        _ = waiting.removeAll()
        for submission in submissions.values { submission.finish(error) }
        submissions = [:]
    }

    // MARK: The loop

    /// One turn: connect if it is time, read all there is, send what fits, and say when to be called again.
    private func advance() {
        guard phase == .running else { return }
        do throws(AMQPError) {
            try connectIfDue()
            if let connection {
                let isHurried = try connection.guarded { () throws(AMQPError) in
                    let wasCutShort = try read(connection)
                    try failWhenSilent()
                    try connection.keepAlive(now: .now)
                    let hasNoRoom = try send(over: connection)
                    return (wasCutShort, hasNoRoom)
                }
                watch(connection, again: isHurried.0, soon: isHurried.1)
                return
            }
        } catch {
            lost(error)
        }
        thread.watch([], until: reconnectAt)
    }

    private func connectIfDue() throws(AMQPError) {
        guard connection == nil, let reconnectAt, reconnectAt <= .now else { return }
        let opened = try BrokerConnection(configuration, name: connectionName)
        try opened.turnOnConfirms()
        generation += 1
        connection = opened
        self.reconnectAt = nil
        refusals.connected()
        backoff.connected()
        log(.connected(generation: generation))
    }

    /// Reads until nothing is left; true when it stopped early to let others have a turn.
    private func read(_ connection: BrokerConnection) throws(AMQPError) -> Bool {
        for _ in 0..<Self.eventsPerTurn {
            guard let event = try connection.next() else { return false }
            take(event)
        }
        return true
    }

    private func take(_ event: BrokerEvent) {
        switch event {
        case .confirmed(let tag, let multiple): answered(tag, multiple, .confirmed)
        case .refused(let tag, let multiple):
            answered(tag, multiple, .nacked)
            refusals.refused()
        case .returned(let returned): flying.returned(messageID: returned.messageID, code: returned.code, text: returned.text)
        case .blocked(let reason):
            blocked.withLock { $0 = reason }
            log(.blocked(reason: reason))
        case .unblocked:
            blocked.withLock { $0 = nil }
            unblockedAt = .now
            log(.unblocked)
        case .delivered, .got, .gotNothing, .consumerStarted, .consumerStopped, .consumerCancelled, .channelClosed, .connectionClosed:
            return
        }
    }

    private func answered(_ tag: UInt64, _ multiple: Bool, _ result: PublishResult) {
        for flight in flying.answered(tag, multiple: multiple) {
            settle(flight.entry, flight.returned.map { .returned(code: $0.code, text: $0.text) } ?? result)
        }
        if flying.isEmpty { isIsolating = false }
        backoff.reset()
    }

    /// Gives the connection up when the oldest confirm is overdue.
    private func failWhenSilent() throws(AMQPError) {
        guard let limit = confirmLimit, limit <= .now else { return }
        log(.confirmTimedOut(inFlight: flying.count))
        throw .timedOut("a confirm of the broker")
    }

    private var confirmLimit: ContinuousClock.Instant? {
        guard let oldest = flying.oldest, blocked.withLock({ $0 == nil }) else { return nil }
        return max(oldest, unblockedAt ?? oldest).advanced(by: confirmTimeout)
    }

    /// Sends what the window and the socket have room for; true when only the socket lacked room.
    private func send(over connection: BrokerConnection) throws(AMQPError) -> Bool {
        if refusals.areEndless {
            // What is in flight is answered first, so that nothing goes out twice for this.
            guard flying.isEmpty else { return false }
            throw .timedOut("the broker to take what it refuses on this connection")
        }
        defer { connection.letGo() }
        while let parcel = waiting.first {
            if parcel.submission.isDone {
                _ = waiting.popFirst()
                continue
            }
            let message = user.signing(parcel.message)
            let size = message.encodedSize
            guard blocked.withLock({ $0 == nil }), !isIsolating, flying.count < window else { return false }
            guard flying.isEmpty || flying.bytes + size <= maximumBytesInFlight && !parcel.isSuspect else { return false }
            guard connection.hasRoom(for: size) else { return true }
            _ = waiting.popFirst()
            // In the window first: if writing fails half-way, nobody knows what the broker got.
            flying.sent(parcel, messageID: message.messageID, bytes: size, at: .now)
            isIsolating = parcel.isSuspect
            if !waiting.isEmpty { connection.holdBack() }
            try connection.publish(message)
        }
        return false
    }

    private func watch(_ connection: BrokerConnection, again: Bool, soon: Bool) {
        var moments = [connection.nextDuty]
        if again { moments.append(.now) }
        if soon { moments.append(.now.advanced(by: Self.roomRetry)) }
        if let confirmLimit { moments.append(confirmLimit) }
        thread.watch([.reading(connection.socket)], until: moments.min())
    }

    // MARK: Losing the connection

    private func lost(_ error: AMQPError) {
        drop()
        let flights = flying.takeAll()
        isIsolating = false
        var again: [Parcel] = []
        for flight in flights {
            let isAlone = !user.isRefused(by: error) && flights.count == 1
            switch flight.fate(after: error, isAlone: isAlone, maximumRepublishes: maximumRepublishes) {
            case .settled(let result): settle(flight.entry, result)
            case .again(let parcel): again.append(parcel)
            }
        }
        if !again.isEmpty { log(.republishing(count: again.count)) }
        waiting.prepend(again)
        failOthers(like: flights, after: error)
        // Each refusal either finds its one culprit or turns those in flight into suspects, so this cannot go on for ever without a pause.
        if case .channelClosed = error, !flights.isEmpty {
            reconnectAt = .now
            log(.disconnected(error, retryIn: .zero))
            return
        }
        let delay = backoff.nextDelay()
        log(.disconnected(error, retryIn: delay))
        if let delay { reconnectAt = .now.advanced(by: delay) } else { giveUp(error) }
    }

    private func drop() {
        (connection, unblockedAt) = (nil, nil)
        blocked.withLock { $0 = nil }
    }

    /// A missing exchange (404) is missing for every suspect that names it: no need to lose a connection for each.
    private func failOthers(like flights: [ConfirmWindow<Parcel>.Flight], after error: AMQPError) {
        guard case .channelClosed(code: 404, _) = error, flights.count == 1, let exchange = flights.first?.entry.message.exchange else {
            return
        }
        let others = waiting.removeAll { $0.isSuspect && $0.message.exchange == exchange }
        for parcel in others { settle(parcel, .failed(error)) }
    }

    private func giveUp(_ error: AMQPError) {
        phase = .idle
        reconnectAt = nil
        backoff.reset()
        settleEverything(error)
        runner?.resume(throwing: error)
        runner = nil
    }

    private static nonisolated func install(_ publisher: AMQPPublisher, on thread: SocketThread) {
        thread.whenReady { [weak publisher] _ in publisher?.assumeIsolated { $0.advance() } }
    }
}
