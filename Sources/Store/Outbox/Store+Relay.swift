public import TidingsCore
package import TidingsPostgres

/// An event that a producer enqueued in its own transaction.
public struct EnqueuedEvent: Sendable {
    let rowID: PostgresUUID
    public let type: String
    /// A structured CloudEvent as JSON text.
    public let event: String
    /// The database role that called `tidings_api.enqueue`. Nil for an event from before this was recorded.
    public let producer: String?

    /// The id of the row, the same for every try to publish the event.
    public var id: String { NotificationID(rowID).description }
}

/// The part of the outbox that one loop of a relay publishes.
public enum OutboxPart: Sendable, CaseIterable {
    /// Events tried at most ``Store/outboxTries`` times.
    case fresh
    /// Events tried more often. They have their own loop, so they delay no other event.
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
    /// The position of the last event, where the next turn may continue. Nil if no event waits.
    public var last: OutboxPosition?
    /// Whether the turn took as many events as it may. Then more may wait.
    public var isFull = false
}

extension Store {
    /// The seconds for which claimed events belong to their relay. Publishing takes milliseconds. A relay that died delays its events by
    /// this time. If the wait for the broker is longer, two relays may publish one event, and its id makes the second a duplicate.
    public static let outboxLeaseSeconds = 10
    /// The tries of one event in the loop of fresh events. An event that the broker refused more often is tried every 10 s.
    public static let outboxTries = 10
    /// The largest number of tries that is counted, because `tidings_ops.outbox` looks at each count by itself.
    static let outboxCountedTries = 1_000
}

extension Store.Outbox {
    /// Claims at most `limit` events for `relay`, in the order of tries and age. Returns them up to the first event with which their sum
    /// reaches `bytes`. A claim replaces the relay's former claim and holds no lock. Other relays skip these events until the lease ends or
    /// the relay claims again.
    ///
    /// A claim is one narrow row for each relay and turn. A lease in the event's own row would rewrite the whole event and its three index
    /// entries in every turn.
    ///
    /// - Parameter limit: at most 400. So many ids fit into the row of the claim.
    /// - Parameter position: the place to begin, nil for the first event. Starting there skips the index entries of events that are already
    ///   published. These entries stay until the table is vacuumed. While any snapshot is older, they cannot even be marked as dead.
    public func claimEvents(
        _ part: OutboxPart, relay: NotificationID, after position: OutboxPosition?, limit: Int, bytes: Int
    ) async throws -> OutboxTurn {
        var trip = RoundTrip(running: [Self.turnBegins])
        let claim = Self.eventClaim(part, relay: relay, after: position, limit: limit)
        let claimed = trip.ask(
            .rows(claim) { row in
                let (attempts, createdAt, id, size) = try row.decode((Int32, PostgresTimestamp, PostgresUUID, Int32).self)
                return (at: OutboxPosition(attempts: attempts, createdAt: createdAt, id: id), size: Int(size))
            })
        let found = try await pool.send(trip)[claimed]
        var turn = OutboxTurn()
        var (ids, weight): ([PostgresUUID], Int) = ([], 0)
        for event in found where weight < bytes {
            turn.last = event.at
            ids.append(event.at.id)
            weight += event.size
        }
        turn.isFull = found.count == limit || ids.count < found.count
        guard !ids.isEmpty else { return turn }
        let events: SQL = "select id, type, event, producer from tidings.outgoing where id = any(\(ids)) order by attempts, created_at, id"
        turn.events = try await pool.query(
            .rows(events) { row in
                let (id, type, event, producer) = try row.decode((PostgresUUID, String, String, String?).self)
                return EnqueuedEvent(rowID: id, type: type, event: event, producer: producer)
            })
        return turn
    }

    /// Runs before the claim, in its transaction. The lock keeps two relays from claiming at once, because they would not see each other's
    /// row. The settings keep the planner on the index. If it expected only a few rows, it might otherwise fetch all rows and sort them.
    package static let turnBegins: SQL = """
        select pg_advisory_xact_lock(hashtextextended('tidings.outbox', 0)), set_config('enable_sort', 'off', true),
            set_config('enable_bitmapscan', 'off', true)
        """

    /// The claim of a turn. It walks the index `outgoing_turn` from the position to the last event that it takes, however many events wait
    /// behind.
    ///
    /// The row locks last for the transaction of this statement. A relay of the previous release locks the events that it publishes, and
    /// this statement skips them.
    package static func eventClaim(_ part: OutboxPart, relay: NotificationID, after position: OutboxPosition?, limit: Int) -> SQL {
        let tries = Int32(Store.outboxTries)
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
                select \(relay.uuid), array_agg(p.id), (select tidings.clock()) + make_interval(secs => \(Double(Store.outboxLeaseSeconds)))
                from picked p having count(*) > 0
                on conflict (relay) do update set ids = excluded.ids, lease_until = excluded.lease_until
            )
            select p.attempts, p.created_at, p.id, p.size from picked p
            """
    }

    /// Deletes the events that the broker confirmed. Moves the events that it refused behind all events with fewer tries.
    public func settleEvents(confirmed: [EnqueuedEvent], refused: [EnqueuedEvent]) async throws {
        _ = try await pool.pipeline([
            "delete from tidings.outgoing where id = any(\(confirmed.map(\.rowID)))",
            """
            update tidings.outgoing set attempts = least(attempts + 1, \(Int32(Store.outboxCountedTries)))
            where id = any(\(refused.map(\.rowID)))
            """,
        ])
    }

    /// Returns a relay's events at once when the relay stops.
    public func releaseEvents(relay: NotificationID) async throws {
        _ = try await pool.query("delete from tidings.outgoing_claims where relay = \(relay.uuid)")
    }
}

extension OutboxPosition {
    /// The position before every event with this number of tries.
    fileprivate init(beforeAttempts attempts: Int32) {
        self.init(attempts: attempts, createdAt: .minusInfinity, id: PostgresUUID(high: 0, low: 0))
    }
}
