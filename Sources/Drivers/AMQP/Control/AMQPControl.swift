internal import TidingsSocket

/// A connection for administration: declare, inspect, delete. It is not for message traffic.
///
/// The control connects on first use. A refusal (404, 406, 403…) closes an AMQP channel. The next call then opens a new connection, so the
/// control stays usable after any error. Each call takes at most the connect time-out.
public actor AMQPControl {
    public nonisolated let configuration: AMQPConfiguration
    private nonisolated let thread: SocketThread
    private let connectionName: String
    private var connection: BrokerConnection?
    /// Whether the last queue with a placement turned out to exist without it. Each wrong guess costs a connection.
    private var expectsUnplaced = false

    /// Creates a control. Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // A static method: a throwing initializer of an actor with an isolated deinit crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String = "tidings control"
    ) throws(AMQPError) -> AMQPControl {
        AMQPControl(configuration, connectionName, try SocketThread.started("amqp-control"))
    }

    private init(_ configuration: AMQPConfiguration, _ connectionName: String, _ thread: SocketThread) {
        self.configuration = configuration
        self.connectionName = connectionName
        self.thread = thread
    }

    isolated deinit {
        thread.whenReady(nil)
        connection = nil
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Connects now instead of on first use, to check address and password early. Makes one attempt without a retry.
    public func connect() throws(AMQPError) { _ = try open() }

    /// Closes the connection. A later call connects again.
    public func close() {
        connection?.close()
        drop()
    }

    /// Creates the exchange. Does nothing if it exists with the same properties. Throws 406 if the properties differ.
    public func declareExchange(_ exchange: ExchangeDeclaration) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.declare(exchange, passive: false) }
    }

    /// Creates the queue. Does nothing if it exists with the same properties. Throws 406 if the properties differ.
    ///
    /// RabbitMQ 3.10 also compares ``QueueDeclaration/placement`` and never changes it. An existing queue is therefore compared in both forms,
    /// and another placement is no difference.
    public func declareQueue(_ queue: QueueDeclaration) throws(AMQPError) {
        guard !queue.placement.isEmpty else { return try declare(queue) }
        // A missing queue must get its placement, whatever its neighbours have.
        var exists = false
        if expectsUnplaced { exists = try queueStatus(queue.name) != nil }
        let (first, second) = exists ? (queue.unplaced, queue.placed) : (queue.placed, queue.unplaced)
        do throws(AMQPError) {
            try declare(first)
        } catch {
            guard queue.isPlacedOtherwise(error) else { throw error }
            expectsUnplaced = !exists
            do throws(AMQPError) {
                try declare(second)
            } catch {
                // The queue has a third placement.
                guard queue.isPlacedOtherwise(error) else { throw error }
            }
        }
    }

    private func declare(_ queue: QueueDeclaration) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.declare(queue) }
    }

    /// Creates a binding. Idempotent. Throws 404 if the queue or the exchange is missing.
    public func bind(_ binding: Binding) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.bind(binding) }
    }

    /// Removes a binding. Idempotent.
    public func unbind(_ binding: Binding) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.unbind(binding) }
    }

    /// The state of a queue, or nil when the queue does not exist.
    public func queueStatus(_ queue: String) throws(AMQPError) -> QueueStatus? {
        try unlessMissing { () throws(AMQPError) in
            try call { connection throws(AMQPError) in try connection.status(ofQueue: queue) }
        }
    }

    public func exchangeExists(_ name: String) throws(AMQPError) -> Bool {
        let passive = ExchangeDeclaration(name: name, kind: "direct")
        return try unlessMissing { () throws(AMQPError) in
            try call { connection throws(AMQPError) in try connection.declare(passive, passive: true) }
        } != nil
    }

    /// Deletes the queue with its messages. Does nothing if the queue does not exist.
    public func deleteQueue(_ queue: String) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.deleteQueue(queue) }
    }

    /// Deletes the exchange. Does nothing if the exchange does not exist.
    public func deleteExchange(_ exchange: String) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.deleteExchange(exchange) }
    }

    /// Deletes the messages that are ready and returns their number.
    @discardableResult
    public func purge(_ queue: String) throws(AMQPError) -> Int {
        try call { connection throws(AMQPError) in try connection.purge(queue) }
    }

    /// The broker's properties from the handshake: product, version, cluster name, capabilities.
    public func serverProperties() throws(AMQPError) -> [String: AMQPValue] {
        try call { connection throws(AMQPError) in connection.serverProperties() }
    }

    // MARK: The connection

    private func open() throws(AMQPError) -> BrokerConnection {
        // A node that is cut off from its cluster answers with old figures.
        if let connection, !connection.isBroken, !connection.seat.shouldBeLeft { return connection }
        drop()
        let opened = try BrokerConnection(configuration, name: connectionName)
        connection = opened
        Self.install(self, on: thread)
        serve()
        return opened
    }

    private func drop() {
        connection = nil
        thread.watch([], until: nil)
    }

    private func call<Result>(_ body: (BrokerConnection) throws(AMQPError) -> Result) throws(AMQPError) -> Result {
        let connection = try open()
        defer { serve() }
        do throws(AMQPError) {
            return try body(connection)
        } catch {
            if error.isOfTheNode { _ = connection.seat.couldNotServe() }
            throw error
        }
    }

    private func unlessMissing<Result>(_ body: () throws(AMQPError) -> Result) throws(AMQPError) -> Result? {
        do {
            return try body()
        } catch .channelClosed(code: 404, _) {
            return nil
        }
    }

    /// Sends heartbeats between calls, and notices when the broker closes the connection.
    private func serve() {
        guard let connection else { return }
        // A refused call has ended the channel, and says nothing about the node.
        guard !connection.isBroken else { return drop() }
        do throws(AMQPError) {
            try connection.guarded { () throws(AMQPError) in
                while try connection.next() != nil {}
                try connection.keepAlive(now: .now)
            }
            thread.watch([.reading(connection.socket)], until: connection.nextDuty)
        } catch {
            if error.isOfTheNode { _ = connection.seat.couldNotServe() }
            drop()
        }
    }

    private static nonisolated func install(_ control: AMQPControl, on thread: SocketThread) {
        thread.whenReady { [weak control] _, _ in control?.assumeIsolated { $0.serve() } }
    }
}
