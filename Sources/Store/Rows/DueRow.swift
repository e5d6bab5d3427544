import TidingsCore
import TidingsPostgres

/// Why a delivery waits in `tidings.due`.
public enum DueKind: String, Sendable, Hashable, CaseIterable {
    /// The delivery waits for its scheduled time, or for the end of quiet hours or of a pause. In an unknown time zone, it waits for the
    /// zone data.
    case held
    /// The delivery waits for its next attempt after a failed one.
    case retry
    /// The worker of the delivery stopped answering, or its pack was too old to send.
    case recover
    /// A later channel of `escalate` waits for the end of an earlier one.
    case escalation
    /// The provider failed with the delivery or was skipped. The next provider in the market's order takes it over.
    case failover
    /// An operator retries the delivery from the start, at the provider that comes first.
    case again
}

/// A row of `tidings.due`: a delivery that waits for a time.
struct DueRow: TableRow, Equatable {
    var id: NotificationID
    var ordinal: Int
    var lane: Lane
    /// The time for which the delivery waits. With a pause, the latest time at which it is judged again.
    var time: Timestamp
    var kind: DueKind
    var tenant: String
    var channel: Channel
    var provider: String
    var endpoint: String?
    var attempt: Int
    var reason: ReasonCode
    /// The id of the pause for which the delivery waits.
    var pause: Int?

    /// The only INSERT into `tidings.due` is that of this table. A row waits from now.
    static let table = Table<DueRow>(
        "tidings.due",
        personal: [.endpoint],
        other: [
            Column("notification_id", \.id), Column(smallint: "ordinal", \.ordinal), Column("lane", \.lane), .time, .kind,
            Column("tenant", \.tenant), .channel, Column("provider", \.provider), .attempt, .reason,
            Column(bigint: "pause_id", \.pause, otherwise: "null"),
        ], computing: ["since": now])

    /// The time of a delivery that is due at once.
    static let now: SQL = "(select tidings.clock())"
}

extension DueRow {
    /// The columns that ``init(_:)`` reads, of the table alias `w`.
    static let columns = table.list(of: "w")

    /// Reads ``columns`` by name. The row may have other columns.
    init(_ row: PostgresRow) throws {
        id = try row.decode("notification_id")
        ordinal = try row.decode("ordinal")
        lane = try row.decode("lane")
        time = try row.decode("due_at")
        kind = try row.decode("kind")
        tenant = try row.decode("tenant")
        channel = try row.decode("channel")
        provider = try row.decode("provider")
        endpoint = try row.decode("endpoint")
        attempt = try row.decode("attempt")
        reason = try row.decode("reason")
        pause = try row.decode("pause_id")
    }

    /// The row of the same delivery that waits on after it was judged.
    func waiting(_ judged: PlannedDelivery, until time: Timestamp, kind: DueKind, reason: ReasonCode, pause: Int?) -> DueRow {
        var row = self
        (row.channel, row.provider, row.endpoint) = (judged.channel, judged.provider, judged.endpoint)
        (row.time, row.kind, row.reason, row.pause) = (time, kind, reason, pause)
        return row
    }
}

extension Column<DueRow> {
    static var time: Column { Column("due_at", \.time) }
    static var kind: Column { Column("kind", \.kind) }
    static var channel: Column { Column("channel", \.channel) }
    static var endpoint: Column { Column("endpoint", \.endpoint) }
    static var attempt: Column { Column(smallint: "attempt", \.attempt) }
    static var reason: Column { Column("reason", \.reason) }
}
