import TidingsCore
import TidingsPostgres

/// Rows of `tidings.deliveries`: deliveries that have ended, written once.
struct EndedRows {
    private(set) var count = 0
    private var notificationIDs: [PostgresUUID] = []
    private var ordinals: [Int16] = []
    private var tenants: [String] = []
    private var channels: [String] = []
    private var providers: [String] = []
    private var endpoints: [String?] = []
    private var states: [String] = []
    private var reasons: [String] = []
    private var attempts: [Int16] = []

    mutating func add(
        _ id: NotificationID, ordinal: Int, tenant: String, channel: Channel, provider: String, endpoint: String?, state: DeliveryState,
        reason: ReasonCode, attempts made: Int
    ) {
        count += 1
        notificationIDs.append(id.uuid)
        ordinals.append(Int16(ordinal))
        tenants.append(tenant)
        channels.append(channel.rawValue)
        providers.append(provider)
        endpoints.append(endpoint)
        states.append(state.rawValue)
        reasons.append(reason.rawValue)
        attempts.append(Int16(made))
    }

    /// Nil if there is nothing to insert. The caller has made sure that no delivery of these rows has ended before.
    var insert: SQL? {
        guard count > 0 else { return nil }
        return Self.insert(
            from: """
                unnest(\(notificationIDs), \(ordinals), \(tenants), \(channels), \(providers), \(endpoints), \(states), \(reasons), \(attempts))
                    as ended(notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts)
                """)
    }

    /// The only INSERT into `tidings.deliveries`. It adds a row for each row of `source`, ended now. Each parameter is an expression over
    /// `source`, by default the column of the same name.
    static func insert(
        channel: SQL = "channel", endpoint: SQL = "endpoint", state: SQL = "state", reason: SQL = "reason", attempts: SQL = "attempts",
        providerMessageID: SQL = "null", from source: SQL
    ) -> SQL {
        """
        insert into tidings.deliveries
            (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, provider_message_id, ended_at)
        select notification_id, ordinal, tenant, \(channel), provider, \(endpoint), \(state), \(reason), \(attempts), \(providerMessageID),
            (select tidings.clock())
        from \(source)
        """
    }
}
