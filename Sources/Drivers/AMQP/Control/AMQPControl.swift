internal import TidingsSocket

/// A connection for administration: declare, inspect, delete. Not for traffic.
///
/// It connects on first use. A refusal (404, 406, 403…) ends an AMQP channel; the next call simply opens a new connection, so the control
/// stays usable after any error. Each call takes at most the connect timeout.
public actor AMQPControl {
    public nonisolated let configuration: AMQPConfiguration
    private nonisolated let thread: SocketThread
    private let connectionName: String
    private var connection: BrokerConnection?

    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    // Not an initializer: one that throws, of an actor with an isolated deinit, crashes Swift 6.3 in release builds.
    public static func make(
        configuration: AMQPConfiguration, connectionName: String = "tidings control"
    ) throws(AMQPError) -> AMQPControl {
        AMQPControl(configuration, connectionName, try SocketThread.started("amqp-control"))
    }

    /// The same for tests and commands, whose process ends with the reason when it has no file descriptor or thread left.
    package init(configuration: AMQPConfiguration, connectionName: String = "tidings control") {
        self.init(configuration, connectionName, SocketThread(name: "amqp-control"))
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

    /// Connects now instead of on first use, to learn early whether address and password are right. One attempt, no retry.
    public func connect() throws(AMQPError) { _ = try open() }

    /// Says goodbye to the broker. A later call connects again.
    public func close() {
        connection?.close()
        drop()
    }

    /// Creates the exchange, or does nothing when it is there with the same properties; 406 when they differ.
    public func declareExchange(_ exchange: ExchangeDeclaration) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.declare(exchange, passive: false) }
    }

    /// Creates the queue, or does nothing when it is there with the same properties; 406 when they differ.
    public func declareQueue(_ queue: QueueDeclaration) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.declare(queue) }
    }

    /// Idempotent; 404 when the queue or the exchange is missing.
    public func bind(_ binding: Binding) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.bind(binding) }
    }

    /// Idempotent.
    public func unbind(_ binding: Binding) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.unbind(binding) }
    }

    /// Nil when the queue does not exist.
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

    /// Deletes the queue with its messages. Nothing happens when it does not exist.
    public func deleteQueue(_ queue: String) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.deleteQueue(queue) }
    }

    /// Nothing happens when it does not exist.
    public func deleteExchange(_ exchange: String) throws(AMQPError) {
        try call { connection throws(AMQPError) in try connection.deleteExchange(exchange) }
    }

    /// Drops the messages that are ready and returns how many they were.
    @discardableResult
    public func purge(_ queue: String) throws(AMQPError) -> Int {
        try call { connection throws(AMQPError) in try connection.purge(queue) }
    }

    /// Takes one message off the queue for good, or nil when none is ready. The broker acknowledges it as it leaves: a crash loses it.
    public func getOne(_ queue: String) throws(AMQPError) -> AMQPMessage? {
        let limit = ContinuousClock.now.advanced(by: configuration.connectTimeout)
        return try call { connection throws(AMQPError) in
            try connection.requestOne(queue: queue)
            while ContinuousClock.now < limit {
                switch try connection.next() {
                case .got(let delivery): return AMQPMessage(delivery, generation: 0, queue: queue)
                case .gotNothing: return nil
                case nil: connection.waitUntilReadable(limit: limit)
                default: continue
                }
            }
            throw .timedOut("a message from \(queue)")
        }
    }

    /// What the broker said about itself at the handshake: product, version, cluster name, capabilities.
    public func serverProperties() throws(AMQPError) -> [String: AMQPValue] {
        try call { connection throws(AMQPError) in connection.serverProperties() }
    }

    // MARK: The connection

    private func open() throws(AMQPError) -> BrokerConnection {
        if let connection, !connection.isBroken { return connection }
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
        return try body(connection)
    }

    private func unlessMissing<Result>(_ body: () throws(AMQPError) -> Result) throws(AMQPError) -> Result? {
        do {
            return try body()
        } catch .channelClosed(code: 404, _) {
            return nil
        }
    }

    /// Keeps the heartbeat going between calls, and notices when the broker hangs up.
    private func serve() {
        guard let connection else { return }
        do throws(AMQPError) {
            try connection.guarded { () throws(AMQPError) in
                while try connection.next() != nil {}
                try connection.keepAlive(now: .now)
            }
            thread.watch([.reading(connection.socket)], until: connection.nextDuty)
        } catch {
            drop()
        }
    }

    private static nonisolated func install(_ control: AMQPControl, on thread: SocketThread) {
        thread.whenReady { [weak control] _ in control?.assumeIsolated { $0.serve() } }
    }
}
