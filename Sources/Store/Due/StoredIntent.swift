import TidingsContracts
import TidingsCore
import TidingsPostgres

/// An accepted intent read back from its notification, to be judged or sent again.
struct StoredIntent {
    var id: NotificationID
    var intent: Intent
    var category: Category
    var lane: Lane
    var acceptedAt: Timestamp
    var expiresAt: Timestamp

    /// The columns that ``init(_:from:)`` reads, of the table alias `n`.
    static let columns: SQL = """
        n.id, n.tenant, n.source, n.event_id, n.recipient_id, n.type, n.category, n.lane, n.title, n.body, n.data, n.group_key,
            n.collapse_key, n.market, n.critical, array_to_string(n.channels, ','), n.scheduled_for, n.expires_at, n.accepted_at, n.traceparent
        """
    static let columnCount = 20

    /// ``bytes`` as the database counts them, of table alias `n`, without reading what it measures.
    static let bytesColumn: SQL = "octet_length(n.data) + coalesce(octet_length(n.title), 0) + coalesce(octet_length(n.body), 0)"

    /// Of what has no small limit of its own: nearly all that it takes in memory.
    var bytes: Int { intent.data.utf8.count + (intent.title?.utf8.count ?? 0) + (intent.body?.utf8.count ?? 0) }

    /// Reads the columns that start at `first`.
    init(_ row: PostgresRow, from first: Int) throws {
        id = NotificationID(try row.decode(first, as: PostgresUUID.self))
        expiresAt = Timestamp(try row.decode(first + 17, as: PostgresTimestamp.self))
        acceptedAt = Timestamp(try row.decode(first + 18, as: PostgresTimestamp.self))
        category = try row.decodeWord(first + 6)
        lane = try row.decodeWord(first + 7)
        intent = Intent(
            tenant: try row.decode(first + 1, as: String.self), source: try row.decode(first + 2, as: String.self),
            id: try row.decode(first + 3, as: String.self), type: try row.decode(first + 5, as: String.self),
            recipient: try row.decode(first + 4, as: String.self),
            content: Content(
                title: try row.decode(first + 8, as: String?.self), body: try row.decode(first + 9, as: String?.self),
                data: try row.decode(first + 10, as: String.self), groupKey: try row.decode(first + 11, as: String?.self),
                collapseKey: try row.decode(first + 12, as: String?.self)))
        intent.market = try row.decode(first + 13, as: String?.self)
        intent.critical = try row.decode(first + 14, as: Bool.self)
        intent.channels = try row.decode(first + 15, as: String?.self)?.split(separator: ",").map { name in
            guard let channel = Channel(rawValue: String(name)) else {
                throw PostgresError.decoding("channel \(name) is not known to this version")
            }
            return channel
        }
        intent.scheduledFor = try row.decode(first + 16, as: PostgresTimestamp?.self).map(Timestamp.init)
        intent.expiresAt = expiresAt
        intent.traceparent = try row.decode(first + 19, as: String?.self)
    }

    /// The entry of a pack for one of its deliveries.
    func entry(
        ordinal: Int, attempt: Int, endpoint: String?, decidedAt: Timestamp, validUntil: Timestamp, standby: Standby = .nobody,
        mayHaveArrived: Bool = false
    ) -> PackEntry {
        PackEntry(
            notificationID: id, ordinal: ordinal, attempt: attempt, tenant: intent.tenant, recipient: intent.recipient, type: intent.type,
            category: category, content: intent.content, endpoint: endpoint, traceparent: intent.traceparent, createdAt: acceptedAt,
            decidedAt: decidedAt,
            validUntil: validUntil, expiresAt: expiresAt, escalates: intent.critical, hasStandby: standby != .nobody,
            waitsForProvider: mayHaveArrived || standby == .passedOver)
    }
}
