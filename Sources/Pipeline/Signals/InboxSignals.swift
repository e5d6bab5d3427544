public import TidingsAMQP
public import TidingsContracts
import TidingsCore
public import TidingsMetrics
public import TidingsStore

/// Tells every process that follows signals which people's inboxes have changed. A signal may be lost, and sending it never waits or fails.
///
/// Signals have a connection of their own, which is opened with the first signal. On the connection of the packs they would take room in the
/// window of unconfirmed messages. There an alarm of the broker would also hold them until they are worth nothing.
public struct InboxSignals: Sendable {
    /// The longest pause between two attempts to connect. It is longer than for other links, because nothing waits for this one.
    package static let longestPause = Duration.seconds(30)

    private let announcer: AMQPAnnouncer
    private let metrics: Metrics

    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    public init(
        configuration: AMQPConfiguration, connectionName: String = "tidings signals", metrics: Metrics,
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) {
        var configuration = configuration
        configuration.reconnect.cap = Self.longestPause
        self.metrics = metrics
        announcer = try AMQPAnnouncer.make(
            configuration: configuration, connectionName: connectionName, exchange: .realtime,
            report: { outcome, count in
                switch outcome {
                case .published: metrics.signals[.published].add(count)
                case .dropped: metrics.signals[.dropped].add(count)
                }
            }, log: log)
    }

    /// Announces inbox rows that were just committed.
    public func announce(_ arrivals: InboxArrivals) {
        guard !arrivals.isEmpty else { return }
        announce { arrivals.people }
    }

    /// Announces changes that were just committed: one message for a usual batch.
    public func announce(_ people: [InboxSignal.Person]) {
        guard !people.isEmpty else { return }
        announce { people }
    }

    private func announce(_ people: () -> [InboxSignal.Person]) {
        // Encode nothing that would be dropped.
        guard announcer.accepts else { return metrics.signals[.dropped].add() }
        for body in InboxSignal.messages(for: people()) {
            announcer.offer(
                OutgoingMessage(
                    exchange: QueueNames.realtimeExchange, routingKey: "", body: body, contentType: InboxSignal.contentType, messageID: ""))
        }
    }

    /// Closes the connection. Later signals are dropped.
    public func close() async { await announcer.close() }
}

extension ExchangeDeclaration {
    /// The exchange of signals, which each process that uses it declares.
    static let realtime = ExchangeDeclaration(
        name: ExchangeSpec.realtime.name, kind: ExchangeSpec.realtime.kind.rawValue, durable: ExchangeSpec.realtime.durable)
}
