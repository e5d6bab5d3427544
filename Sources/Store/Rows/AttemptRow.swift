import TidingsContracts
import TidingsCore

/// A row of `tidings.attempts`: one call to a provider.
struct AttemptRow: TableRow {
    var key: DeliveryKey
    var attempt: Int
    var channel: Channel
    var provider: String
    var outcome: String
    var reason: ReasonCode
    /// The provider's status.
    var status: Int?
    var detail: String?
    var possibleDuplicate: Bool
    var worker: String
    var startedAt: Timestamp
    var finishedAt: Timestamp
    /// Whether the outcome came after the lease had ended.
    var isLate = false
    /// The pack that the attempt belonged to. It is no column of the table.
    var pack: PackID?

    static let table = Table<AttemptRow>(
        "tidings.attempts",
        personal: [Column("detail", \.detail)],
        other: [
            Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal),
            Column(smallint: "attempt", \.attempt), Column("channel", \.channel), Column("provider", \.provider),
            Column("outcome", \.outcome), Column("reason", \.reason), Column(integer: "status", \.status),
            Column("possible_duplicate", \.possibleDuplicate), Column("idempotency_key", \.key.idempotencyKey),
            Column("worker", \.worker), Column("started_at", \.startedAt), Column("finished_at", \.finishedAt), .late,
        ])
}

extension Column<AttemptRow> {
    static var late: Column { Column("late", \.isLate) }
    static var pack: Column { Column("pack", \.pack) }
}
