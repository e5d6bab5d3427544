public import TidingsCore
public import TidingsJSON
import TidingsPostgres

extension Store {
    /// The time for which the row of a finished erasure is kept: the proof that it was asked for and done.
    public static let erasuresKept = Duration.seconds(1_096 * 86_400)
    /// Tombstones, ids and finished erasures that one turn deletes.
    package static let tombstonePruneBatch: Int64 = 5_000
}

/// Requests for erasures, and their progress. ``Store/Erasures/advance(_:)`` does the work.
extension Store.Erasures {
    /// Asks for the erasure of a person, and sets the tombstone. From this commit on, no router takes anything for the person, and no worker
    /// claims a delivery of the person. A worker that has looked before may still begin a call until its look is too old
    /// (``PackClaims/needsAnotherLook(at:)``), and the erasure waits for it. A person of whom nothing is stored gets a tombstone too, because
    /// an event may still be on its way.
    ///
    /// While an erasure of the person runs, its id is returned again and nothing changes.
    ///
    /// - Parameter author: the key or the user who asks. It is kept for ``Store/erasuresKept``.
    public func request(of person: RecipientKey, by author: String) async throws -> NotificationID {
        let id = clock.nextID()
        // Read committed: a request that waited for the lock must see the erasure of the other one.
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var trip = RoundTrip(running: [Self.lockErasures(of: person)])
            let earlier = trip.ask(
                .first(
                    """
                    select e.id from tidings.erased_people t join tidings.erasures e on e.id = t.erasure
                    where t.person_hash = tidings.person_hash(\(person.tenant), \(person.id)) and (e.state = 'running' or e.id = \(id.uuid))
                    """
                ) { try $0.decode(NotificationID.self) })
            if let running = try await transaction.send(trip)[earlier] { return running }
            try await transaction.pipeline([
                """
                insert into tidings.erasures (id, tenant, recipient_id, step, requested_at, requested_by, due_at)
                values (\(id.uuid), \(person.tenant), \(person.id), \(ErasureStep.transactions.rawValue), tidings.clock(), \(author),
                    tidings.clock())
                """,
                """
                insert into tidings.erased_people (person_hash, erasure, erased_at)
                values (tidings.person_hash(\(person.tenant), \(person.id)), \(id.uuid), tidings.clock())
                on conflict (person_hash) do update set erasure = excluded.erasure, erased_at = excluded.erased_at
                """,
            ])
            return id
        }
    }

    /// Two requests for one person wait for each other.
    static func lockErasures(of person: RecipientKey) -> SQL {
        "select pg_advisory_xact_lock(hashtextextended('tidings.erasure/' || \(person.tenant) || '/' || \(person.id), 0))"
    }

    /// The row of `tidings_ops.erasures`. A member of `tidings_ops_read` may ask.
    ///
    /// - Parameter tenant: the tenant that the caller may see. Nil: every tenant.
    /// - Returns: Nil if there is no such erasure, if it belongs to another tenant, or if it is past ``erasuresKept``.
    public func row(_ id: NotificationID, tenant: String?) async throws -> JSON? {
        try await store.report(
            """
            select * from tidings_ops.erasures e where e.erasure_id = \(id.uuid) and (\(tenant) is null or e.tenant = \(tenant))
            """
        ).first
    }

    /// The latest erasures, the newest first.
    public func list(limit: Int) async throws -> [JSON] {
        try await store.report("select * from tidings_ops.erasures e order by e.erasure_id desc limit \(Int64(limit))")
    }

    /// Whether a person has a tombstone.
    public func isErased(_ person: RecipientKey) async throws -> Bool {
        try await pool.query(Tombstones.isErased(person))
    }

    /// Deletes tombstones and ids after twice the retention, as idempotency keys: no queue and no replay keeps an older event. Deletes
    /// finished erasures after ``erasuresKept``. The tombstone of an erasure that runs stays.
    ///
    /// - Returns: False if there were none.
    public func prune(retention: Duration) async throws -> Bool {
        let old: SQL = "(select tidings.clock() - make_interval(secs => \(Double(retention.components.seconds) * 2)))"
        let kept = Double(Store.erasuresKept.components.seconds)
        return try await pool.transaction { transaction in
            var trip = RoundTrip(running: [Store.byIndex])
            let deletions: [SQL] = [
                """
                delete from tidings.erased_people where person_hash = any(array(
                    select t.person_hash from tidings.erased_people t where t.erased_at < \(old)
                        and not exists (select from tidings.erasures e where e.id = t.erasure and e.state = 'running')
                    limit \(Store.tombstonePruneBatch)))
                """,
                """
                delete from tidings.erased_notifications where ctid = any(array(
                    select ctid from tidings.erased_notifications where erased_at < \(old)
                    limit \(Store.tombstonePruneBatch) for update skip locked))
                """,
                """
                delete from tidings.erasures where id = any(array(
                    select id from tidings.erasures where state = 'done'
                        and id < (select tidings.first_id(tidings.clock() - make_interval(secs => \(kept))))
                    limit \(Store.tombstonePruneBatch)))
                """,
            ]
            let counts = deletions.map { trip.ask(.count($0)) }
            let found = try await transaction.send(trip)
            return try counts.contains { try found[$0] > 0 }
        }
    }
}
