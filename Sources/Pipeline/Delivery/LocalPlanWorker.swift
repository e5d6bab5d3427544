public import Logging
import TidingsCatalogue
import TidingsCore
import TidingsMetrics
public import TidingsStore

/// Takes local packs into the plans of their devices. The row of the plan is the delivery.
public struct LocalPlanWorker: Sendable {
    private let store: Store
    private let catalogues: CatalogueSource
    private let receiver: PackReceiver
    private let meters: DeliveryMeters
    private let logger: Logger

    public init(store: Store, catalogues: CatalogueSource, receiver: PackReceiver, meters: DeliveryMeters, logger: Logger) {
        self.store = store
        self.catalogues = catalogues
        self.receiver = receiver
        self.meters = meters
        self.logger = logger
    }

    /// Runs until the consumer is stopped.
    public func run() async {
        await receiver.run { batch in
            let began = ContinuousClock.now
            let ends = try await retrying("plan local notifications", logger: logger) {
                try await store.localPlans.plan(batch, pauses: catalogues.pauses, catalogue: catalogues.current.catalogue)
            }
            let took = ContinuousClock.now - began
            for (state, count) in ends { meters.count(count, as: state) }
            receiver.began(after: took)
            logger.debug(
                "planned local notifications",
                metadata: [
                    "deliveries": .stringConvertible(ends.values.reduce(0, +)), "packs": .stringConvertible(batch.count),
                    "milliseconds": .stringConvertible(Int(took / .milliseconds(1))),
                ])
        }
    }
}
