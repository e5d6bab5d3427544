internal import TidingsSocket

/// The number of events read in one turn. After that, other work of the connection gets a turn.
private let eventsPerTurn = 2_048
/// The pause before the next attempt when the socket's buffer was full.
private let roomRetry = Duration.milliseconds(2)

/// A consumer or publisher, as the loop of its session sees it. Its ``thread`` is its executor, so every call below runs on that thread.
///
/// The loop connects, reads, keeps the heartbeat, drops a lost connection and connects again. The owner does the work in between.
protocol SessionOwner: Actor {
    nonisolated var configuration: AMQPConfiguration { get }
    nonisolated var thread: SocketThread { get }
    var connectionName: String { get }
    var log: @Sendable (AMQPEvent) -> Void { get }
    var session: Session<BrokerConnection> { get set }

    /// Whether further events may be read now.
    var hasRoom: Bool { get }
    /// Sets up a new connection, before the session counts it as open.
    func prepare(_ connection: BrokerConnection) throws(AMQPError)
    /// Runs before the guarded part of a turn. A call that waits for the broker's answer belongs here, because its own guard would end the
    /// guard of the turn.
    func beginTurn(_ connection: BrokerConnection) throws(AMQPError)
    /// Receives an event of the connection. The loop handles blocks itself.
    func receive(_ event: BrokerEvent)
    /// Sends as much as there is room for. Returns true if the socket's buffer was too full for the rest.
    func send(over connection: BrokerConnection) throws(AMQPError) -> Bool
    /// Runs after a turn without a failure. Returns the times at which the owner needs the next one.
    func finishTurn() -> [ContinuousClock.Instant]
    /// Whether the error shows that the node cannot serve. The next attempt then begins at another node.
    func speaksOfTheNode(_ error: AMQPError) -> Bool
    /// Whether the connection may move to another node now.
    var canMove: Bool { get }
    /// Whether the owner would notice that a node does not serve.
    var canTryNodes: Bool { get }
    /// Begins nothing new over the connection, which moves. Work that has begun goes on.
    func drain(_ connection: BrokerConnection) throws(AMQPError)
    /// Whether no work is left on the connection, so that closing it loses and doubles nothing.
    var isDrained: Bool { get }
    /// Begins work again, over the next connection, or over the present one if its work did not end in time.
    func resume()
    /// Whether to connect again without a pause, and without counting a failure. The loop asks before it calls ``interrupted(by:)``.
    func retriesAtOnce(after error: AMQPError) -> Bool
    /// Drops or keeps the work that was under way on the lost connection. After a failed attempt, no work was under way.
    func interrupted(by error: AMQPError)
    /// Ends the work that waits, because no further attempt follows. The session is idle.
    func gaveUp(_ error: AMQPError)
}

extension SessionOwner {
    func speaksOfTheNode(_ error: AMQPError) -> Bool { error.isOfTheNode }

    /// Begins to connect in the next turn, unless the session has begun or ended.
    func beginSession() {
        guard session.isIdle else { return }
        session.begin(at: .now)
        runTurns(of: self, on: thread)
    }

    /// Runs one turn: connects if it is time, reads all input, sends as much as fits, and sets the time of the next turn.
    func advance() {
        guard !session.isIdle, !session.isClosed else { return }
        do throws(AMQPError) {
            try connectIfDue()
            if let connection = session.connection {
                try beginTurn(connection)
                if try leaveForMove(connection) {
                    thread.watch([], until: session.attemptAt)
                    return
                }
                let (wasCutShort, lacksRoom) = try connection.guarded { () throws(AMQPError) in
                    let began = ContinuousClock.now
                    let wasCutShort = try read(connection)
                    if !wasCutShort { session.hasRead(until: began) }
                    let lacksRoom = try send(over: connection)
                    try connection.keepAlive(now: .now)
                    return (wasCutShort, lacksRoom)
                }
                watch(connection, again: wasCutShort, soon: lacksRoom)
                return
            }
        } catch {
            lost(error)
        }
        thread.watch([], until: session.attemptAt)
    }

    /// Drops the connection after an error, or records a failed attempt. Plans the next attempt, which begins at another node if this one
    /// could not serve.
    func lost(_ error: AMQPError) {
        if session.move != nil { endMove() }
        if speaksOfTheNode(error), configuration.brokerNodes.areSeveral, let seat = session.connection?.seat, seat.couldNotServe() {
            log(.leftNode(seat.node, error))
        }
        let pause = session.lost(retriesAtOnce: retriesAtOnce(after: error), at: .now)
        interrupted(by: error)
        log(.disconnected(error, retryIn: pause))
        if session.isIdle { gaveUp(error) }
    }

    /// Closes the connection in agreement with the broker, for which it waits at most the limit of ``BrokerConnection/close(limit:)``, and
    /// ends the turns.
    func endSession() {
        session.close()?.close()
        thread.watch([], until: nil)
        thread.whenReady(nil)
    }

    private func connectIfDue() throws(AMQPError) {
        guard let attemptAt = session.attemptAt, attemptAt <= .now else { return }
        let connection = try BrokerConnection(configuration, name: connectionName, target: session.move?.target)
        do throws(AMQPError) {
            try prepare(connection)
        } catch {
            // The session does not have this connection yet, so ``lost(_:)`` cannot name its node.
            if error.isOfTheNode { _ = connection.seat.couldNotServe() }
            throw error
        }
        if session.move != nil { endMove() }
        session.opened(connection, at: .now)
        log(.connected(generation: session.generation))
    }

    /// Reads until no input is left. Returns true when it stopped early, to give other work a turn or because the owner has no room.
    private func read(_ connection: BrokerConnection) throws(AMQPError) -> Bool {
        for _ in 0..<eventsPerTurn {
            guard hasRoom else { return true }
            guard let event = try connection.next() else { return false }
            switch event {
            case .blocked(let reason):
                session.blocked(for: reason)
                log(.blocked(reason: reason))
            case .unblocked:
                session.unblocked(at: .now)
                log(.unblocked)
            default: receive(event)
            }
        }
        return true
    }

    private func watch(_ connection: BrokerConnection, again: Bool, soon: Bool) {
        var moments = finishTurn()
        moments.append(connection.nextDuty)
        if again && hasRoom { moments.append(.now) }
        if let move = session.move { moments.append(isDrained ? .now : move.until) }
        if soon { moments.append(.now.advanced(by: roomRetry)) }
        thread.watch(hasRoom ? [.reading(connection.socket)] : [], until: moments.min())
    }
}

/// Makes the thread run a turn each time a socket is ready or the time of the next turn has come.
private func runTurns<Owner: SessionOwner>(of owner: Owner, on thread: SocketThread) {
    thread.whenReady { [weak owner] _, _ in owner?.assumeIsolated { $0.advance() } }
}

extension SocketThread {
    /// Starts the thread of a connection.
    static func started(_ name: String) throws(AMQPError) -> SocketThread {
        do throws(StartError) {
            return try SocketThread(starting: name)
        } catch {
            throw .socket(error.description)
        }
    }
}
