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

    /// The columns that ``init(_:)`` reads, of the table alias `n`.
    static let columns: SQL = """
        n.id, n.tenant, n.source, n.event_id, n.recipient_id, n.type, n.category, n.lane, \(Content.columns), n.market, n.critical,
            array_to_string(n.channels, ',') as channels, n.scheduled_for, n.expires_at, n.accepted_at, n.traceparent
        """

    /// Reads ``columns`` by name. The row may have other columns.
    init(_ row: PostgresRow) throws {
        id = try row.decode("id")
        category = try row.decode("category")
        lane = try row.decode("lane")
        acceptedAt = try row.decode("accepted_at")
        expiresAt = try row.decode("expires_at")
        intent = Intent(
            tenant: try row.decode("tenant"), source: try row.decode("source"), id: try row.decode("event_id"),
            type: try row.decode("type"), recipient: try row.decode("recipient_id"),
            content: try Content(row: row))
        intent.market = try row.decode("market")
        intent.critical = try row.decode("critical")
        intent.channels = try row.decode("channels", as: String?.self)?.split(separator: ",").map { name in
            guard let channel = Channel(rawValue: String(name)) else {
                throw PostgresError.decoding("channel \(name) is not known to this version")
            }
            return channel
        }
        intent.scheduledFor = try row.decode("scheduled_for")
        intent.expiresAt = expiresAt
        intent.traceparent = try row.decode("traceparent")
    }

    /// Returns the pack entry for one of its deliveries.
    func entry(
        ordinal: Int, attempt: Int, endpoint: String?, decidedAt: Timestamp, validUntil: Timestamp, standby: Standby = .nobody,
        mayHaveArrived: Bool = false
    ) -> PackEntry {
        let header = DeliveryHeader(
            of: intent, id: id, ordinal: ordinal, attempt: attempt, category: category, createdAt: acceptedAt, expiresAt: expiresAt)
        return PackEntry(
            header: header, content: intent.content, endpoint: endpoint, decidedAt: decidedAt, validUntil: validUntil,
            escalates: intent.critical, hasStandby: standby != .nobody, waitsForProvider: mayHaveArrived || standby == .passedOver)
    }
}
