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

    func watch(socket: Int32, limit: Duration) -> Watch {
        let watch = Watch(socket: socket, limit: limit)
        let mustStart = table.withLock { table in
            table.watches.append(watch)
            defer { table.hasThread = true }
            return !table.hasThread
        }
        if mustStart { startThread() }
        return watch
    }

    private func remove(_ watch: Watch) {
        table.withLock { $0.watches.removeAll { $0 === watch } }
    }

    private func startThread() {
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { _ in
                while StallGuard.shared.look() { _ = poll(nil, 0, StallGuard.tickMilliseconds) }
                return nil
            }, nil)
        precondition(status == 0, "cannot start the stall guard's thread: error \(status)")
        pthread_detach(thread)
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
