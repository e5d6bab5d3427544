public import TidingsCore
package import TidingsPostgres

/// An event that a producer enqueued in its own transaction.
public struct EnqueuedEvent: Sendable {
    let rowID: PostgresUUID
    public let type: String
    /// A structured CloudEvent, JSON text.
    public let event: String
    /// The role of the database that called `tidings_api.enqueue`; nil for an event from before this was recorded.
    public let producer: String?

    /// Of the row; the same for every try to publish it.
    public var id: String { NotificationID(rowID).description }
}

/// The events that one loop of a relay publishes.
public enum OutboxPart: Sendable, CaseIterable {
    /// Tried at most ``Store/outboxTries`` times.
    case fresh
    /// Tried more often. They have a loop of their own and slow nobody else.
    case refused
}

/// A place in the order in which events are published.
public struct OutboxPosition: Sendable {
    let attempts: Int32
    let createdAt: PostgresTimestamp
    let id: PostgresUUID
}

/// The events of one turn, claimed by one relay.
public struct OutboxTurn: Sendable {
    public var events: [EnqueuedEvent] = []
    /// The last of them, from which the next turn may go on; nil when nothing waits.
    public var last: OutboxPosition?
    /// The turn took as many as it may: more may wait.
    public var isFull = false
}

extension Store {
    /// Seconds for which claimed events belong to their relay. Publishing takes milliseconds. A relay that died holds its events up for so
    /// long, and after a longer wait for the broker two relays may publish one event, which its id makes a duplicate.
    public static let outboxLeaseSeconds = 10
    /// Tries of one event among the others. An event that the broker refused more often is tried every ten seconds.
    public static let outboxTries = 10
    /// Tries that are counted: `tidings_ops.outbox` looks at each count by itself.
    static let outboxCountedTries = 1_000

    /// Claims up to `limit` events, of no more than `bytes` together and one, for `relay`, in the order of tries and age. A claim replaces
    /// the relay's former one and holds no lock: other relays pass over these events until its lease ends or the relay claims again.
    ///
    /// A claim is one narrow row for each relay and turn. A lease in the event's own row would write the whole event again, and its three
    /// index entries, for every turn.
    ///
    /// - Parameter limit: at most 400, whose ids fit the row of the claim.
    /// - Parameter position: where to begin; nil for the first event. Beginning there spares the index entries of events that are
    ///   published already: they stay until the table is vacuumed, and while any snapshot is older they cannot even be marked as dead.
    public func claimOutbox(
        _ part: OutboxPart, relay: NotificationID, after position: OutboxPosition?, limit: Int, bytes: Int
    ) async throws -> OutboxTurn {
        let answers = try await pool.pipeline([
            Self.outboxTurnBegins, Self.outboxClaim(part, relay: relay, after: position, limit: limit),
        ])
        var turn = OutboxTurn()
        var (ids, weight): ([PostgresUUID], Int) = ([], 0)
        let rows = answers[1].rows
        for row in rows where weight < bytes {
            let (attempts, createdAt, id, size) = try row.decode((Int32, PostgresTimestamp, PostgresUUID, Int32).self)
            turn.last = OutboxPosition(attempts: attempts, createdAt: createdAt, id: id)
            ids.append(id)
            weight += Int(size)
        }
        turn.isFull = rows.count == limit || ids.count < rows.count
        guard !ids.isEmpty else { return turn }
        turn.events = try await pool.query(
            "select id, type, event, producer from tidings.outgoing where id = any(\(ids)) order by attempts, created_at, id"
        ).rows.map { row in
            let (id, type, event, producer) = try row.decode((PostgresUUID, String, String, String?).self)
            return EnqueuedEvent(rowID: id, type: type, event: event, producer: producer)
        }
        return turn
    }

    /// Comes before the claim, in its transaction. Two relays that claimed at once would not see each other's row. And the planner shall not
    /// take the end of the index for a handful of rows, which it might fetch all and sort.
    package static let outboxTurnBegins: SQL = """
        select pg_advisory_xact_lock(hashtextextended('tidings.outbox', 0)), set_config('enable_sort', 'off', true),
            set_config('enable_bitmapscan', 'off', true)
        """

    /// The claim of a turn. It walks the index `outgoing_turn` from the position to the last event that it takes, whatever waits behind.
    ///
    /// The lock on the rows lasts for this statement's transaction. A relay of the release before locks what it publishes: this one passes over
    /// those events.
    package static func outboxClaim(_ part: OutboxPart, relay: NotificationID, after position: OutboxPosition?, limit: Int) -> SQL {
        let tries = Int32(outboxTries)
        let (start, end): (OutboxPosition, Int32) =
            switch part {
            case .fresh: (position ?? OutboxPosition(beforeAttempts: 0), tries)
            case .refused: (position ?? OutboxPosition(beforeAttempts: tries + 1), .max)
            }
        return """
            with picked as materialized (
                select o.attempts, o.created_at, o.id, octet_length(o.event) as size from tidings.outgoing o
                where (o.attempts, o.created_at, o.id) > (\(start.attempts), \(start.createdAt), \(start.id)) and o.attempts <= \(end)
                    and o.id not in (select unnest(c.ids) from tidings.outgoing_claims c
                        where c.relay <> \(relay.uuid) and c.lease_until > (select tidings.clock()))
                order by o.attempts, o.created_at, o.id limit \(Int64(limit)) for update of o skip locked
            ), claimed as (
                insert into tidings.outgoing_claims (relay, ids, lease_until)
                select \(relay.uuid), array_agg(p.id), (select tidings.clock()) + make_interval(secs => \(Double(outboxLeaseSeconds)))
                from picked p having count(*) > 0
                on conflict (relay) do update set ids = excluded.ids, lease_until = excluded.lease_until
            )
            select p.attempts, p.created_at, p.id, p.size from picked p
            """
    }

    /// Deletes the events that the broker confirmed, and puts those that it refused behind all that were tried less often.
    public func settleOutbox(confirmed: [EnqueuedEvent], refused: [EnqueuedEvent]) async throws {
        _ = try await pool.pipeline([
            "delete from tidings.outgoing where id = any(\(confirmed.map(\.rowID)))",
            """
            update tidings.outgoing set attempts = least(attempts + 1, \(Int32(Self.outboxCountedTries)))
            where id = any(\(refused.map(\.rowID)))
            """,
        ])
    }

    /// Gives a relay's events back at once: for a relay that stops.
    public func releaseOutbox(relay: NotificationID) async throws {
        _ = try await pool.query("delete from tidings.outgoing_claims where relay = \(relay.uuid)")
    }
}

extension OutboxPosition {
    /// Before every event with so many tries.
    fileprivate init(beforeAttempts attempts: Int32) {
        self.init(attempts: attempts, createdAt: .minusInfinity, id: PostgresUUID(high: 0, low: 0))
    }
}
