public import TidingsContracts
public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// An event somebody has just published and waits for, as its router will read it.
public struct PublishedEvent: Sendable {
    public var source: String
    public var id: String
    /// The database's clock before it was published: what is older answers an earlier event of the same id.
    public var since: Timestamp
    /// One for each recipient; empty when the event will be refused.
    public var intents: [DecodedIntent]

    public init(source: String, id: String, since: Timestamp, intents: [DecodedIntent]) {
        self.source = source
        self.id = id
        self.since = since
        self.intents = intents
    }
}

extension Store {
    /// The notifications that stand for the event: those it made, and of a duplicate those there were. One that an earlier event made of the
    /// same id with other content does not count: a rejection will answer instead.
    public func notificationIDs(of event: PublishedEvent) async throws -> [NotificationID] {
        try await pool.query(
            """
            select distinct n.id from unnest(\(event.intents.map(\.idempotencyKey.uuid)), \(event.intents.map(\.contentHash.uuid))) as asked(key, hash)
            join tidings.idempotency_keys i on i.key = asked.key and i.content_hash = asked.hash
            join tidings.notifications n on n.id = i.notification_id order by n.id
            """
        ).rows.map { try $0.decode(NotificationID.self) }
    }

    /// Why the event was refused, if it was.
    public func rejection(of event: PublishedEvent) async throws -> JSON? {
        try await report(
            """
            select rejected_id, reason_code, pointer, message from tidings_ops.rejected r
            where r.event_id = \(event.id) and r.source = \(event.source) and r.last_at >= \(event.since.timestamptz)
            order by r.last_at desc limit 1
            """
        ).first
    }
}
