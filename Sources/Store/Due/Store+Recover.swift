public import TidingsContracts
public import TidingsCore
import TidingsPostgres

/// The transaction that takes the packs of dead workers apart: ``take(limit:passingOver:before:)``, the caller's decision,
/// ``write(_:of:)``.
public struct RecoveryTransaction {
    fileprivate let store: Store
    fileprivate let transaction: PostgresTransaction
    fileprivate let asked: TakenRows<PackID>

    /// Takes apart the packs whose worker stopped answering, and returns their deliveries. Each may have been sent.
    ///
    /// A living worker has outcomes that only it knows. So a worker with a heartbeat keeps its packs for ``Store/livingWorkerSeconds``
    /// beyond the lease. The caller asks only while the database has answered without a break for longer than workers need to return.
    ///
    /// - Parameters:
    ///   - strange: packs that a newer version wrote and this one cannot read.
    ///   - deadline: the end of the caller's view. A statement that waited for a lock until then takes nothing apart, because the workers
    ///     waited too: this throws ``StoreError/viewTooOld``.
    public func take(
        limit: Int, passingOver strange: Set<PackID>, before deadline: ContinuousClock.Instant
    ) async throws -> AbandonedDeliveries {
        asked.set([])
        var trip = RoundTrip()
        let leases = trip.ask(Store.Due.expiredLeases(limit: limit, passingOver: strange))
        let clock = trip.ask(store.databaseClock)
        let found = try await transaction.send(trip)
        let expired = try found[leases]
        guard ContinuousClock.now < deadline else { throw StoreError.viewTooOld }
        guard !expired.isEmpty else { return AbandonedDeliveries(now: store.clock.now(), all: []) }
        // A clock that cannot be read is the fault of no pack. So it is read before the packs are named.
        let now = try found[clock]
        asked.set(expired)
        let abandoned = try await transaction.query(Store.Due.takeApart(expired))
        return AbandonedDeliveries(now: now, all: abandoned)
    }

    /// Writes an attempt with an unknown outcome for each delivery, and the step that follows from it. Returns the number of deliveries.
    public func write(_ steps: [NextStep], of abandoned: AbandonedDeliveries) async throws -> Int {
        guard !abandoned.all.isEmpty else { return 0 }
        var write = RecoveryWrite(now: abandoned.now)
        for (delivery, step) in zip(abandoned.all, steps) { write.add(delivery, step) }
        try await transaction.pipeline(write.statements)
        try await store.outbox.escalate(write.ends, in: transaction)
        return abandoned.all.count
    }
}

/// Deliveries that dead workers left in their packs.
public struct AbandonedDeliveries: Sendable {
    /// The database's clock in this transaction.
    public let now: Timestamp
    public let all: [AbandonedDelivery]
}

extension Store {
    /// The seconds after which a committed pack that the broker has not confirmed is published again. They are longer than a publisher
    /// waits for a confirm.
    public static let confirmTimeoutSeconds = 35
    /// The seconds for which a confirmed pack may be in no sample of its queue before it counts as missing. They are far longer than a
    /// worker holds a pack without claiming it.
    public static let missingAfterSeconds = 60
    /// The seconds for which a worker with a heartbeat keeps a pack beyond its lease. The worker settles within them, or does not know of
    /// its claim: the answer was lost, and its try ended.
    package static let livingWorkerSeconds = 60
    /// The age in seconds from which a heartbeat counts as none: three were missed.
    package static let heartbeatSeconds = 15

    /// Twice the longest time for which a decision is valid. A worker that comes later would have the decision made again anyway.
    package static let strandedAfterSeconds = 30 * 60

    /// The present plan for delivery `m` of notification `n` as JSON: the last decision about it, else the first.
    static let plannedNow: SQL = """
        coalesce(
            (select d.decision from tidings.decisions d where d.notification_id = n.id and d.ordinal = m.ordinal order by d.at desc limit 1)::json,
            n.decision::json -> 'deliveries' -> m.ordinal::integer)
        """
}

extension Store.Due {
    /// Runs `body` in the transaction that takes packs of dead workers apart.
    ///
    /// - Throws: ``UnwritableRow`` if a single pack was found and cannot be taken apart. Its row is unchanged.
    public func recover(_ body: (RecoveryTransaction) async throws -> Int) async throws -> Int {
        let asked = TakenRows<PackID>()
        do {
            return try await pool.transaction { transaction in
                try await body(RecoveryTransaction(store: store, transaction: transaction, asked: asked))
            }
        } catch let error as PostgresError where error.isAboutARow {
            guard let only = asked.only else { throw error }
            throw UnwritableRow(pack: only, cause: error)
        }
    }

    /// Whether the lease of a pack is over. A releaser that must not recover yet asks this, to see that the database answers for the packs.
    public func hasExpiredLease() async throws -> Bool {
        try await pool.query(.value("select exists (select from tidings.packs where lease_until < (select tidings.clock()))"))
    }

    /// Runs by itself, because it is needed in every turn and seldom finds a pack. A query that reads notifications opens every day's
    /// partition.
    fileprivate static func expiredLeases(limit: Int, passingOver strange: Set<PackID>) -> Statement<[PackID]> {
        let query: SQL = """
            select p.id from tidings.packs p where p.lease_until < (select tidings.clock()) and not p.id = any(\(strange.sorted().uuids))
                and not exists (select from tidings.workers w where w.id = p.claimed_by
                    and w.heartbeat_at > (select tidings.clock()) - make_interval(secs => \(Double(Store.heartbeatSeconds)))
                    and p.lease_until > (select tidings.clock()) - make_interval(secs => \(Double(Store.livingWorkerSeconds))))
            order by p.id limit \(Int64(limit)) for update of p skip locked
            """
        return .rows(query) { try $0.decode(PackID.self) }
    }

    /// Divides a pack that cannot be taken apart as a whole, so that its good deliveries get away from the bad one. A pack of one delivery
    /// is parked: its lease never ends, and its row stays for an operator. Returns whether it was parked.
    public func divideOrPark(_ pack: PackID) async throws -> Bool {
        var trip = RoundTrip()
        let parking: SQL = """
            update tidings.packs set lease_until = 'infinity' where id = \(pack.uuid) and cardinality(notification_ids) = 1
                and lease_until < (select tidings.clock()) returning id
            """
        let isParked = trip.ask(.exists(parking))
        trip.run(
            """
            with whole as (
                select *, cardinality(notification_ids) / 2 as half from tidings.packs
                where id = \(pack.uuid) and cardinality(notification_ids) > 1 and lease_until < (select tidings.clock()) for update
            ), shrunk as (
                update tidings.packs p set notification_ids = w.notification_ids[1:w.half], ordinals = w.ordinals[1:w.half],
                    attempts = w.attempts[1:w.half] from whole w where p.id = w.id
            )
            insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at, confirmed_at, claimed_at,
                claimed_by, lease_until)
            select \(clock.nextID().uuid), channel, provider, lane, notification_ids[half + 1:], ordinals[half + 1:], attempts[half + 1:],
                decided_at, confirmed_at, claimed_at, claimed_by, lease_until
            from whole
            """)
        return try await pool.send(trip)[isParked]
    }

    /// Takes apart the packs that no worker will claim, and has their deliveries judged again. Their provider is no longer in the active
    /// catalogue, or their queue has no consumer. In the second case they have waited longer than any decision is valid. No delivery of
    /// them was sent, so the attempt does not count. Returns the number of deliveries.
    ///
    /// If `catalogue` is not the active one, packs of a missing provider are left alone. An older catalogue does not know the newest
    /// providers.
    public func takeBackStranded(limit: Int, catalogue: Catalogue) async throws -> Int {
        let providers = catalogue.providers.values.sorted { $0.name < $1.name }
        let takingBack: SQL = """
            with stranded as (
                select p.id from tidings.packs p
                where p.claimed_at is null and (
                    (not (p.channel, p.provider) in (
                            select * from \(providers.relation("known", [Column("channel", \.channel), Column("name", \.name)])))
                        and coalesce((select hash = \(catalogue.hash) from tidings.active_catalogue), true))
                    or (p.decided_at < (select tidings.clock()) - make_interval(secs => \(Double(Store.strandedAfterSeconds)))
                        and exists (select from tidings.queue_samples q where q.consumers = 0
                            and q.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane
                            and q.sampled_at > (select tidings.clock()) - interval '1 minute')))
                order by p.id limit \(Int64(limit)) for update of p skip locked
            ), gone as (
                delete from tidings.packs p using stranded s where p.id = s.id and p.claimed_at is null returning p.*
            )
            \(DueRow.insert(
                from: """
                    (select m.notification_id, m.ordinal, gone.lane, n.tenant, gone.channel, gone.provider,
                        \(Store.plannedNow) ->> 'endpoint' as endpoint, m.attempt
                    from gone
                    cross join lateral unnest(gone.notification_ids, gone.ordinals, gone.attempts) as m(notification_id, ordinal, attempt)
                    join lateral (select * from tidings.notifications n where n.id = m.notification_id limit 1) n on true) stranded
                    """, setting: [.time: DueRow.now, .kind: "'recover'", .reason: "'providerGone'"]))
            """
        var trip = RoundTrip()
        let taken = trip.ask(.count(takingBack))
        return try await pool.send(trip)[taken]
    }

    fileprivate static func takeApart(_ packs: [PackID]) -> Statement<[AbandonedDelivery]> {
        let query: SQL = """
            with gone as (
                delete from tidings.packs p where p.id = any(\(packs.uuids)) returning p.*
            )
            select m.notification_id, m.ordinal, m.attempt, gone.channel, gone.provider, gone.lane, gone.claimed_by, gone.claimed_at,
                n.tenant, n.category, n.expires_at, n.critical, \(Store.plannedNow) ->> 'endpoint' as endpoint
            from gone cross join lateral unnest(gone.notification_ids, gone.ordinals, gone.attempts) as m(notification_id, ordinal, attempt)
            join lateral (select * from tidings.notifications n where n.id = m.notification_id limit 1) n on true
            """
        return .rows(query, AbandonedDelivery.init)
    }

    /// Returns packs that were committed but never confirmed, rebuilt from their notifications. Their ids stay the same, so publishing a
    /// pack that did arrive is harmless. Returns at most `limit` packs, up to the first with which their content reaches `bytes`.
    public func unconfirmedPacks(limit: Int, bytes: Int) async throws -> [Pack] {
        let late = try await pool.query(Self.latePacks(limit: limit)).rows.map { try $0.decode(PostgresUUID.self) }
        guard !late.isEmpty else { return [] }
        let rows = try await pool.transaction { try await $0.query(Self.complete(late, bytes: bytes)).rows }
        var packs: [Pack] = []
        for row in rows {
            let id = try row.decode("pack_id", as: PackID.self)
            if packs.last?.id != id {
                packs.append(
                    Pack(
                        id: id, channel: try row.decode("channel"), provider: try row.decode("provider"), lane: try row.decode("pack_lane"),
                        entries: []))
            }
            let decidedAt = try row.decode("decided_at", as: Timestamp.self)
            // The validity of the decision is not stored. A pack that is this late is judged again before it is sent.
            packs[packs.count - 1].entries.append(
                try StoredIntent(row).entry(
                    ordinal: try row.decode("ordinal"), attempt: try row.decode("attempt"), endpoint: try row.decode("endpoint"),
                    decidedAt: decidedAt, validUntil: decidedAt))
        }
        return packs
    }

    /// Runs by itself, like ``expiredLeases(limit:passingOver:)``. It takes the oldest packs of each queue first. So a queue that refuses
    /// its messages does not delay the packs of other queues.
    private static func latePacks(limit: Int) -> SQL {
        """
        select id from (
            select id, row_number() over (partition by channel, provider, lane order by id) as place from tidings.packs
            where confirmed_at is null and claimed_at is null and channel = any(\(Channel.allCases.map(\.rawValue)))
                and decided_at < (select tidings.clock()) - make_interval(secs => \(Double(Store.confirmTimeoutSeconds)))) late
        order by place, id limit \(Int64(limit))
        """
    }

    /// Weighs each pack before it reads anything large of it, like ``takeOut(_:bytes:)``.
    private static func complete(_ packs: [PostgresUUID], bytes: Int) -> SQL {
        """
        with weighed as materialized (
            select late.id as pack_id, late.channel, late.provider, late.lane as pack_lane, late.decided_at, m.ordinal, m.attempt,
                \(Store.plannedNow) ->> 'endpoint' as endpoint, asked.place, m.position, n.*,
                sum(n.bytes) over (order by asked.place) - sum(n.bytes) over (partition by asked.place) as bytes_before
            from unnest(\(packs)) with ordinality as asked(id, place)
            join tidings.packs late on late.id = asked.id and late.confirmed_at is null and late.claimed_at is null
            cross join lateral unnest(late.notification_ids, late.ordinals, late.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
            join lateral (
                select n.*, \(Content.bytesColumn) as bytes from tidings.notifications n where n.id = m.notification_id limit 1) n on true
        )
        select n.pack_id, n.channel, n.provider, n.pack_lane, n.decided_at, n.ordinal, n.attempt, n.endpoint, \(StoredIntent.columns)
        from weighed n where n.bytes_before < \(Int64(bytes)) order by n.place, n.position
        """
    }

    /// Forgets the confirm of a pack whose message the broker set aside. A releaser publishes the pack again in its next turn, unless a
    /// worker has claimed it.
    public func forgetConfirm(of pack: PackID) async throws {
        _ = try await pool.write(
            """
            update tidings.packs set confirmed_at = null, decided_at = least(decided_at, (select tidings.clock()) - interval '1 hour')
            where id = \(pack.uuid) and claimed_at is null
            """)
    }

    /// Forgets the confirms of packs that are unclaimed although their queue is empty. Somebody purged or deleted the queue, its broker
    /// lost its data, or a worker could not read the message. A releaser publishes these packs again in its next turn. A pack that is
    /// claimed meanwhile is not sent twice.
    ///
    /// A queue counts as empty if its latest sample, taken well after the confirm, says so. Returns the number of packs.
    public func forgetConfirmsOfMissing() async throws -> Int {
        try await pool.query(
            """
            update tidings.packs p set confirmed_at = null, decided_at = least(p.decided_at, (select tidings.clock()) - interval '1 hour')
            from tidings.queue_samples q
            where q.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane and q.ready = 0
                and p.claimed_at is null and p.confirmed_at < q.sampled_at - make_interval(secs => \(Double(Store.missingAfterSeconds)))
            """
        ).affectedRows
    }

    /// Forgets the confirms of a queue that was deleted on the broker. A releaser publishes its packs again in its next turn.
    public func forgetConfirms(channel: Channel, provider: String, lane: Lane) async throws {
        _ = try await pool.query(
            """
            update tidings.packs set confirmed_at = null, decided_at = least(decided_at, (select tidings.clock()) - interval '1 hour')
            where channel = \(channel.rawValue) and provider = \(provider) and lane = \(lane.rawValue) and claimed_at is null
            """)
    }
}

/// A delivery that a dead worker left in its pack.
public struct AbandonedDelivery: Sendable {
    public let key: DeliveryKey
    public let attempt: Int
    public let category: Category
    public let expiresAt: Timestamp
    let channel: Channel
    let provider: String
    let lane: Lane
    let worker: String
    let claimedAt: Timestamp
    let tenant: String
    let escalates: Bool
    let endpoint: String?

    init(_ row: PostgresRow) throws {
        key = try DeliveryKey(row)
        attempt = try row.decode("attempt")
        channel = try row.decode("channel")
        provider = try row.decode("provider")
        lane = try row.decode("lane")
        worker = try row.decode("claimed_by")
        claimedAt = try row.decode("claimed_at")
        tenant = try row.decode("tenant")
        category = try row.decode("category")
        expiresAt = try row.decode("expires_at")
        escalates = try row.decode("critical")
        endpoint = try row.decode("endpoint")
    }
}
