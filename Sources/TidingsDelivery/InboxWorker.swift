public import Logging
public import TidingsStore
import TidingsWire

/// Delivers in-app packs: the durable inbox row is the delivery.
public struct InboxWorker: Sendable {
    private let store: Store
    private let packs: PackIntake
    private let counter: WorkCounter
    private let logger: Logger

    public init(store: Store, packs: PackIntake, counter: WorkCounter, logger: Logger) {
        self.store = store
        self.packs = packs
        self.counter = counter
        self.logger = logger
    }

    /// Runs until the consumer is stopped.
    public func run() async {
        await packs.run { batch in
            try await patiently("write inbox rows", logger: logger) { try await store.deliverToInbox(batch) }
            counter.add(batch.reduce(0) { $0 + $1.entries.count })
        }
    }
}
