import TidingsWaiting

/// The state of a pool: which connections are idle, and how many are lent, opening or left behind. It only decides; the caller opens,
/// closes, looks and wakes.
struct PoolState<Connection: Sendable & AnyObject> {
    typealias Waiter = OneShot<Result<Connection, PostgresError>>

    enum Answer {
        case lent(Connection)
        case waiting
        case closed
    }

    let size: Int
    /// Why the last attempt to connect failed. Nil after a successful attempt.
    private(set) var lastFailure: PostgresError?
    /// Idle connections. The most recently used one is at the end and is lent first, so that a quiet pool uses few connections.
    private var idle: [Connection] = []
    /// Callers that wait for a connection, in the order of arrival.
    private var waiters: [Waiter] = []
    private var lent = 0
    /// The connections that were dropped during a commit, and whose server processes may still wait for a standby. They count against the
    /// size: the server has these sessions, and each retry would add another.
    private(set) var leftBehind = 0
    private var isLooking = false
    /// Connections that were opened before this time lead to a server that takes no writes any more.
    private var retiredAt: ContinuousClock.Instant?
    private var opening = 0
    private var failures = 0
    private var isClosed = false
    private let drained = OneShot<Void>()

    init(size: Int) { self.size = size }

    /// Lends a usable connection, or appends the waiter to the queue.
    mutating func acquire(_ waiter: Waiter, isUsable: (Connection) -> Bool) -> Answer {
        guard !isClosed else { return .closed }
        while let connection = idle.popLast() {
            guard isUsable(connection) else { continue }
            lent += 1
            return .lent(connection)
        }
        waiters.append(waiter)
        return .waiting
    }

    /// Returns how many attempts to connect must start now, and counts them as started. After a failure, only one runs at a time.
    mutating func openersToStart() -> Int {
        guard !isClosed else { return 0 }
        let wanted = min(waiters.count - opening, size - lent - idle.count - opening - leftBehind)
        let started = max(0, failures == 0 ? wanted : min(wanted, 1 - opening))
        opening += started
        return started
    }

    /// Takes a lent connection back. Returns false if the caller must close it.
    ///
    /// - Parameter isLeftBehind: whether the connection was dropped while its server process may have been committing.
    mutating func giveBack(_ connection: Connection, isUsable: Bool, isLeftBehind: Bool = false) -> Bool {
        lent -= 1
        if isLeftBehind { leftBehind += 1 }
        if isClosed && lent == 0 { drained.set(()) }
        return isUsable && lend(connection)
    }

    /// Adds a new connection. Returns false if the caller must close it.
    mutating func opened(_ connection: Connection) -> Bool {
        opening -= 1
        failures = 0
        lastFailure = nil
        return lend(connection)
    }

    /// Records a failed attempt. `retry` is the number of failures in a row if the attempt must be repeated, or nil if it must end.
    /// `refused` are the waiters to fail, because the error is permanent.
    mutating func failed(_ error: PostgresError) -> (retry: Int?, refused: [Waiter]) {
        failures += 1
        lastFailure = error
        if error.retryability == .permanent {
            opening -= 1
            defer { waiters = [] }
            return (nil, waiters)
        }
        guard !isClosed, !waiters.isEmpty, opening == 1 else {
            opening -= 1
            return (nil, [])
        }
        return (failures, [])
    }

    /// Returns whether to start looking for sessions that were left behind, and counts the look as started.
    mutating func lookToStart() -> Bool {
        guard leftBehind > 0, !isLooking, !isClosed else { return false }
        isLooking = true
        return true
    }

    /// Records that `waiting` sessions wait for a standby on the server. Returns whether to look again.
    mutating func looked(waiting: Int) -> Bool {
        leftBehind = min(leftBehind, waiting)
        lastFailure = nil
        isLooking = leftBehind > 0 && !isClosed
        return isLooking
    }

    /// Records that the server could not be asked. Returns whether to look again.
    mutating func lookFailed(_ error: PostgresError) -> Bool {
        lastFailure = error
        isLooking = !isClosed
        return isLooking
    }

    /// Records that the server of the present connections takes no writes any more. Returns the idle ones to close. A lent one is closed
    /// when it is returned.
    mutating func retire(at now: ContinuousClock.Instant) -> [Connection] {
        defer { idle = [] }
        retiredAt = now
        return idle
    }

    func isRetired(openedAt: ContinuousClock.Instant) -> Bool { retiredAt.map { openedAt < $0 } ?? false }

    /// Removes a waiter that no longer waits.
    mutating func forget(_ waiter: Waiter) { waiters.removeAll { $0 === waiter } }

    /// Ends lending. Returns the idle connections to close, the waiters to fail, and the result that is set when no connection is lent.
    mutating func close() -> (idle: [Connection], waiters: [Waiter], drained: OneShot<Void>) {
        defer {
            idle = []
            waiters = []
        }
        isClosed = true
        if lent == 0 { drained.set(()) }
        return (idle, waiters, drained)
    }

    /// Lends a connection to the first waiter that still waits, or adds it to the idle ones. Returns false when the pool is closed.
    private mutating func lend(_ connection: Connection) -> Bool {
        guard !isClosed else { return false }
        while !waiters.isEmpty {
            if waiters.removeFirst().set(.success(connection)) {
                lent += 1
                return true
            }
        }
        idle.append(connection)
        return true
    }
}
