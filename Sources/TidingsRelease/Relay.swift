public import Logging
public import TidingsAMQP
import TidingsCore
public import TidingsMetrics
public import TidingsStore
import TidingsWire

/// Publishes what producers enqueued with `tidings_api.enqueue` in their own transactions.
public struct Relay: Sendable {
    /// Between two looks when there was nothing, or less than a batch: what an enqueued event waits at most before it is on its way.
    package static let interval = Duration.milliseconds(200)
    /// Events in one turn, held in one transaction until the broker has confirmed them.
    package static let batch = 200
    /// Of a turn's events together, and one event more: each is in memory three times until it is confirmed.
    package static let maximumBytes = 4 << 20
    /// Characters of a type that go into a routing key.
    private static let longestTypeInKey = 50

    private let store: Store
    private let catalogues: CatalogueSource
    private let publisher: AMQPPublisher
    private let metrics: Metrics
    private let logger: Logger

    public init(store: Store, catalogues: CatalogueSource, publisher: AMQPPublisher, metrics: Metrics, logger: Logger) {
        self.store = store
        self.catalogues = catalogues
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                let types = catalogues.current.catalogue.types
                let relayed = try await store.relay(limit: Self.batch, bytes: Self.maximumBytes) { events in
                    await publisher.publish(events.map { Self.message($0, category: types[$0.type]?.category ?? .system) }).map {
                        if case .confirmed = $0 { true } else { false }
                    }
                }
                metrics.eventsRelayed.add(relayed.confirmed)
                if relayed.failed > 0 {
                    logger.warning("the broker did not take enqueued events, trying again", metadata: ["events": "\(relayed.failed)"])
                }
                if relayed.isFull, relayed.failed == 0 { continue }
            } catch {
                logger.warning("cannot relay enqueued events, trying again", metadata: ["error": "\(error)"])
            }
            // Nothing signals a new row: NOTIFY would serialise the producers' commits. Cancelled at the stop.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// An unknown type goes in like any other: the router refuses it with a reason an operator can read. Only the first word of the routing
    /// key counts, so a long type is cut there: the protocol allows 255 bytes.
    private static func message(_ event: EnqueuedEvent, category: Category) -> OutgoingMessage {
        OutgoingMessage(
            exchange: QueueNames.intentsExchange,
            routingKey: QueueNames.routingKey(category: category, type: String(event.type.prefix(longestTypeInKey))),
            body: Array(event.event.utf8), contentType: "application/cloudevents+json", messageID: event.id)
    }
}
