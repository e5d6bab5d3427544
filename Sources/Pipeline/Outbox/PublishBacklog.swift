public import Logging
public import TidingsContracts
public import TidingsMetrics
import TidingsStore

/// Publishes committed packs beside the routing, up to a bound: while the broker accepts nothing, the router goes on committing and
/// acknowledging until so many packs, or bytes of them, wait in memory. A backlog of intents that raised the broker's alarm can so drain and
/// clear it.
public actor PublishBacklog {
    /// Packs that may wait for the broker.
    public static let limit = 2_000
    /// Bytes of encoded packs that may wait, and one batch's more.
    public static let maximumBytes = 24 << 20

    private let publisher: PackPublisher
    private let metrics: Metrics
    private let logger: Logger
    private var waiting = 0
    private var bytesWaiting = 0
    private var line: [CheckedContinuation<Void, Never>] = []
    private var idle: [CheckedContinuation<Void, Never>] = []

    public init(publisher: PackPublisher, metrics: Metrics, logger: Logger) {
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Takes the packs over; returns at once unless too many wait already. They are encoded by whoever calls, beside the other batches.
    public nonisolated func publish(_ packs: [Pack]) async {
        guard !packs.isEmpty else { return }
        await takeOver(EncodedPacks(packs))
    }

    private func takeOver(_ packs: EncodedPacks) async {
        while waiting >= Self.limit || bytesWaiting >= Self.maximumBytes { await withCheckedContinuation { line.append($0) } }
        waiting += packs.count
        bytesWaiting += packs.bytes
        metrics.packsPublished.add(packs.count)
        metrics.packsWaiting.add(packs.count)
        // Not a child of the batch that made them: its slot is free for the next one. `drain()` awaits the end of all.
        Task {
            let confirmed = await publisher.publish(packs)
            metrics.packsConfirmed.add(confirmed)
            if confirmed < packs.count {
                logger.warning("packs stay unconfirmed until a releaser publishes them", metadata: ["packs": "\(packs.count - confirmed)"])
            }
            done(packs)
        }
    }

    private func done(_ packs: EncodedPacks) {
        waiting -= packs.count
        bytesWaiting -= packs.bytes
        metrics.packsWaiting.add(-packs.count)
        let woken = line
        line = []
        for continuation in woken { continuation.resume() }
        guard waiting == 0 else { return }
        for continuation in idle { continuation.resume() }
        idle = []
    }

    /// Callers of ``publish(_:)`` that wait for room.
    package var callersInLine: Int { line.count }

    /// Returns when nothing waits any more.
    public func drain() async {
        guard waiting > 0 else { return }
        await withCheckedContinuation { idle.append($0) }
    }
}
