/// The states of a consumer or publisher from its start to its end, over as many connections as that takes. A value without I/O.
///
/// A session goes from idle to connecting and then to open. A lost connection leads back to connecting, or to idle if no attempt is left.
/// Every state can lead to closing and to closed.
///
/// The loop that drives these states is in ``SessionOwner``. Consumer and publisher differ in five ways, and each has its own part in its
/// own file:
/// - Stop: a consumer passes through closing, because delivered messages must still be settled over the connection. A publisher goes
///   straight to closed, because its callers await their confirms first.
/// - No attempt left: a publisher stays idle, and a later publish begins again. A consumer stops, because its batches have ended.
/// - Closed channel: a publisher connects again at once, because each refusal either identifies its one message or marks suspects, so this
///   ends. A consumer pauses, because the broker may refuse the same queue without an end.
/// - Generation: a consumer counts channels, because a renewed channel has new delivery tags. A publisher has one channel per connection.
/// - Reading: a consumer stops reading while its buffer is full. A publisher always reads, because confirms make room in its window.
struct Session<Connection> {
    enum State {
        case idle
        /// Without a connection, until the next attempt at this time.
        case connecting(at: ContinuousClock.Instant)
        case open(Connection)
        /// Stopped. The connection still serves until ``Session/close()``. A lost connection is not replaced.
        case closing(Connection?)
        case closed
    }

    /// A move to another node. The connection lets its work end, and is then replaced.
    struct Move {
        /// The position of the node in the URL.
        let target: Int
        /// The time at which the connection stays after all, because its work did not end.
        let until: ContinuousClock.Instant
    }

    private(set) var state = State.idle
    /// The move under way, until the connection to the other node is open.
    private(set) var move: Move?
    /// The number of channels opened so far.
    private(set) var generation: UInt64 = 0
    /// The broker's reason why it has stopped reading from this connection, such as `low on memory`. Nil while it reads. The broker reports
    /// this only after the first publish of a connection.
    private(set) var blockReason: String?
    /// The end of the last block of this connection.
    private(set) var unblockedAt: ContinuousClock.Instant?
    /// Input that had arrived by this time has been taken in. Time-outs are judged by this time and not by the present: after a pause of the
    /// process, the awaited input may lie in the socket. Nil before the first connection.
    private(set) var readUntil: ContinuousClock.Instant?
    private var backoff: ReconnectBackoff

    init(_ policy: ReconnectPolicy) { backoff = ReconnectBackoff(policy) }

    var connection: Connection? {
        switch state {
        case .open(let connection): connection
        case .closing(let connection): connection
        case .idle, .connecting, .closed: nil
        }
    }

    /// The time of the next attempt to connect. Nil when none is planned.
    var attemptAt: ContinuousClock.Instant? {
        if case .connecting(let moment) = state { moment } else { nil }
    }

    var isBlocked: Bool { blockReason != nil }

    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// Whether the session has a connection or replaces a lost one.
    var isRunning: Bool {
        switch state {
        case .connecting, .open: true
        case .idle, .closing, .closed: false
        }
    }

    var hasStopped: Bool {
        switch state {
        case .closing, .closed: true
        case .idle, .connecting, .open: false
        }
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Plans the first attempt of an idle session.
    mutating func begin(at now: ContinuousClock.Instant) { state = .connecting(at: now) }

    mutating func opened(_ connection: Connection, at now: ContinuousClock.Instant) {
        state = .open(connection)
        move = nil
        generation += 1
        readUntil = now
        backoff.connected(at: now)
    }

    /// Records that no input is left of what had arrived by this time.
    mutating func hasRead(until moment: ContinuousClock.Instant) { readUntil = moment }

    mutating func beginMove(_ move: Move) { self.move = move }

    mutating func endMove() { move = nil }

    /// Gives the drained connection up for the next one, which is due now.
    mutating func drained(at now: ContinuousClock.Instant) {
        (blockReason, unblockedAt) = (nil, nil)
        state = .connecting(at: now)
    }

    mutating func renewedChannel() { generation += 1 }

    /// Records that the connection has served its purpose: the next failure counts as the first in a row.
    mutating func succeeded() { backoff.reset() }

    mutating func blocked(for reason: String) { blockReason = reason }

    mutating func unblocked(at now: ContinuousClock.Instant) {
        blockReason = nil
        unblockedAt = now
    }

    /// Drops the connection, or counts a failed attempt, and plans the next attempt. `retriesAtOnce` plans it for now and counts no failure.
    ///
    /// Returns the pause before the next attempt. Nil when no further attempt follows. The session is then idle, or still closing.
    mutating func lost(retriesAtOnce: Bool, at now: ContinuousClock.Instant) -> Duration? {
        (blockReason, unblockedAt) = (nil, nil)
        move = nil
        guard isRunning else {
            state = .closing(nil)
            return nil
        }
        let pause: Duration? = retriesAtOnce ? .zero : backoff.nextDelay(now: now)
        if let pause {
            state = .connecting(at: now.advanced(by: pause))
        } else {
            state = .idle
            backoff.reset()
        }
        return pause
    }

    /// Ends the attempts to connect, and keeps an open connection until ``close()``.
    mutating func stop() {
        move = nil
        if !hasStopped { state = .closing(connection) }
    }

    /// Ends the session and returns the last connection, which the caller closes.
    mutating func close() -> Connection? {
        let last = connection
        state = .closed
        (blockReason, unblockedAt) = (nil, nil)
        return last
    }
}
