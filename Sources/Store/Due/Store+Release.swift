public import TidingsContracts
public import TidingsCore
import TidingsPostgres
public import TidingsTimeZones

/// What one turn of a releaser came to.
public struct ReleaseResult: Sendable {
    /// Deliveries taken out of `due`.
    public var released = 0
    /// To be published now; their rows are committed.
    public var packs: [Pack] = []
    /// As much as a turn may take: there may be more.
    public var isFull = false
}

extension Store {
    /// Unfinished packs of one queue beyond which nothing more is released into it: what waits is better off in a table than in a queue.
    public static let releaseLimit = 2_000

    /// A delivery that waited for its time is judged by that time if a releaser comes no later than this. Else one that was scheduled for the last
    /// moment before quiet hours would be held for the night, because a releaser comes some milliseconds after it.
    public static let judgedAsDue = Duration.seconds(60)

    /// Takes what is due out of `due`, judges it again with the facts of this moment, and gives each delivery its next home, in one transaction.
    /// Any number of releasers may run: a row is taken by one of them.
    ///
    /// What waits for a pause is not due, however long ago its time was, and is not looked at while the pause lasts. When it is over, up to
    /// `limit` of it are taken beside up to `limit` that are due, so that neither waits for the other; with a limit of one, one row in all.
    /// Of all these no more are taken than intents of `bytes` together, and one.
    ///
    /// - Parameter strange: deliveries that a newer version wrote and this one cannot read: they are passed over.
    /// - Throws: ``UnwritableRow`` when a single delivery cannot be released; its row is unchanged.
    public func release(
        _ lane: Lane, limit: Int, bytes: Int, catalogue: Catalogue, zones: TimeZoneDatabase, passingOver strange: Set<DeliveryKey> = [],
        judge: @escaping @Sendable (PlannedDelivery, DeliveryPast, StoredFacts) -> [PlannedDelivery]
    ) async throws -> ReleaseResult {
        var asked: [DeliveryKey] = []
        do {
            return try await release(
                Self.pick(lane, limit: limit, passingOver: strange), limit: limit, bytes: bytes, catalogue: catalogue, zones: zones,
                judge: judge
            ) { asked = $0 }
        } catch let error as PostgresError where asked.count == 1 && error.isAboutARow {
            throw UnwritableRow(delivery: asked[0], cause: error)
        }
    }

    /// Puts a delivery that cannot be released out of the way of the others: never due, for an operator to see. False when it has left.
    public func park(_ key: DeliveryKey) async throws -> Bool {
        try await pool.query(
            """
            update tidings.due set due_at = 'infinity', pause_id = null, reason = 'internalError'
            where notification_id = \(key.notificationID.uuid) and ordinal = \(Int16(key.ordinal))
            """
        ).affectedRows > 0
    }

    private func release(
        _ pick: SQL, limit: Int, bytes: Int, catalogue: Catalogue, zones: TimeZoneDatabase,
        judge: @escaping @Sendable (PlannedDelivery, DeliveryPast, StoredFacts) -> [PlannedDelivery], asking: ([DeliveryKey]) -> Void
    ) async throws -> ReleaseResult {
        try await pool.transaction { connection in
            let answers = try await connection.pipeline([pick, Self.clockQuery, Self.pausesQuery])
            let rows = answers[0].rows.prefix(limit == 1 ? 1 : .max)
            let picked = try rows.map { (try $0.decode(0, as: PostgresUUID.self), try $0.decode(1, as: Int16.self)) }
            let shares = try rows.first?.decode(2, as: Int.self) ?? 1
            asking(picked.map { DeliveryKey(NotificationID($0.0), Int($0.1)) })
            guard !picked.isEmpty, let row = answers[1].rows.first else { return ReleaseResult() }
            let waiting = try await connection.query(Self.takeOut(picked, bytes: bytes)).rows.map(WaitingDelivery.init)
            let now = Timestamp(try row.decode(0, as: PostgresTimestamp.self))
            clock.correct(now)
            let pauses = try Pauses(answers[2].rows, from: 0)
            let recipients = Set(waiting.map { RecipientKey($0.stored.intent) })
            let facts = try FactsQuery.decode(
                try await connection.query(FactsQuery.sql(for: recipients)), zones: zones, around: now)
            let trails = try await trails(of: waiting, in: catalogue, on: connection)
            let plans = try await Self.planned(waiting, on: connection)
            let judgements = waiting.map { delivery in
                let intent = delivery.stored.intent
                let moment = delivery.moment(at: now)
                let known = facts[RecipientKey(intent)] ?? .unseen(tenant: intent.tenant, recipient: intent.recipient)
                var past = delivery.past(trails[delivery.key] ?? Trail(), at: now)
                past.plannedOn = plans[delivery.stored.id] ?? []
                return judge(
                    delivery.planned, past,
                    StoredFacts(intent: intent, facts: known, pauses: pauses, now: moment, acceptedAt: delivery.stored.acceptedAt)
                ).map { moment == now ? $0 : $0.sendable(until: moment.adding(Self.judgedAsDue)) }
            }
            var write = ReleaseWrite(catalogue: catalogue.hash, now: now)
            var free = try await freeOrdinals(for: zip(waiting, judgements).map { ($0.stored.id, $1.count - 1) }, on: connection)
            for (delivery, judged) in zip(waiting, judgements) {
                write.move(delivery, to: judged, trails[delivery.key] ?? Trail(), free: free[delivery.stored.id])
                free[delivery.stored.id]? += judged.count - 1
            }
            let packs = write.packs { clock.nextID() }
            passing(.beforeRelease)
            _ = try await connection.pipeline(write.statements(packs))
            try await escalate(write.ends, on: connection)
            // One provider may have more than its share while another had less.
            let isFull = picked.count >= limit / max(shares, 1) || waiting.reduce(0) { $0 + $1.stored.bytes } >= bytes
            return ReleaseResult(released: waiting.count, packs: packs, isFull: isFull)
        }
    }

    /// By itself, for it is asked at every turn and often finds none: what reads notifications opens every day's partition.
    ///
    /// `places` walks the index from one provider that has waiting rows to the next, and `timely` takes from each that has room an equal share of
    /// what is due. So the rows of a provider whose queue is full are not looked at, however many they are, and delay nobody else's.
    ///
    /// `parked` walks the index of paused deliveries from one distinct place to the next, so it costs as much for a million of them as for
    /// one. A pause that is over is one that is not in force: nobody has to find what it held and bring it forward. `over` is materialised, or
    /// the planner may lock what is still paused before it asks whether it is.
    private static func pick(_ lane: Lane, limit: Int, passingOver strange: Set<DeliveryKey>) -> SQL {
        let strange = Array(strange)
        return """
            with recursive strange as (
                select * from unnest(\(strange.map(\.notificationID).uuids), \(strange.map { Int16($0.ordinal) }))
            ), saturated as (
                select channel, provider from tidings.packs where lane = \(lane.rawValue)
                group by channel, provider having count(*) > \(Int64(releaseLimit))
            ), parked (pause_id, lane, channel, provider) as (
                (select w.pause_id, w.lane, w.channel, w.provider from tidings.due w where w.pause_id is not null
                    order by w.pause_id, w.lane, w.channel, w.provider limit 1)
                union all
                select next.* from parked k cross join lateral (
                    select w.pause_id, w.lane, w.channel, w.provider from tidings.due w
                    where w.pause_id is not null and (w.pause_id, w.lane, w.channel, w.provider) > (k.pause_id, k.lane, k.channel, k.provider)
                    order by w.pause_id, w.lane, w.channel, w.provider limit 1) next
            ), over as materialized (
                select k.* from parked k where k.lane = \(lane.rawValue)
                    and not exists (select from tidings.pauses p where p.id = k.pause_id and \(inForce))
                    and not exists (select from saturated s where s.channel = k.channel and s.provider = k.provider)
            ), resumed as (
                select freed.notification_id, freed.ordinal from over k cross join lateral (
                    select w.notification_id, w.ordinal from tidings.due w
                    where w.pause_id = k.pause_id and w.lane = k.lane and w.channel = k.channel and w.provider = k.provider
                        and not (w.notification_id, w.ordinal) in (select * from strange)
                    order by w.notification_id, w.ordinal limit \(Int64(limit)) for update of w skip locked) freed
                limit \(Int64(limit))
            ), places (channel, provider) as (
                (select w.channel, w.provider from tidings.due w where w.lane = \(lane.rawValue) order by w.channel, w.provider limit 1)
                union all
                select next.* from places p cross join lateral (
                    select w.channel, w.provider from tidings.due w
                    where w.lane = \(lane.rawValue) and (w.channel, w.provider) > (p.channel, p.provider)
                    order by w.channel, w.provider limit 1) next
            ), ready as materialized (
                select p.* from places p
                where not exists (select from saturated s where s.channel = p.channel and s.provider = p.provider)
                    and exists (select from tidings.due w where w.lane = \(lane.rawValue) and w.channel = p.channel and w.provider = p.provider
                        and w.due_at <= (select tidings.clock()))
            ), timely as (
                select mine.notification_id, mine.ordinal from ready r cross join lateral (
                    select w.notification_id, w.ordinal from tidings.due w
                    where w.lane = \(lane.rawValue) and w.channel = r.channel and w.provider = r.provider
                        and w.due_at <= (select tidings.clock()) and not (w.notification_id, w.ordinal) in (select * from strange)
                    order by w.due_at, w.notification_id, w.ordinal
                    limit (select ceil(\(Int64(limit))::numeric / greatest(count(*), 1))::bigint from ready) for update of w skip locked) mine
            )
            select taken.*, (select count(*) from ready) from (select * from timely union select * from resumed) taken
            """
    }

    /// Weighs what was picked before anything large of it is read: what is stored apart from its row is not, and its length is in the row.
    private static func takeOut(_ picked: [(id: PostgresUUID, ordinal: Int16)], bytes: Int) -> SQL {
        """
        with picked as (
            select * from unnest(\(picked.map(\.id)), \(picked.map(\.ordinal))) with ordinality as p(notification_id, ordinal, place)
        ), weighed as materialized (
            select p.notification_id, p.ordinal as picked_ordinal, n.*, sum(n.bytes) over (order by p.place) - n.bytes as bytes_before
            from picked p left join lateral (
                select n.*, \(StoredIntent.bytesColumn) as bytes from tidings.notifications n where n.id = p.notification_id limit 1) n on true
        ), gone as (
            delete from tidings.due w using weighed n
            where w.notification_id = n.notification_id and w.ordinal = n.picked_ordinal and coalesce(n.bytes_before, 0) < \(Int64(bytes))
            returning w.ordinal, w.kind, w.channel, w.provider, w.endpoint, w.attempt, w.reason,
                case when n.planned > 1 and w.channel <> 'inApp' and w.provider <> '' then n.decision end, w.due_at, \(StoredIntent.columns)
        )
        select * from gone where id is not null order by due_at, id, ordinal
        """
    }
}

/// What the judgement of a waiting delivery is made from.
public struct StoredFacts: Sendable {
    public let intent: Intent
    public let facts: RecipientFacts
    /// Of the very moment, so that what was released because a pause is over is not put back for it.
    public let pauses: Pauses
    /// By which it is judged; see ``Store/judgedAsDue``.
    public let now: Timestamp
    public let acceptedAt: Timestamp
}

/// A row taken out of `due`, with its intent.
struct WaitingDelivery {
    var ordinal: Int
    let kind: DueKind
    let channel: Channel
    let provider: String
    let endpoint: String?
    var attempt: Int
    let reason: ReasonCode
    /// The first decision, where others were planned beside it on its channel.
    let decision: String?
    let dueAt: Timestamp
    let stored: StoredIntent

    init(_ row: PostgresRow) throws {
        ordinal = Int(try row.decode(0, as: Int16.self))
        kind = try row.decodeWord(1)
        channel = try row.decodeWord(2)
        provider = try row.decode(3, as: String.self)
        endpoint = try row.decode(4, as: String?.self)
        attempt = Int(try row.decode(5, as: Int16.self))
        reason = try row.decodeWord(6)
        decision = try row.decode(7, as: String?.self)
        dueAt = Timestamp(try row.decode(8, as: PostgresTimestamp.self))
        stored = try StoredIntent(row, from: 9)
    }

    var key: DeliveryKey { DeliveryKey(stored.id, ordinal) }

    /// One more delivery of the same notification, not tried yet.
    func another(_ ordinal: Int) -> WaitingDelivery {
        var another = self
        another.ordinal = ordinal
        another.attempt = 1
        return another
    }

    /// The instant by which it is judged: the one for which it was due, if it waited for a time of its own and a releaser is not much later.
    func moment(at now: Timestamp) -> Timestamp {
        guard kind == .held, reason == .scheduledFor || reason == .quietHours, dueAt < now, now - dueAt <= Store.judgedAsDue else {
            return now
        }
        return dueAt
    }

    func past(_ trail: Trail, at now: Timestamp) -> DeliveryPast {
        let beside = decision.map { DecisionText.open(on: channel, in: $0) } ?? []
        var past = DeliveryPast(
            because: kind == .failover ? reason : nil, keepsProvider: kind == .retry || kind == .recover,
            before: beside.filter { $0.ordinal < ordinal }.map(\.planned), after: beside.filter { $0.ordinal > ordinal }.map(\.planned))
        for step in kind == .again ? [] : Move.counting(trail.moves) where step.counts(at: now) {
            past.leave(step.provider, because: step.because)
        }
        if kind == .failover { past.leave(provider, because: reason) }
        return past
    }

    /// As it was planned; the verdict is what is judged anew.
    var planned: PlannedDelivery {
        PlannedDelivery(channel: channel, provider: provider, endpoint: endpoint, verdict: .awaitEscalation)
    }
}

extension PlannedDelivery {
    /// If it goes out now, it may until then at least.
    fileprivate func sendable(until time: Timestamp) -> PlannedDelivery {
        guard case .send(let validUntil) = verdict, validUntil < time else { return self }
        var sendable = self
        sendable.verdict = .send(validUntil: time)
        return sendable
    }
}
