public import TidingsContracts
public import TidingsCore
import TidingsPostgres

extension Store {
    /// Seconds after which a committed pack that the broker has not confirmed is published again: longer than a publisher waits for a confirm,
    /// so that a living publisher has given up by then.
    public static let confirmTimeoutSeconds = 35
    /// Seconds for which a confirmed pack may be in no sample of its queue before it counts as missing: far longer than a worker holds one
    /// without claiming it.
    public static let missingAfterSeconds = 60

    /// Takes apart the packs whose worker stopped answering. A delivery that it had not settled may have been sent: the category's policy says
    /// whether it is sent again, and each possible second send is recorded with the key that both sends carry. Returns how many deliveries.
    ///
    /// A worker that lives has outcomes that nobody else knows. So a worker with a heartbeat keeps its packs for ``livingWorkerSeconds`` beyond
    /// the lease, and the caller asks only while the database has answered without a break for longer than workers need to come back.
    ///
    /// - Parameters:
    ///   - deadline: when the caller's view is too old. A statement that waited for a lock until then takes nothing apart: the workers waited too.
    ///   - passingOver: packs that a newer version wrote and this one cannot read.
    /// - Throws: ``UnwritableRow`` when a single pack cannot be taken apart; its row is unchanged.
    public func recoverExpiredLeases(
        limit: Int, catalogue: Catalogue, before deadline: ContinuousClock.Instant, passingOver strange: Set<PackID> = []
    ) async throws -> Int {
        var asked: [PostgresUUID] = []
        do {
            return try await recover(limit: limit, catalogue: catalogue, before: deadline, passingOver: strange) { asked = $0 }
        } catch let error as PostgresError where asked.count == 1 && error.isAboutARow {
            throw UnwritableRow(pack: PackID(asked[0]), cause: error)
        }
    }

    /// Seconds for which a worker that sends heartbeats keeps a pack beyond its lease. It settles within them, or does not know of its claim:
    /// the answer was lost, and its try was given up.
    package static let livingWorkerSeconds = 60
    /// A heartbeat older than this, three of them missed, counts as none.
    package static let heartbeatSeconds = 15

    private func recover(
        limit: Int, catalogue: Catalogue, before deadline: ContinuousClock.Instant, passingOver strange: Set<PackID>,
        asking: ([PostgresUUID]) -> Void
    ) async throws -> Int {
        try await pool.transaction { connection in
            let answers = try await connection.pipeline([Self.expiredLeases(limit: limit, passingOver: strange), Self.clockQuery])
            let expired = try answers[0].rows.map { try $0.decode(0, as: PostgresUUID.self) }
            asking(expired)
            guard ContinuousClock.now < deadline else { throw StoreError.viewTooOld }
            guard !expired.isEmpty, let row = answers[1].rows.first else { return 0 }
            let abandoned = try await connection.query(Self.takeApart(expired)).rows.map(AbandonedDelivery.init)
            let now = Timestamp(try row.decode(0, as: PostgresTimestamp.self))
            var write = RecoveryWrite(now: now)
            for delivery in abandoned {
                write.take(delivery, policy: catalogue.policy(for: delivery.category), random: clock.randomFraction())
            }
            passing(.beforeRecover)
            _ = try await connection.pipeline(write.statements)
            try await escalate(write.ends, on: connection)
            return abandoned.count
        }
    }

    /// By itself, for it is asked at every turn and seldom finds any: what reads notifications opens every day's partition.
    private static func expiredLeases(limit: Int, passingOver strange: Set<PackID>) -> SQL {
        """
        select p.id from tidings.packs p where p.lease_until < (select tidings.clock()) and not p.id = any(\(strange.sorted().uuids))
            and not exists (select from tidings.workers w where w.id = p.claimed_by
                and w.heartbeat_at > (select tidings.clock()) - make_interval(secs => \(Double(heartbeatSeconds)))
                and p.lease_until > (select tidings.clock()) - make_interval(secs => \(Double(livingWorkerSeconds))))
        order by p.id limit \(Int64(limit)) for update of p skip locked
        """
    }

    /// Divides a pack that cannot be taken apart as a whole, so that its good deliveries get away from the bad one. A pack of one delivery is
    /// parked: its lease never ends, and its row stays for an operator. Returns whether it was parked.
    public func divideOrPark(_ pack: PackID) async throws -> Bool {
        let answers = try await pool.pipeline([
            """
            update tidings.packs set lease_until = 'infinity' where id = \(pack.uuid) and cardinality(notification_ids) = 1
                and lease_until < (select tidings.clock()) returning id
            """,
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
            """,
        ])
        return answers[0].rows.first != nil
    }

    /// Takes apart the packs that nobody will claim, and has their deliveries judged again: their provider is not in the active catalogue any more,
    /// or they have waited for longer than any decision is valid in a queue without a consumer. Nothing of them was sent, so the attempt does
    /// not count. Returns how many deliveries.
    ///
    /// Does nothing unless `catalogue` is the active one: an older one does not know the newest providers.
    public func takeBackStranded(limit: Int, catalogue: Catalogue) async throws -> Int {
        let providers = catalogue.providers.values.sorted { $0.name < $1.name }
        return try await pool.pipeline([
            """
            with stranded as (
                select p.id from tidings.packs p
                where p.claimed_at is null and (
                    (not (p.channel, p.provider) in (
                            select * from unnest(\(providers.map(\.channel.rawValue)), \(providers.map(\.name))))
                        and coalesce((select hash = \(catalogue.hash) from tidings.active_catalogue), true))
                    or (p.decided_at < (select tidings.clock()) - make_interval(secs => \(Double(Self.strandedAfterSeconds)))
                        and exists (select from tidings.queue_samples q where q.consumers = 0
                            and q.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane
                            and q.sampled_at > (select tidings.clock()) - interval '1 minute')))
                order by p.id limit \(Int64(limit)) for update of p skip locked
            ), gone as (
                delete from tidings.packs p using stranded s where p.id = s.id and p.claimed_at is null returning p.*
            )
            insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, since)
            select m.notification_id, m.ordinal, gone.lane, (select tidings.clock()), 'recover', n.tenant, gone.channel, gone.provider,
                \(Self.plannedNow) ->> 'endpoint', m.attempt, 'providerGone', (select tidings.clock())
            from gone cross join lateral unnest(gone.notification_ids, gone.ordinals, gone.attempts) as m(notification_id, ordinal, attempt)
            join lateral (select * from tidings.notifications n where n.id = m.notification_id limit 1) n on true
            """
        ])[0].affectedRows
    }

    /// Twice the longest time for which a decision is valid: a worker that comes late would have it judged again anyway.
    package static let strandedAfterSeconds = 30 * 60

    private static func takeApart(_ packs: [PostgresUUID]) -> SQL {
        """
        with gone as (
            delete from tidings.packs p where p.id = any(\(packs)) returning p.*
        )
        select m.notification_id, m.ordinal, m.attempt, gone.channel, gone.provider, gone.lane, gone.claimed_by, gone.claimed_at,
            n.tenant, n.category, n.expires_at, n.critical, \(plannedNow) ->> 'endpoint'
        from gone cross join lateral unnest(gone.notification_ids, gone.ordinals, gone.attempts) as m(notification_id, ordinal, attempt)
        join lateral (select * from tidings.notifications n where n.id = m.notification_id limit 1) n on true
        """
    }

    /// What is planned for delivery `m` of notification `n`, as JSON: as it was judged last, else as it was at first.
    static let plannedNow: SQL = """
        coalesce(
            (select d.decision from tidings.decisions d where d.notification_id = n.id and d.ordinal = m.ordinal order by d.at desc limit 1)::json,
            n.decision::json -> 'deliveries' -> m.ordinal::integer)
        """

    /// The packs that were committed but never confirmed, complete again from their notifications. Their ids stay the same, so publishing one
    /// that did arrive after all does no harm. At most `limit`, and no more than of `bytes` together, and one.
    public func unconfirmedPacks(limit: Int, bytes: Int) async throws -> [Pack] {
        let late = try await pool.query(Self.latePacks(limit: limit)).rows.map { try $0.decode(0, as: PostgresUUID.self) }
        guard !late.isEmpty else { return [] }
        let rows = try await pool.transaction { try await $0.query(Self.complete(late, bytes: bytes)).rows }
        var packs: [Pack] = []
        for row in rows {
            let id = PackID(try row.decode(0, as: PostgresUUID.self))
            if packs.last?.id != id {
                packs.append(
                    Pack(
                        id: id, channel: try row.decodeWord(1), provider: try row.decode(2, as: String.self), lane: try row.decodeWord(3),
                        entries: []))
            }
            let decidedAt = Timestamp(try row.decode(4, as: PostgresTimestamp.self))
            let stored = try StoredIntent(row, from: 8)
            // The validity of the decision is not stored; what is this late is judged again by its worker's releaser.
            packs[packs.count - 1].entries.append(
                stored.entry(
                    ordinal: Int(try row.decode(5, as: Int16.self)), attempt: Int(try row.decode(6, as: Int16.self)),
                    endpoint: try row.decode(7, as: String?.self), decidedAt: decidedAt, validUntil: decidedAt))
        }
        return packs
    }

    /// By itself, as ``expiredLeases(limit:)`` is. Of each queue the oldest: one that refuses what it is sent keeps no other's packs waiting.
    private static func latePacks(limit: Int) -> SQL {
        """
        select id from (
            select id, row_number() over (partition by channel, provider, lane order by id) as place from tidings.packs
            where confirmed_at is null and claimed_at is null and channel = any(\(Channel.allCases.map(\.rawValue)))
                and decided_at < (select tidings.clock()) - make_interval(secs => \(Double(Self.confirmTimeoutSeconds)))) late
        order by place, id limit \(Int64(limit))
        """
    }

    /// Weighs each pack before anything large of it is read, as ``takeOut(_:bytes:)`` does.
    private static func complete(_ packs: [PostgresUUID], bytes: Int) -> SQL {
        """
        with weighed as materialized (
            select late.id as pack_id, late.channel, late.provider, late.lane as pack_lane, late.decided_at, m.ordinal, m.attempt,
                \(plannedNow) ->> 'endpoint' as endpoint, asked.place, m.position, n.*,
                sum(n.bytes) over (order by asked.place) - sum(n.bytes) over (partition by asked.place) as bytes_before
            from unnest(\(packs)) with ordinality as asked(id, place)
            join tidings.packs late on late.id = asked.id and late.confirmed_at is null and late.claimed_at is null
            cross join lateral unnest(late.notification_ids, late.ordinals, late.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
            join lateral (
                select n.*, \(StoredIntent.bytesColumn) as bytes from tidings.notifications n where n.id = m.notification_id limit 1) n on true
        )
        select n.pack_id, n.channel, n.provider, n.pack_lane, n.decided_at, n.ordinal, n.attempt, n.endpoint, \(StoredIntent.columns)
        from weighed n where n.bytes_before < \(Int64(bytes)) order by n.place, n.position
        """
    }

    /// One pack's message was set aside by the broker: it is published again at the next turn of a releaser, unless somebody claimed it.
    public func forgetConfirm(of pack: PackID) async throws {
        _ = try await pool.query(
            """
            update tidings.packs set confirmed_at = null, decided_at = least(decided_at, (select tidings.clock()) - interval '1 hour')
            where id = \(pack.uuid) and claimed_at is null
            """)
    }

    /// Packs that are in nobody's hands although their queue is empty: somebody purged or deleted it, its broker lost its data, or a worker could
    /// not read the message. They are published again at the next turn of a releaser; one that is claimed meanwhile is not sent twice.
    ///
    /// A queue counts as empty when its latest sample, taken well after the confirm, says so. Returns how many there were.
    public func forgetConfirmsOfMissing() async throws -> Int {
        try await pool.query(
            """
            update tidings.packs p set confirmed_at = null, decided_at = least(p.decided_at, (select tidings.clock()) - interval '1 hour')
            from tidings.queue_samples q
            where q.queue = 'tidings.deliver.' || p.channel || '.' || p.provider || '.' || p.lane and q.ready = 0
                and p.claimed_at is null and p.confirmed_at < q.sampled_at - make_interval(secs => \(Double(Self.missingAfterSeconds)))
            """
        ).affectedRows
    }

    /// A queue was deleted on the broker: what it held is published again at the next turn of a releaser.
    public func forgetConfirms(channel: Channel, provider: String, lane: Lane) async throws {
        _ = try await pool.query(
            """
            update tidings.packs set confirmed_at = null, decided_at = least(decided_at, (select tidings.clock()) - interval '1 hour')
            where channel = \(channel.rawValue) and provider = \(provider) and lane = \(lane.rawValue) and claimed_at is null
            """)
    }
}

/// A delivery that a dead worker left in its pack.
struct AbandonedDelivery {
    let key: DeliveryKey
    let attempt: Int
    let channel: Channel
    let provider: String
    let lane: Lane
    let worker: String
    let claimedAt: Timestamp
    let tenant: String
    let category: Category
    let expiresAt: Timestamp
    let escalates: Bool
    let endpoint: String?

    init(_ row: PostgresRow) throws {
        key = DeliveryKey(NotificationID(try row.decode(0, as: PostgresUUID.self)), Int(try row.decode(1, as: Int16.self)))
        attempt = Int(try row.decode(2, as: Int16.self))
        channel = try row.decodeWord(3)
        provider = try row.decode(4, as: String.self)
        lane = try row.decodeWord(5)
        worker = try row.decode(6, as: String.self)
        claimedAt = Timestamp(try row.decode(7, as: PostgresTimestamp.self))
        tenant = try row.decode(8, as: String.self)
        category = try row.decodeWord(9)
        expiresAt = Timestamp(try row.decode(10, as: PostgresTimestamp.self))
        escalates = try row.decode(11, as: Bool.self)
        endpoint = try row.decode(12, as: String?.self)
    }
}
