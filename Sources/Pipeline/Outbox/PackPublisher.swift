public import TidingsAMQP
public import TidingsContracts
import TidingsCore
public import TidingsStore

/// Puts committed packs on their queues and records the broker's confirms.
///
/// An unconfirmed pack, for whatever reason, is left as it is. Its row shows this, and any releaser publishes it again. A message that
/// arrives twice is harmless, because a pack is claimed once.
public struct PackPublisher: Sendable {
    private let publisher: AMQPPublisher
    private let notes: ConfirmNotes

    public init(store: Store, publisher: AMQPPublisher, log: @escaping @Sendable (ConfirmEvent) -> Void = { _ in }) {
        self.publisher = publisher
        notes = ConfirmNotes(store: store, log: log)
    }

    /// Returns the number of packs that the broker confirmed.
    @discardableResult
    public func publish(_ packs: EncodedPacks) async -> Int {
        guard packs.count > 0 else { return 0 }
        passing(.beforePublish)
        let results = await publisher.publish(packs.messages)
        passing(.afterPublish)
        let confirmed = zip(packs.ids, results).compactMap { id, result in
            if case .confirmed = result { id } else { nil }
        }
        await notes.note(confirmed)
        return confirmed.count
    }

    /// Records the confirms of the last moment. Call it before the publishing stops, or before looking for unconfirmed packs.
    public func noteConfirms() async {
        await notes.write()
    }
}

/// Packs in the form in which they go to the broker. Their entries are then no longer in memory, which saves half of a pack's memory.
public struct EncodedPacks: Sendable {
    let ids: [PackID]
    let messages: [OutgoingMessage]
    /// The bytes of all bodies together.
    public let bytes: Int

    public var count: Int { ids.count }

    public init(_ packs: [Pack]) {
        ids = packs.map(\.id)
        messages = packs.map { pack in
            OutgoingMessage(
                exchange: QueueNames.deliverExchange, routingKey: pack.queueName, body: pack.encode(), contentType: Pack.contentType,
                messageID: pack.id.description)
        }
        bytes = messages.reduce(0) { $0 + $1.body.count }
    }
}
