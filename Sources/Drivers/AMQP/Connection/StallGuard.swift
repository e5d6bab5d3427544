internal import Glibc
internal import Synchronization

/// The last protection against waits without a limit in librabbitmq 0.11. A thread checks how long each connection's owner has been inside
/// the library. If this takes too long, the thread shuts the socket down, and the library returns an error at once.
///
/// The thread lives as long as there are connections.
final class StallGuard: Sendable {
    static let shared = StallGuard()
    /// The interval between two checks in milliseconds.
    private static let tickMilliseconds: Int32 = 500

    /// One guarded connection.
    final class Watch: Sendable {
        fileprivate let socket: Int32
        fileprivate let limit: Duration
        private let since = Mutex<ContinuousClock.Instant?>(nil)

        fileprivate init(socket: Int32, limit: Duration) {
            self.socket = socket
            self.limit = limit
        }

        /// Marks the start of a call into the library.
        func enter() { since.withLock { $0 = .now } }
        /// Marks the return from the library.
        func leave() { since.withLock { $0 = nil } }
        /// Ends the guard. Call this before the socket is closed, because the system may soon reuse its number.
        func end() { StallGuard.shared.remove(self) }

        fileprivate func isStalled(at now: ContinuousClock.Instant) -> Bool {
            since.withLock { $0.map { $0.duration(to: now) > limit } ?? false }
        }
    }

    private struct Table {
        var watches: [Watch] = []
        var hasThread = false
    }

    private let table = Mutex(Table())

    /// Starts to guard a socket. Throws ``AMQPError/socket(_:)`` when no thread can be started: without the guard, a connection may hang
    /// for ever.
    func watch(socket: Int32, limit: Duration) throws(AMQPError) -> Watch {
        let watch = Watch(socket: socket, limit: limit)
        // Hold the lock during the start, so that no connection relies on a thread that does not start.
        let status = table.withLock { table in
            let status = table.hasThread ? 0 : startThread()
            guard status == 0 else { return status }
            table.hasThread = true
            table.watches.append(watch)
            return 0
        }
        if status != 0 { throw .socket("cannot start the thread that guards connections: error \(status)") }
        return watch
    }

    private func remove(_ watch: Watch) {
        table.withLock { $0.watches.removeAll { $0 === watch } }
    }

    /// Starts the thread. Returns zero, or the system's error.
    private func startThread() -> Int32 {
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { _ in
                while StallGuard.shared.look() { _ = poll(nil, 0, StallGuard.tickMilliseconds) }
                return nil
            }, nil)
        if status == 0 { pthread_detach(thread) }
        return status
    }

    /// Shuts stalled sockets down. Returns false when no connection is left to guard, and the thread then ends.
    private func look() -> Bool {
        let now = ContinuousClock.now
        // Hold the lock: a socket leaves the table before it is closed, so the number still belongs to this connection.
        return table.withLock { table in
            for watch in table.watches where watch.isStalled(at: now) { shutdown(watch.socket, Int32(SHUT_RDWR)) }
            table.hasThread = !table.watches.isEmpty
            return table.hasThread
        }
    }
}
