public import TidingsAMQP
public import TidingsContracts
import TidingsCore
public import TidingsMetrics
import TidingsPostgres
public import TidingsStore

/// Puts committed packs on their queues and records the broker's confirms.
///
/// A pack that the broker refused is published again by ``RefusedPacks``. Any other unconfirmed pack is left as it is: its row shows this,
/// and any releaser publishes it again. A message that arrives twice is harmless, because a pack is claimed once.
public struct PackPublisher: Sendable {
    private let publisher: AMQPPublisher
    private let watch: WorkWatch
    private let notes: ConfirmNotes
    private let urgent: RefusedPacks
    private let bulk: RefusedPacks
    private let metrics: Metrics
    private let timelines: TimelineGuard?

    /// - Parameter watch: watches for the confirms.
    public init(
        store: Store, publisher: AMQPPublisher, metrics: Metrics, watch: WorkWatch = WorkWatch(),
        log: @escaping @Sendable (ConfirmEvent) -> Void = { _ in }, refusals: @escaping @Sendable (RefusalEvent) -> Void = { _ in }
    ) {
        self.publisher = publisher
        self.watch = watch
        self.metrics = metrics
        timelines = store.timelines
        notes = ConfirmNotes(store: store, log: log)
        urgent = RefusedPacks(lane: .urgent, publisher: publisher, watch: watch, notes: notes, metrics: metrics, log: refusals)
        bulk = RefusedPacks(lane: .bulk, publisher: publisher, watch: watch, notes: notes, metrics: metrics, log: refusals)
    }

    /// Publishes packs, and returns when the broker has answered for each of them, or when it is unknown which of them arrived.
    ///
    /// The answers are taken queue by queue: a queue that answers nothing holds up no refused pack of another queue.
    @discardableResult
    public func publish(_ packs: EncodedPacks) async -> PublishedPacks {
        guard packs.count > 0 else { return PublishedPacks() }
        reach(.beforePublish)
        let began = ContinuousClock.now
        let messages = packs.messages(on: timelines?.current?.description)
        var total = PublishedPacks()
        // The group ends when every queue has answered, or when its time-out has passed.
        await withTaskGroup(of: PublishedPacks.self) { group in
            for indices in packs.byQueue {
                group.addTask {
                    let results = await watch.publish(indices.map { messages[$0] }, by: publisher)
                    reach(.afterPublish)
                    return await note(zip(indices, results).map { ($0, $1) }, of: packs, messages, publishedAt: began)
                }
            }
            for await part in group { total.add(part) }
        }
        return total
    }

    private func note(
        _ answers: [(index: Int, result: PublishResult)], of packs: EncodedPacks, _ messages: [OutgoingMessage],
        publishedAt: ContinuousClock.Instant
    ) async -> PublishedPacks {
        var confirmed: [PackID] = []
        var refused: [Lane: [RefusedPack]] = [:]
        for (index, result) in answers {
            switch result {
            case .confirmed: confirmed.append(packs.ids[index])
            case .nacked:
                refused[packs.lanes[index], default: []]
                    .append(RefusedPack(id: packs.ids[index], message: messages[index], publishedAt: publishedAt))
            case .returned, .failed: break
            }
        }
        await notes.note(confirmed)
        metrics.packsConfirmed.add(confirmed.count)
        var kept = 0
        for lane in Lane.allCases {
            if let packs = refused[lane] { kept += await (lane == .urgent ? urgent : bulk).keep(packs) }
        }
        return PublishedPacks(confirmed: confirmed.count, kept: kept, left: answers.count - confirmed.count - kept)
    }

    /// Records the confirms of the last moment. Call it before looking for unconfirmed packs.
    public func noteConfirms() async {
        await notes.write()
    }

    /// Leaves refused packs to a releaser, and records the last confirms. Call it before the publisher is closed.
    public func close() async {
        await urgent.close()
        await bulk.close()
        await notes.write()
    }
}

/// The result of publishing packs, as numbers of packs.
public struct PublishedPacks: Sendable, Hashable {
    public var confirmed: Int
    /// Refused packs that this process publishes again.
    public var kept: Int
    /// Packs that only a releaser publishes again.
    public var left: Int

    public init(confirmed: Int = 0, kept: Int = 0, left: Int = 0) {
        self.confirmed = confirmed
        self.kept = kept
        self.left = left
    }

    fileprivate mutating func add(_ part: PublishedPacks) {
        confirmed += part.confirmed
        kept += part.kept
        left += part.left
    }
}

/// Packs in the form in which they go to the broker. Their entries are then no longer in memory, which saves half of a pack's memory.
public struct EncodedPacks: Sendable {
    let ids: [PackID]
    let lanes: [Lane]
    private let messages: [OutgoingMessage]
    /// The bytes of all bodies together.
    public let bytes: Int

    public var count: Int { ids.count }
    /// The positions of the packs of each queue, in their order.
    var byQueue: [[Int]] { Array(Dictionary(grouping: messages.indices) { messages[$0].routingKey }.values) }

    public init(_ packs: [Pack]) {
        ids = packs.map(\.id)
        lanes = packs.map(\.lane)
        messages = packs.map { pack in
            OutgoingMessage(
                exchange: QueueNames.deliverExchange, routingKey: pack.queueName, body: pack.encode(), contentType: Pack.contentType,
                messageID: pack.id.description)
        }
        bytes = messages.reduce(0) { $0 + $1.body.count }
    }

    /// The messages with the publisher's timeline in a header, so that a worker with an old primary learns of a later one.
    fileprivate func messages(on timeline: String?) -> [OutgoingMessage] {
        guard let timeline else { return messages }
        return messages.map { message in
            var message = message
            message.headers[QueueNames.timelineHeader] = .string(timeline)
            return message
        }
    }
}
