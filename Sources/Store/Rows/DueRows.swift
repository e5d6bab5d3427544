import TidingsCore
import TidingsPostgres

/// Why a delivery waits in `tidings.due`.
public enum DueKind: String, Sendable, Hashable {
    /// Quiet hours or a schedule.
    case held
    /// The next attempt after one that failed.
    case retry
    /// Its worker stopped answering, or its pack was too old to send.
    case recover
    /// A later channel of `escalate`, waiting for the end of an earlier one.
    case escalation
    /// Its provider gave it up, and the next in the market's order is to take over.
    case failover
    /// An operator's retry: from the start, by whichever provider goes first.
    case again
}

/// Rows of `tidings.due`: what waits for its time.
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

    /// `pause` is the id of the one it waits for; its time then only says when to look again whatever is paused.
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

    /// Nil when there is nothing to insert.
    var insert: SQL? {
        guard count > 0 else { return nil }
        return """
            insert into tidings.due
                (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, pause_id, since)
            select *, (select tidings.clock()) from unnest(\(notificationIDs), \(ordinals), \(lanes), \(dueAt), \(kinds), \(tenants), \(channels),
                \(providers), \(endpoints), \(attempts), \(reasons), \(pauses))
            """
    }
}
