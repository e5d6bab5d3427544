public import TidingsCore
import TidingsPostgres
public import TidingsWire

extension Store {
    /// Seconds after which a committed pack that the broker has not confirmed is published again: longer than a publisher waits for a confirm,
    /// so that a living publisher has given up by then.
    public static let confirmTimeoutSeconds = 35
    /// Seconds for which a confirmed pack may be in no sample of its queue before it counts as missing: far longer than a worker holds one
    /// without claiming it.
    public static let missingAfterSeconds = 60

    /// Takes apart the packs whose worker stopped answering. What it had not settled may or may not have been sent: the category's policy says
    /// whether it is sent again, and each possible second send is recorded with the key that both sends carry. Returns how many deliveries.
    public func recoverExpiredLeases(limit: Int, catalogue: Catalogue) async throws -> Int {
        try await pool.transaction { connection in
            let answers = try await connection.pipeline([Self.expiredLeases(limit: limit), Self.clockQuery])
            let expired = try answers[0].rows.map { try $0.decode(0, as: PostgresUUID.self) }
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
    private static func expiredLeases(limit: Int) -> SQL {
        "select id from tidings.packs where lease_until < (select tidings.clock()) order by id limit \(Int64(limit)) for update skip locked"
    }

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
                        id: id, channel: Channel(rawValue: try row.decode(1, as: String.self)) ?? .inApp,
                        provider: try row.decode(2, as: String.self), lane: Lane(rawValue: try row.decode(3, as: String.self)) ?? .bulk,
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
            where confirmed_at is null and claimed_at is null
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
        channel = Channel(rawValue: try row.decode(3, as: String.self)) ?? .inApp
        provider = try row.decode(4, as: String.self)
        lane = Lane(rawValue: try row.decode(5, as: String.self)) ?? .bulk
        worker = try row.decode(6, as: String.self)
        claimedAt = Timestamp(try row.decode(7, as: PostgresTimestamp.self))
        tenant = try row.decode(8, as: String.self)
        category = Category(rawValue: try row.decode(9, as: String.self)) ?? .system
        expiresAt = Timestamp(try row.decode(10, as: PostgresTimestamp.self))
        escalates = try row.decode(11, as: Bool.self)
        endpoint = try row.decode(12, as: String?.self)
    }
}
