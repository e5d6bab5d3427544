public import TidingsContracts
public import TidingsCore
public import TidingsJSON
import TidingsPostgres

/// An event that a command has just published and now waits for, decoded as its router will decode it.
public struct PublishedEvent: Sendable {
    public var source: String
    public var id: String
    /// The database's clock before the event was published. An older row belongs to an earlier event with the same id.
    public var since: Timestamp
    /// One intent for each recipient. Empty if the event will be refused.
    public var intents: [DecodedIntent]

    public init(source: String, id: String, since: Timestamp, intents: [DecodedIntent]) {
        self.source = source
        self.id = id
        self.since = since
        self.intents = intents
    }
}

extension Store.Operations {
    /// The ids of the notifications of the event. For a duplicate, these are the notifications of the earlier event.
    ///
    /// A notification of an earlier event with the same id and other content does not count: the router rejects such an event.
    public func notificationIDs(of event: PublishedEvent) async throws -> [NotificationID] {
        try await pool.query(
            """
            select distinct n.id from \(event.intents.relation("asked", Self.keyAndHash))
            join tidings.idempotency_keys i on i.key = asked.key and i.content_hash = asked.hash
            join tidings.notifications n on n.id = i.notification_id order by n.id
            """
        ).rows.map { try $0.decode(NotificationID.self) }
    }

    /// The number of recipients of the event whose intents a router dropped, because they name an erased person.
    public func droppedIntents(of event: PublishedEvent) async throws -> Int {
        let query: SQL = """
            select count(*) from \(event.intents.relation("asked", Self.keyAndHash))
            join tidings.idempotency_keys i on i.key = asked.key and i.content_hash = asked.hash
            join tidings.erased_notifications e on e.id = i.notification_id
            """
        return try await pool.query(.value(query))
    }

    private static let keyAndHash: [Column<DecodedIntent>] = [Column("key", \.idempotencyKey), Column("hash", \.contentHash)]

    /// The reason why the event was refused. Nil if it was not refused.
    public func rejection(of event: PublishedEvent) async throws -> JSON? {
        try await store.report(
            """
            select rejected_id, reason_code, pointer, message from tidings_ops.rejected r
            where r.event_id = \(event.id) and r.source = \(event.source) and r.last_at >= \(event.since.timestamptz)
            order by r.last_at desc limit 1
            """
        ).first
    }
}
