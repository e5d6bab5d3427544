public import TidingsCore
import TidingsPostgres

/// The result of a cancel, for each delivery that had not ended.
public enum CancelResult: String, Sendable, Hashable {
    /// The delivery will not be sent.
    case cancelled
    /// A worker has claimed the delivery and may send it at this moment.
    case inFlight
    /// A device has the notification in its plan and is told to forget it. The delivery is cancelled if the device confirms that before the
    /// notification's time.
    case onDevice
}

extension Store {
    /// The largest number of looks at both places. A delivery escapes a look only if it moves during the look. To escape ten looks, a
    /// worker would have to give it back, and a releaser to take it, ten times within milliseconds.
    package static let cancelLooks = 10
}

extension Store.Operations {
    /// Cancels the deliveries that no worker has claimed. Returns a result for every delivery that had not ended. Nil if there is no such
    /// notification. A delivery with the result `cancelled` is never sent afterwards.
    ///
    /// A delivery may move between `due` and a pack during the search. So each look is a statement of its own: it waits for the transaction
    /// that moves the delivery, and then sees the new place. The looks are repeated until every planned delivery is found.
    public func cancel(_ id: NotificationID, reason: ReasonCode) async throws -> [Int: CancelResult]? {
        try await pool.transaction(retryAmbiguous: true) { transaction in
            let known: SQL = "select planned from tidings.notifications where id = \(id.uuid) for update"
            guard let planned = try await transaction.query(.first(known) { try $0.decode(Int16.self) }) else {
                // The notification's day was dropped. A device may still have the notification in its plan, scheduled for a later time.
                let planned = try await store.localPlans.cancelPlanned(id, reason, in: transaction)
                return planned.isEmpty ? nil : planned
            }
            var results: [Int: CancelResult] = [:]
            for _ in 0..<Store.cancelLooks {
                for ordinal in try await cancelWaiting(id, reason, in: transaction) { results[ordinal] = .cancelled }
                for (ordinal, result) in try await cancelQueued(id, reason, in: transaction) { results[ordinal] = result }
                if try await hasFound(Int(planned), of: id, inFlight: results, in: transaction) { break }
            }
            return results.merging(try await store.localPlans.cancelPlanned(id, reason, in: transaction)) { result, _ in result }
        }
    }

    /// Cancels the deliveries in `due`. Waits for a releaser that holds one of the rows. A delivery that this releaser moved is in a pack
    /// afterwards.
    private func cancelWaiting(_ id: NotificationID, _ reason: ReasonCode, in transaction: PostgresTransaction) async throws -> [Int] {
        let cancelling: SQL = """
            with gone as (
                delete from tidings.due where notification_id = \(id.uuid) returning *
            ), ended as (
                \(EndedRow.insert(from: "gone", setting: [.state: "'cancelled'", .reason: "\(reason.rawValue)", .attempts: "attempt - 1"]))
                returning ordinal, tenant, channel, state, reason
            ), counted as (
                \(TallyRows.insertEnded("ended"))
            )
            select ordinal from ended
            """
        return try await transaction.query(.rows(cancelling) { try $0.decode(Int.self) })
    }

    /// Cancels the deliveries in packs. Locks the packs first, in a statement of its own: it waits for a worker that claims, settles or
    /// delivers one of the packs. Until the end of this transaction no worker can do so.
    private func cancelQueued(
        _ id: NotificationID, _ reason: ReasonCode, in transaction: PostgresTransaction
    ) async throws -> [(ordinal: Int, CancelResult)] {
        let packs = try await transaction.query(
            .rows("select id from tidings.packs where notification_ids @> array[\(id.uuid)] order by id for update") {
                try $0.decode(PostgresUUID.self)
            })
        guard !packs.isEmpty else { return [] }
        var trip = RoundTrip()
        let members = trip.ask(Self.membersInPacks(packs, of: id))
        trip.run(Self.endInPacks(packs, of: id, reason))
        trip.run("delete from tidings.packs where id = any(\(packs)) and cardinality(notification_ids) = 0")
        return try await transaction.send(trip)[members]
    }

    private static func membersInPacks(
        _ packs: [PostgresUUID], of id: NotificationID
    ) -> Statement<[(ordinal: Int, CancelResult)]> {
        let query: SQL = """
            select m.ordinal, p.claimed_at is not null
            from tidings.packs p cross join lateral unnest(p.notification_ids, p.ordinals) as m(notification_id, ordinal)
            where p.id = any(\(packs)) and m.notification_id = \(id.uuid)
            """
        return .rows(query) { row in
            let (ordinal, isClaimed) = try row.decode((Int, Bool).self)
            return (ordinal, isClaimed ? .inFlight : .cancelled)
        }
    }

    private static func endInPacks(_ packs: [PostgresUUID], of id: NotificationID, _ reason: ReasonCode) -> SQL {
        """
        with unclaimed as (
            select * from tidings.packs where id = any(\(packs)) and claimed_at is null
        ), member as (
            select m.notification_id, m.ordinal, m.attempt, n.tenant, p.channel, p.provider
            from unclaimed p
            cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts) as m(notification_id, ordinal, attempt)
            join tidings.notifications n on n.id = m.notification_id
            where m.notification_id = \(id.uuid)
        ), ended as (
            \(EndedRow.insert(
                from: "member",
                setting: [.endpoint: "null", .state: "'cancelled'", .reason: "\(reason.rawValue)", .attempts: "attempt - 1"]))
            returning tenant, channel, state, reason
        ), counted as (
            \(TallyRows.insertEnded("ended"))
        )
        update tidings.packs p set (notification_ids, ordinals, attempts) = (
            select coalesce(array_agg(m.id order by m.position), '{}'), coalesce(array_agg(m.ordinal order by m.position), '{}'),
                coalesce(array_agg(m.attempt order by m.position), '{}')
            from unnest(p.notification_ids, p.ordinals, p.attempts) with ordinality as m(id, ordinal, attempt, position)
            where m.id <> \(id.uuid)
        ) from unclaimed u where p.id = u.id
        """
    }

    /// Whether every planned delivery has ended or is held by a worker.
    private func hasFound(
        _ planned: Int, of id: NotificationID, inFlight results: [Int: CancelResult], in transaction: PostgresTransaction
    ) async throws -> Bool {
        let ended = Set(
            try await transaction.query(
                .rows("select ordinal from tidings.deliveries where notification_id = \(id.uuid)") { try $0.decode(Int.self) }))
        return (0..<planned).allSatisfy { ended.contains($0) || results[$0] == .inFlight }
    }
}
