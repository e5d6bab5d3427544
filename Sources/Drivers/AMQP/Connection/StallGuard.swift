internal import Glibc
internal import Synchronization

/// The last net under librabbitmq 0.11, some of whose waits have no limit: a thread that shuts down the socket of a connection whose
/// owner has been inside the library for too long. The library then returns an error at once.
///
/// Its thread lives as long as there are connections.
final class StallGuard: Sendable {
    static let shared = StallGuard()
    /// How often it looks.
    private static let tickMilliseconds: Int32 = 500

    /// One connection under guard.
    final class Watch: Sendable {
        fileprivate let socket: Int32
        fileprivate let limit: Duration
        private let since = Mutex<ContinuousClock.Instant?>(nil)

        fileprivate init(socket: Int32, limit: Duration) {
            self.socket = socket
            self.limit = limit
        }

        /// The owner is about to call into the library.
        func enter() { since.withLock { $0 = .now } }
        /// The library came back.
        func leave() { since.withLock { $0 = nil } }
        /// The socket is about to be closed: its number may soon be somebody else's.
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

    /// Throws ``AMQPError/socket(_:)`` when there is no thread left: without its guard a connection may hang for ever.
    func watch(socket: Int32, limit: Duration) throws(AMQPError) -> Watch {
        let watch = Watch(socket: socket, limit: limit)
        // Under the lock, so that nobody relies on a thread that does not start.
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

    /// Zero, or the system's error.
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

    /// Shuts down what is stalled; false when nothing is left to guard, and then the thread is gone.
    private func look() -> Bool {
        let now = ContinuousClock.now
        // Under the lock, because a socket leaves the table before it is closed.
        return table.withLock { table in
            for watch in table.watches where watch.isStalled(at: now) { shutdown(watch.socket, Int32(SHUT_RDWR)) }
            table.hasThread = !table.watches.isEmpty
            return table.hasThread
        }
    }
}
