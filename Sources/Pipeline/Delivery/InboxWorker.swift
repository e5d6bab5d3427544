public import Logging
import TidingsContracts
import TidingsCore
import TidingsMetrics
public import TidingsStore

/// Delivers in-app packs. The durable inbox row is the delivery. Routers write ordinary inbox entries themselves, so a pack holds only
/// deliveries that escalate or that waited for their time.
public struct InboxWorker: Sendable {
    private let store: Store
    private let catalogues: CatalogueSource
    private let receiver: PackReceiver
    private let signals: InboxSignals
    private let meters: DeliveryMeters
    private let logger: Logger

    public init(
        store: Store, catalogues: CatalogueSource, receiver: PackReceiver, signals: InboxSignals, meters: DeliveryMeters, logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.receiver = receiver
        self.signals = signals
        self.meters = meters
        self.logger = logger
    }

    /// Runs until the consumer is stopped.
    public func run() async {
        await receiver.run { batch in
            let began = ContinuousClock.now
            let arrivals = try await retrying("write inbox rows", logger: logger) {
                try await store.outbox.deliverToInbox(batch, pauses: catalogues.pauses)
            }
            signals.announce(arrivals)
            let (deliveries, took) = (batch.reduce(0) { $0 + $1.entries.count }, ContinuousClock.now - began)
            meters.count(deliveries, as: .delivered)
            meters.took(took, for: .inbox)
            receiver.began(after: took)
            logger.debug(
                "wrote inbox rows",
                metadata: [
                    "deliveries": .stringConvertible(deliveries), "packs": .stringConvertible(batch.count),
                    "firstPack": "\(batch.first?.id.description ?? "")", "lastPack": "\(batch.last?.id.description ?? "")",
                    "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
                ])
        }
    }
}
