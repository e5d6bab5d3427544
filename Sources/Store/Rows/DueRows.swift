import TidingsCore
import TidingsPostgres

/// Rows of `tidings.due`: deliveries that wait for a time.
struct DueRows {
    private(set) var count = 0
    private var notificationIDs: [PostgresUUID] = []
    private var ordinals: [Int16] = []
    private var lanes: [String] = []
    private var dueAt: [PostgresTimestamp] = []
    private var kinds: [String] = []
    private var tenants: [String] = []
    private var channels: [String] = []
    private var providers: [String] = []
    private var endpoints: [String?] = []
    private var attempts: [Int16] = []
    private var reasons: [String] = []
    private var pauses: [Int64?] = []

    /// - Parameter pause: the id of the pause for which the delivery waits. `time` is then the latest time at which the delivery is judged
    ///   again.
    mutating func add(
        _ id: NotificationID, ordinal: Int, lane: Lane, at time: Timestamp, kind: DueKind, tenant: String, channel: Channel,
        provider: String, endpoint: String?, attempt: Int, reason: ReasonCode, pause: Int? = nil
    ) {
        count += 1
        notificationIDs.append(id.uuid)
        ordinals.append(Int16(ordinal))
        lanes.append(lane.rawValue)
        dueAt.append(time.timestamptz)
        kinds.append(kind.rawValue)
        tenants.append(tenant)
        channels.append(channel.rawValue)
        providers.append(provider)
        endpoints.append(endpoint)
        attempts.append(Int16(attempt))
        reasons.append(reason.rawValue)
        pauses.append(pause.map(Int64.init))
    }

    /// Nil if there is nothing to insert.
    var insert: SQL? {
        guard count > 0 else { return nil }
        return Self.insert(
            pause: "pause_id",
            from: """
                unnest(\(notificationIDs), \(ordinals), \(lanes), \(dueAt), \(kinds), \(tenants), \(channels), \(providers), \(endpoints),
                    \(attempts), \(reasons), \(pauses))
                    as due(notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, pause_id)
                """)
    }

    /// The expression for a delivery that is due at once.
    static let now: SQL = "(select tidings.clock())"

    /// The only INSERT into `tidings.due`. It adds a row for each row of `source`, waiting from now. Each parameter is an expression over
    /// `source`, by default the column of the same name.
    static func insert(
        at time: SQL = "due_at", kind: SQL = "kind", channel: SQL = "channel", endpoint: SQL = "endpoint", attempt: SQL = "attempt",
        reason: SQL = "reason", pause: SQL = "null", from source: SQL
    ) -> SQL {
        """
        insert into tidings.due
            (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, pause_id, since)
        select notification_id, ordinal, lane, \(time), \(kind), tenant, \(channel), provider, \(endpoint), \(attempt), \(reason), \(pause), \(now)
        from \(source)
        """
    }
}
