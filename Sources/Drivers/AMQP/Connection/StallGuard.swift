internal import Glibc
internal import Synchronization

/// The last protection against waits without a limit in librabbitmq 0.11. A thread looks twice a second whether each connection's owner is
/// inside the library. If a call outlasts too many looks, the thread shuts the socket down, and the library returns an error at once.
///
/// The thread lives as long as there are connections.
final class StallGuard: Sendable {
    static let shared = StallGuard()
    /// The interval between two looks in milliseconds.
    private static let tickMilliseconds: Int32 = 500

    /// One guarded connection.
    final class Watch: Sendable {
        fileprivate let socket: Int32
        private let call: Mutex<GuardedCall>

        fileprivate init(socket: Int32, limit: Duration) {
            self.socket = socket
            call = Mutex(GuardedCall(longestLooks: Int((limit / .milliseconds(Int(tickMilliseconds))).rounded(.up))))
        }

        /// Marks the start of a call into the library.
        func enter() { call.withLock { $0.enter() } }
        /// Marks the return from the library.
        func leave() { call.withLock { $0.leave() } }
        /// Ends the guard. Call this before the socket is closed, because the system may soon reuse its number.
        func end() { StallGuard.shared.remove(self) }

        fileprivate func isStalled() -> Bool { call.withLock { $0.isStalled() } }
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
        // Hold the lock: a socket leaves the table before it is closed, so the number still belongs to this connection.
        return table.withLock { table in
            for watch in table.watches where watch.isStalled() { shutdown(watch.socket, Int32(SHUT_RDWR)) }
            table.hasThread = !table.watches.isEmpty
            return table.hasThread
        }
    }
}

/// The age of a call into the library, in looks of the guard. A clock would count a pause of the process too, in which the call could not
/// return.
struct GuardedCall {
    /// The number of looks that a call may outlast.
    let longestLooks: Int
    /// Nil outside of a call.
    private var looks: Int?

    init(longestLooks: Int) { self.longestLooks = longestLooks }

    mutating func enter() { looks = 0 }
    mutating func leave() { looks = nil }

    /// Counts a look. Returns true if the call has outlasted too many.
    mutating func isStalled() -> Bool {
        guard let earlier = looks else { return false }
        looks = earlier + 1
        return earlier >= longestLooks
    }
}
