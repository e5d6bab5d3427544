internal import DequeModule
internal import Synchronization
internal import TidingsSocket

/// Publishes with confirms over its own connection, reconnects, and publishes messages with an unknown outcome again.
///
/// The publisher connects on the first ``publish(_:)`` or with ``run()``. A publishing connection must not consume too: while the broker is
/// short of memory or disk, it stops reading from connections that publish. Acknowledgements would then be blocked as well.
///
/// After a lost connection, it is unknown whether unconfirmed messages arrived. The publisher publishes them again with the same message
/// ids, at most `maximumRepublishes` times each. After that, the caller gets the result that the outcome is unknown. A message reported as
/// confirmed has therefore arrived at least once, and possibly more than once.
public actor AMQPPublisher: SessionOwner {
    public nonisolated let configuration: AMQPConfiguration

    nonisolated let thread: SocketThread
    let connectionName: String
    private let window: Int
    private let maximumBytesInFlight: Int
    private let confirmTimeout: Duration
    private let maximumRepublishes: Int
    let log: @Sendable (AMQPEvent) -> Void

    var session: Session<BrokerConnection>
    private var waiting = Deque<Parcel>()
    private(set) var flying = ConfirmWindow<Parcel>()
    /// Whether the one message in flight is a suspect. No other message may then join it.
    private var isIsolating = false
    /// Whether the broker confirmed a message since the last turn.
    private var hasConfirmed = false
    /// Whether the broker has ever confirmed a message over this connection.
    private var isServed = false
    private var refusals: Refusals
    private var user: OwnUser
    private var submissions: [Int: Submission] = [:]
    private var lastSubmission = 0
    private var runner: CheckedContinuation<Void, any Error>?
    /// Why the last connection was lost, or why the last attempt failed.
    private var lastFailure: AMQPError?

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
        session = Session(configuration.reconnect)
    }

    isolated deinit {
        thread.whenReady(nil)
        _ = session.close()
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Connects and stays connected until ``close()``, then returns. This call is optional, because publishing connects too. Cancelling the
    /// task closes the publisher.
    ///
    /// Throws the last error when ``ReconnectPolicy/maximumAttempts`` attempts in a row failed. A later publish starts again.
    public func run() async throws {
        guard !session.isClosed, runner == nil else { return }
        beginSession()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                runner = continuation
                advance()
            }
        } onCancel: {
            Task { await close() }  // a cancellation handler cannot await
        }
    }

    /// Publishes messages in order, pipelined, and returns when every message is settled. The results have the order of the messages.
    /// Cancelling the task ends the wait, and the result of each unsettled message is `.failed(.stopped)`.
    ///
    /// - Parameter timeout: the longest time in which no message is settled. After it, messages that were not sent yet are never sent, and
    ///   the result of each unsettled message names the obstacle: ``AMQPError/blocked(reason:)``, the reason why there is no connection, or
    ///   ``AMQPError/timedOut(_:)``. If an attempt to connect is under way, the wait ends after the attempt. Nil means no limit while the
    ///   broker is unreachable or blocked, unless ``ReconnectPolicy/maximumAttempts`` is set.
    public func publish(_ messages: [OutgoingMessage], timeout: Duration? = nil) async -> [PublishResult] {
        guard !messages.isEmpty else { return [] }
        guard !session.isClosed else { return messages.map { _ in .failed(.stopped) } }
        beginSession()
        lastSubmission += 1
        let id = lastSubmission
        // The timer ends the wait, and is cancelled when the results come first.
        let timer = timeout.map { limit in
            Task {
                let began = ContinuousClock.now
                var due = began + limit
                repeat {
                    try await Task.sleep(until: due, clock: .continuous)
                    advance()  // reads: the confirm may lie in the socket
                    due = (submissions[id]?.settledAt ?? began) + limit
                } while due > (session.connection == nil ? nil : session.readUntil) ?? .now
                abandon(id, for: obstacle)
            }
        }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                accept(messages, Submission(id: id, count: messages.count, continuation: continuation))
            }
        } onCancel: {
            Task { await abandon(id, for: .stopped) }  // a cancellation handler cannot await
        }
    }

    /// Closes the connection. Unsettled messages get `.failed(.stopped)`, so await your publishes first.
    public func close() {
        guard !session.isClosed else { return }
        endSession()
        _ = flying.dequeueAll()
        settleEverything(.stopped)
        runner?.resume()
        runner = nil
        log(.stopped)
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

    private func abandon(_ id: Int, for reason: AMQPError) {
        guard let submission = submissions.removeValue(forKey: id) else { return }
        submission.finish(reason)
        waiting.removeAll { $0.submission === submission }
    }

    /// The reason why messages are not settled at this moment.
    private var obstacle: AMQPError {
        if let reason = session.blockReason { return .blocked(reason: reason) }
        guard session.connection == nil else { return .timedOut("a confirm of the broker") }
        return lastFailure ?? .timedOut("a connection to the broker")
    }

    private func forgetFinished(_ submission: Submission) {
        if submission.isDone { submissions[submission.id] = nil }
    }

    private func settle(_ parcel: Parcel, _ result: PublishResult) {
        parcel.settle(result)
        forgetFinished(parcel.submission)
    }

    private func settleEverything(_ error: AMQPError) {
        waiting.removeAll()
        for submission in submissions.values { submission.finish(error) }
        submissions = [:]
    }

    // MARK: One turn

    var hasRoom: Bool { true }

    func prepare(_ connection: BrokerConnection) throws(AMQPError) {
        try connection.turnOnConfirms()
        // The tags of a connection begin at 1. After a move no message is in flight, and the window still counts on.
        _ = flying.dequeueAll()
        refusals.connected()
        isServed = false
    }

    /// Leaves a node that could not serve another connection of the process. The next message would find out after the confirm timeout only.
    func beginTurn(_ connection: BrokerConnection) throws(AMQPError) {
        if flying.isEmpty, connection.seat.shouldBeLeft { throw .timedOut("a node that other connections left") }
    }

    func receive(_ event: BrokerEvent) {
        switch event {
        case .confirmed(let tag, let multiple):
            // A node that is cut off still answers for a message that it returns.
            if answered(tag, multiple, .confirmed) { (hasConfirmed, isServed) = (true, true) }
        case .refused(let tag, let multiple):
            answered(tag, multiple, .nacked)
            refusals.refused()
        case .returned(let returned): flying.returned(messageID: returned.messageID, code: returned.code, text: returned.text)
        case .delivered, .consumerStarted, .consumerStopped, .consumerCancelled, .blocked, .unblocked, .channelClosed, .connectionClosed:
            return
        }
    }

    /// Returns whether a queue took one of the messages.
    @discardableResult
    private func answered(_ tag: UInt64, _ multiple: Bool, _ result: PublishResult) -> Bool {
        let flights = flying.answered(tag, multiple: multiple)
        for flight in flights {
            settle(flight.entry, flight.returned.map { .returned(code: $0.code, text: $0.text) } ?? result)
        }
        if flying.isEmpty { isIsolating = false }
        session.succeeded()
        return flights.contains { $0.returned == nil }
    }

    /// Throws if the oldest confirm is overdue, which drops the connection.
    private func failWhenSilent() throws(AMQPError) {
        guard let limit = confirmLimit, let readUntil = session.readUntil, limit <= readUntil else { return }
        log(.confirmTimedOut(inFlight: flying.count))
        throw .timedOut("a confirm of the broker")
    }

    /// The time at which the oldest confirm is overdue. Time spent blocked does not count, because a blocked broker reads nothing.
    private var confirmLimit: ContinuousClock.Instant? {
        guard let oldest = flying.oldest, !session.isBlocked else { return nil }
        return max(oldest, session.unblockedAt ?? oldest).advanced(by: confirmTimeout)
    }

    /// Sends as much as the window and the socket have room for. Returns true when only the socket lacked room.
    func send(over connection: BrokerConnection) throws(AMQPError) -> Bool {
        try failWhenSilent()
        if refusals.areEndless {
            // Wait for the answers to messages in flight first, so that dropping the connection duplicates none of them.
            guard flying.isEmpty else { return false }
            throw .timedOut("the broker to take what it refuses on this connection")
        }
        // Messages wait for the next connection.
        guard session.move == nil else { return false }
        defer { connection.sendHeldBack() }
        while let parcel = waiting.first {
            if parcel.submission.isDone {
                _ = waiting.popFirst()
                continue
            }
            let message = user.signing(parcel.message)
            let size = message.encodedSize
            guard !session.isBlocked, !isIsolating, flying.count < window else { return false }
            guard flying.isEmpty || flying.bytes + size <= maximumBytesInFlight && !parcel.isSuspect else { return false }
            guard connection.hasRoom(for: size) else { return true }
            _ = waiting.popFirst()
            // Add the message to the window first: if the write fails half-way, it is unknown whether the broker got the message.
            flying.sent(parcel, messageID: message.messageID, bytes: size, at: .now)
            isIsolating = parcel.isSuspect
            if !waiting.isEmpty { connection.holdBack() }
            try connection.publish(message)
        }
        // Give the memory of a burst back: removing elements alone keeps it.
        if waiting.isEmpty { waiting.removeAll() }
        return false
    }

    /// The next turn is due when the oldest confirm is overdue.
    func finishTurn() -> [ContinuousClock.Instant] {
        if hasConfirmed { session.connection?.served() }
        hasConfirmed = false
        return confirmLimit.map { [$0] } ?? []
    }

    // MARK: Moving to another node

    var canMove: Bool { !session.isBlocked }
    /// A confirm that does not come would delay messages.
    var canTryNodes: Bool { false }
    var isDrained: Bool { flying.isEmpty }
    func drain(_ connection: BrokerConnection) {}
    func resume() {}

    // MARK: Losing the connection

    /// If the broker confirms other messages, a queue refuses and not the node. A new connection may still help: see ``Refusals``.
    func speaksOfTheNode(_ error: AMQPError) -> Bool { error.isOfTheNode && !(refusals.areEndless && isServed) }

    /// Each refusal either identifies its one message or marks the messages in flight as suspects, so this ends.
    func retriesAtOnce(after error: AMQPError) -> Bool {
        if case .channelClosed = error { !flying.isEmpty } else { false }
    }

    func interrupted(by error: AMQPError) {
        lastFailure = error
        let flights = flying.dequeueAll()
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
        waiting.prepend(contentsOf: again)
        failOthers(like: flights, after: error)
    }

    /// After a missing exchange (404), fails every suspect that names it, so that not each of them costs a connection.
    private func failOthers(like flights: [ConfirmWindow<Parcel>.Flight], after error: AMQPError) {
        guard case .channelClosed(code: 404, _) = error, flights.count == 1, let exchange = flights.first?.entry.message.exchange else {
            return
        }
        let others = waiting.filter { $0.isSuspect && $0.message.exchange == exchange }
        waiting.removeAll { $0.isSuspect && $0.message.exchange == exchange }
        for parcel in others { settle(parcel, .failed(error)) }
    }

    func gaveUp(_ error: AMQPError) {
        settleEverything(error)
        runner?.resume(throwing: error)
        runner = nil
    }
}
