public import Logging
public import TidingsContracts
public import TidingsMetrics
import TidingsStore
import TidingsWaiting

/// Publishes committed packs beside the routing, up to a bound. While the broker accepts nothing, the router continues to commit and
/// acknowledge until this many packs, or bytes of them, wait in memory. A backlog of intents that raised the broker's alarm can drain this
/// way and clear the alarm.
public actor PublishBacklog {
    /// The number of packs that may wait for the broker.
    public static let limit = 2_000
    /// The bytes of encoded packs that may wait. One more batch may exceed it.
    public static let maximumBytes = 24 << 20

    private let publisher: PackPublisher
    private let metrics: Metrics
    private let logger: Logger
    private var waiting = 0
    private var bytesWaiting = 0
    /// The packs left to a releaser since the last batch of which none was.
    private var left = 0
    private var line: [CheckedContinuation<Void, Never>] = []
    /// Set when nothing waits any more. Nil while nobody waits for that.
    private var idle: OneShot<Void>?

    public init(publisher: PackPublisher, metrics: Metrics, logger: Logger) {
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Takes the packs over. Returns at once unless too many packs wait already. The caller encodes the packs, beside the other batches.
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
        // This task is no child of the batch that made the packs, so the slot of the batch is free for the next one. `drain()` awaits all
        // of these tasks.
        Task {
            tell(await publisher.publish(packs))
            done(packs)
        }
    }

    /// Logs the begin and the end of a time in which packs are left to a releaser, each once.
    private func tell(_ published: PublishedPacks) {
        if published.left > 0 {
            if left == 0 {
                logger.warning("packs stay unconfirmed until a releaser publishes them", metadata: ["packs": "\(published.left)"])
            }
            left += published.left
        } else if left > 0, published.confirmed > 0 {
            logger.notice("packs are confirmed again", metadata: ["unconfirmed": "\(left)"])
            left = 0
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
        idle?.set(())
        idle = nil
    }

    /// The number of callers of ``publish(_:)`` that wait for room.
    package var callersInLine: Int { line.count }

    /// Returns when no pack waits any more.
    public func drain() async {
        guard waiting > 0 else { return }
        let idle = self.idle ?? OneShot()
        self.idle = idle
        await idle.value()
    }
}
