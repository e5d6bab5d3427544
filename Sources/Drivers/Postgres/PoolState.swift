/// Who has which connection of a pool: decisions only, no I/O. The caller opens, closes and wakes as told.
struct PoolState<Connection: Sendable & AnyObject> {
    typealias Waiter = FirstOutcome<Result<Connection, PostgresError>>

    enum Answer {
        case lent(Connection)
        case waiting
        case closed
    }

    let size: Int
    /// Why the last attempt to connect failed; nil after one that did not.
    private(set) var lastFailure: PostgresError?
    /// The most recently used at the end, so that a quiet pool uses few connections.
    private var idle: [Connection] = []
    /// First come, first served.
    private var waiters: [Waiter] = []
    private var lent = 0
    private var opening = 0
    private var failures = 0
    private var isClosed = false
    private let drained = FirstOutcome<Void>()

    init(size: Int) { self.size = size }

    /// Lends a usable connection, or puts the waiter in line.
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

    /// How many attempts to connect must be started now; they count as started. One at a time after a failure.
    mutating func openersToStart() -> Int {
        guard !isClosed else { return 0 }
        let wanted = min(waiters.count - opening, size - lent - idle.count - opening)
        let started = max(0, failures == 0 ? wanted : min(wanted, 1 - opening))
        opening += started
        return started
    }

    /// Takes a connection back; false if it must be closed.
    mutating func giveBack(_ connection: Connection, isUsable: Bool) -> Bool {
        lent -= 1
        if isClosed && lent == 0 { drained.settle(()) }
        return isUsable && lend(connection)
    }

    /// Takes a new connection; false if it must be closed.
    mutating func opened(_ connection: Connection) -> Bool {
        opening -= 1
        failures = 0
        lastFailure = nil
        return lend(connection)
    }

    /// Notes a failed attempt. Returns how many failed in a row if the attempt must be repeated, nil if it is over, and the waiters to
    /// refuse because waiting cannot help them.
    mutating func failed(_ error: PostgresError) -> (retry: Int?, refused: [Waiter]) {
        failures += 1
        lastFailure = error
        if error.verdict == .permanent {
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

    /// Takes a waiter that gave up out of the line.
    mutating func forget(_ waiter: Waiter) { waiters.removeAll { $0 === waiter } }

    /// Ends lending. Returns what to close, whom to refuse, and what settles when the last connection has come back.
    mutating func close() -> (idle: [Connection], waiters: [Waiter], drained: FirstOutcome<Void>) {
        defer {
            idle = []
            waiters = []
        }
        isClosed = true
        if lent == 0 { drained.settle(()) }
        return (idle, waiters, drained)
    }

    /// To the first in line who still waits, or to the idle ones; false when the pool is closed.
    private mutating func lend(_ connection: Connection) -> Bool {
        guard !isClosed else { return false }
        while !waiters.isEmpty {
            if waiters.removeFirst().settle(.success(connection)) {
                lent += 1
                return true
            }
        }
        idle.append(connection)
        return true
    }
}
