import TidingsCore
import TidingsPostgres

/// The counts of intents taken, deliveries planned and deliveries ended in one transaction. They are appended in that same transaction, so
/// adding them up shows whether an intent or delivery was lost.
struct TallyRows {
    enum Kind: String, Sendable {
        /// Recipients of intents that were taken from the broker.
        case taken
        /// The taken recipients by result: a new notification, a notification that exists already, or a refusal.
        case accepted, duplicate, rejected
        /// The deliveries of accepted notifications.
        case planned
        /// The planned deliveries that have ended, in any state.
        case ended
    }

    private struct Key: Hashable, Sendable {
        var kind: Kind
        var tenant = ""
        var channel = ""
        var state = ""
        var reason = ""
    }

    private var counts: [Key: Int] = [:]

    mutating func add(_ kind: Kind, _ count: Int = 1) {
        if count != 0 { counts[Key(kind: kind), default: 0] += count }
    }

    /// Counts a recipient that was taken and dropped as ``ReasonCode/recipientErased``. It is no row of `tidings.rejected`.
    mutating func addErased() {
        counts[Key(kind: .rejected, reason: ReasonCode.recipientErased.rawValue), default: 0] += 1
    }

    mutating func addEnded(tenant: String, channel: Channel, state: DeliveryState, reason: ReasonCode) {
        counts[
            Key(kind: .ended, tenant: tenant, channel: channel.rawValue, state: state.rawValue, reason: reason.rawValue), default: 0] += 1
    }

    /// Nil if nothing was counted.
    var insert: SQL? {
        guard !counts.isEmpty else { return nil }
        return Self.insert("select kind, tenant, channel, state, reason, n from " + Array(counts).relation("told", Self.columns))
    }

    private static let columns: [Column<Dictionary<Key, Int>.Element>] = [
        Column("kind", \.key.kind.rawValue), Column("tenant", \.key.tenant), Column("channel", \.key.channel),
        Column("state", \.key.state), Column("reason", \.key.reason), Column(bigint: "n", \.value),
    ]

    /// The only INSERT into `tidings.tally`.
    private static func insert(_ rows: SQL) -> SQL { "insert into tidings.tally (kind, tenant, channel, state, reason, n) \(rows)" }

    /// Counts ended deliveries: the rows `tenant, channel, state, reason` of the relation `ended`. The rows of `undone` no longer count as
    /// ended, such as deliveries that an operator retries.
    static func insertEnded(_ ended: SQL? = nil, undone: SQL? = nil) -> SQL {
        func counted(_ relation: SQL, _ n: SQL) -> SQL {
            "select 'ended', tenant, channel, state, reason, \(n) from \(relation) group by tenant, channel, state, reason"
        }
        let parts = [ended.map { counted($0, "count(*)") }, undone.map { counted($0, "-count(*)") }].compactMap { $0 }
        return insert(parts.dropFirst().reduce(parts[0]) { "\($0) union all \($1)" })
    }
}
