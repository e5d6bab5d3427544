import TidingsCore
import TidingsPostgres

/// A row of `tidings.deliveries`: a delivery that has ended, written once.
struct EndedRow: TableRow {
    var id: NotificationID
    var ordinal: Int
    var tenant: String
    var channel: Channel
    var provider: String
    var endpoint: String?
    var state: DeliveryState
    var reason: ReasonCode
    var attempts: Int
    /// The provider's id of the message.
    var providerMessageID: String?

    /// The only INSERT into `tidings.deliveries` is that of this table. A row has ended now. The caller has made sure that no delivery of an
    /// INSERT of rows has ended before.
    static let table = Table<EndedRow>(
        "tidings.deliveries",
        personal: [.endpoint, .providerMessageID],
        other: [
            Column("notification_id", \.id), Column(smallint: "ordinal", \.ordinal), Column("tenant", \.tenant), .channel,
            Column("provider", \.provider), .state, .reason, .attempts,
        ], computing: ["ended_at": "(select tidings.clock())"])
}

extension Column<EndedRow> {
    static var channel: Column { Column("channel", \.channel) }
    static var endpoint: Column { Column("endpoint", \.endpoint) }
    static var state: Column { Column("state", \.state) }
    static var reason: Column { Column("reason", \.reason) }
    static var attempts: Column { Column(smallint: "attempts", \.attempts) }
    static var providerMessageID: Column { Column("provider_message_id", \.providerMessageID, otherwise: "null") }
}
