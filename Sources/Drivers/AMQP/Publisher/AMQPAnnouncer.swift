internal import Synchronization
internal import TidingsSocket

/// Publishes messages that may be lost, over its own connection: transient, without confirms, and without ever delaying its callers.
///
/// ``offer(_:)`` puts a message into a bounded buffer and returns at once. The connection is opened at the first offer and replaced when it
/// is lost. While the broker blocks or cannot be reached, every message is dropped: a late announcement is worth nothing. The broker drops a
/// message that no queue accepts.
///
/// Do not use the connection of an ``AMQPPublisher`` for such messages: they would take room in its window of unconfirmed messages.
public actor AMQPAnnouncer: SessionOwner {
    /// The end of a message, for metrics.
    public enum Outcome: Sendable {
        /// The message was written to the connection. It is unknown whether the broker received it.
        case published
        case dropped
    }

    /// The number of messages that wait for the connection.
    public static let standardMessages = 256
    /// The number of encoded bytes that wait for the connection.
    public static let standardBytes = 4 << 20

    public nonisolated let configuration: AMQPConfiguration
    /// The exchange, which the announcer declares on each connection: an exchange that is not durable ends with the broker.
    public nonisolated let exchange: ExchangeDeclaration

    nonisolated let thread: SocketThread
    let connectionName: String
    private nonisolated let report: @Sendable (Outcome, Int) -> Void
    let log: @Sendable (AMQPEvent) -> Void
    private nonisolated let buffer: Mutex<AnnouncementBuffer>
    var session: Session<BrokerConnection>

    init(
        _ configuration: AMQPConfiguration, connectionName: String, exchange: ExchangeDeclaration, maximumMessages: Int, maximumBytes: Int,
        report: @escaping @Sendable (Outcome, Int) -> Void, log: @escaping @Sendable (AMQPEvent) -> Void, thread: SocketThread
    ) {
        self.configuration = configuration
        self.exchange = exchange
        self.connectionName = connectionName
        self.report = report
        self.log = log
        self.thread = thread
        buffer = Mutex(AnnouncementBuffer(maximumMessages: maximumMessages, maximumBytes: maximumBytes))
        session = Session(configuration.reconnect)
    }

    isolated deinit {
        thread.whenReady(nil)
        _ = session.close()
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Whether an offer has a chance now. A caller may save the work of encoding a message while the link is down or blocked.
    public nonisolated var accepts: Bool { buffer.withLock(\.isOpen) }

    /// Takes a message over, or drops it. Returns at once in any case.
    public nonisolated func offer(_ message: OutgoingMessage) {
        let isValid = message.problem(frameMaximum: configuration.frameMaximum) == nil
        switch isValid ? buffer.withLock({ $0.offer(message) }) : .dropped {
        case .dropped: report(.dropped, 1)
        case .taken(wakes: false): break
        // The caller must not wait for the thread of the connection, which may be busy connecting. The task ends with one turn.
        case .taken(wakes: true): Task { await wake() }
        }
    }

    /// Closes the connection and drops all messages that wait. Later offers are dropped.
    public func close() {
        guard !session.isClosed else { return }
        endSession()
        shut()
        log(.stopped)
    }

    private func wake() {
        buffer.withLock { $0.woke() }
        guard !session.isClosed else { return shut() }
        beginSession()
        advance()
        // An attempt to connect has failed, and the next one is due later.
        if session.connection == nil { shut() }
    }

    /// Drops all messages that wait, and takes no others.
    private func shut() {
        let dropped = buffer.withLock { buffer in
            buffer.isOpen = false
            return buffer.removeAll()
        }
        if dropped > 0 { report(.dropped, dropped) }
    }

    // MARK: One turn

    var hasRoom: Bool { true }

    func prepare(_ connection: BrokerConnection) throws(AMQPError) { try connection.declare(exchange, passive: false) }

    /// Leaves a node that could not serve another connection of the process: no confirm would ever show that it loses announcements.
    func beginTurn(_ connection: BrokerConnection) throws(AMQPError) {
        if connection.seat.shouldBeLeft { throw .timedOut("a node that other connections left") }
    }

    func receive(_ event: BrokerEvent) {}

    /// Writes as much as the socket has room for. Returns true if it lacked room for the rest.
    func send(over connection: BrokerConnection) throws(AMQPError) -> Bool {
        if session.isBlocked {
            shut()
            return false
        }
        defer { connection.sendHeldBack() }
        while let (message, size) = buffer.withLock(\.first) {
            guard connection.hasRoom(for: size) else { return true }
            let isLast = buffer.withLock { buffer in
                buffer.removeFirst()
                return buffer.isEmpty
            }
            if !isLast { connection.holdBack() }
            do throws(AMQPError) {
                try connection.publish(message, mayBeLost: true)
            } catch {
                report(.dropped, 1)
                throw error
            }
            report(.published, 1)
        }
        return false
    }

    /// Takes messages again after each turn without a failure, unless the broker blocks.
    func finishTurn() -> [ContinuousClock.Instant] {
        let isBlocked = session.isBlocked
        buffer.withLock { $0.isOpen = !isBlocked }
        return []
    }

    // MARK: Moving to another node

    var canMove: Bool { !session.isBlocked }
    var canTryNodes: Bool { false }
    var isDrained: Bool { true }
    func drain(_ connection: BrokerConnection) {}
    func resume() {}

    // MARK: Losing the connection

    func retriesAtOnce(after error: AMQPError) -> Bool { false }

    func interrupted(by error: AMQPError) { shut() }

    /// The next offer starts again.
    func gaveUp(_ error: AMQPError) { buffer.withLock { $0.isOpen = true } }
}

extension AMQPAnnouncer {
    /// Creates an announcer.
    ///
    /// - Parameters:
    ///   - exchange: the exchange of all messages.
    ///   - report: called with the end of messages and their number. Return quickly: a caller of ``offer(_:)`` may wait for it.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // A static method: a throwing initializer of an actor with an isolated deinit crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String, exchange: ExchangeDeclaration, maximumMessages: Int = standardMessages,
        maximumBytes: Int = standardBytes, report: @escaping @Sendable (Outcome, Int) -> Void = { _, _ in },
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) -> AMQPAnnouncer {
        AMQPAnnouncer(
            configuration, connectionName: connectionName, exchange: exchange, maximumMessages: maximumMessages, maximumBytes: maximumBytes,
            report: report, log: log, thread: try SocketThread.started("amqp-announcer"))
    }
}
