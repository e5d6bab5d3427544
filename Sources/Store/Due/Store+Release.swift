public import TidingsContracts
public import TidingsCore
import TidingsPostgres
public import TidingsTimeZones

/// The result of one turn of a releaser.
public struct ReleaseResult: Sendable {
    /// Deliveries taken out of `due`.
    public var released = 0
    /// The packs to publish now. Their rows are committed.
    public var packs: [Pack] = []
    /// Whether the turn took as much as it may. Then more may be due.
    public var isFull = false
}

/// The transaction in which due deliveries leave `due`: ``take(_:limit:bytes:catalogue:zones:passingOver:)``, the caller's judgement,
/// ``write(_:of:catalogue:)``.
///
/// The facts that a judgement needs are of the same moment as the rows it moves, so the judgement is made inside the transaction. The
/// judgement must be pure, because the transaction may run again.
public struct ReleaseTransaction {
    fileprivate let store: Store
    fileprivate let transaction: PostgresTransaction
    fileprivate let picked: TakenRows<DeliveryKey>

    /// Takes due deliveries out of `due`, and reads the facts to judge them by. Any number of releasers may run: one of them takes a row.
    ///
    /// A delivery that waits for a pause is not due, however old its time is, and is skipped while the pause lasts. When the pause is over,
    /// up to `limit` such deliveries are taken beside up to `limit` due ones, so that neither waits for the other. With a limit of one, one
    /// row is taken in all. The deliveries are taken up to the first with which their content reaches `bytes`.
    ///
    /// - Parameter strange: deliveries that a newer version wrote and this one cannot read. They are passed over.
    public func take(
        _ lane: Lane, limit: Int, bytes: Int, catalogue: Catalogue, zones: TimeZoneDatabase, passingOver strange: Set<DeliveryKey> = []
    ) async throws -> DueDeliveries {
        picked.set([])
        var trip = RoundTrip()
        let chosen = trip.ask(Store.Due.pick(lane, limit: limit, passingOver: strange))
        let clock = trip.ask(store.databaseClock)
        let pauses = trip.ask(Store.Pausing.pausesInForce)
        let found = try await transaction.send(trip)
        let picks = try found[chosen].prefix(limit == 1 ? 1 : .max)
        guard let first = picks.first else {
            return DueDeliveries(now: store.clock.now(), pauses: .none, all: [], isFull: false)
        }
        // A clock or a pause that cannot be read is the fault of no delivery. So both are read before the deliveries are named.
        let (now, pausesInForce) = (try found[clock], try found[pauses])
        store.clock.correct(now)
        let keys = picks.map(\.key)
        picked.set(keys)
        var waiting = try await transaction.query(Store.Due.takeOut(keys, bytes: bytes))
        try await addFacts(to: &waiting, catalogue: catalogue, zones: zones, now: now)
        // One provider may exceed its share while another provider has less.
        let isFull = keys.count >= limit / max(first.shares, 1) || waiting.reduce(0) { $0 + $1.stored.intent.content.largeBytes } >= bytes
        return DueDeliveries(now: now, pauses: pausesInForce, all: waiting, isFull: isFull)
    }

    /// Adds the facts of its recipient and its history to each delivery.
    private func addFacts(
        to waiting: inout [WaitingDelivery], catalogue: Catalogue, zones: TimeZoneDatabase, now: Timestamp
    ) async throws {
        let recipients = Set(waiting.map { RecipientKey($0.intent) })
        let facts = try FactsQuery.facts(
            in: try await transaction.query(FactsQuery.rows(of: recipients)), zones: zones, around: now)
        let trails = try await store.due.trails(of: waiting, in: catalogue, in: transaction)
        let plans = try await Store.LocalPlans.planned(waiting, in: transaction)
        for index in waiting.indices {
            let intent = waiting[index].intent
            waiting[index].trail = trails[waiting[index].key] ?? Trail()
            waiting[index].plannedOn = plans[waiting[index].stored.id] ?? []
            waiting[index].facts = facts[RecipientKey(intent)] ?? .unseen(tenant: intent.tenant, recipient: intent.recipient)
        }
    }

    /// Writes the judgement of each delivery, and returns the packs to publish after the commit. The first planned delivery takes the
    /// delivery's place. Further ones are new deliveries of its notification.
    public func write(_ judgements: [[PlannedDelivery]], of due: DueDeliveries, catalogue: Catalogue) async throws -> ReleaseResult {
        guard !due.all.isEmpty else { return ReleaseResult() }
        var write = ReleaseWrite(catalogue: catalogue.hash, now: due.now)
        var free = try await store.due.freeOrdinals(for: zip(due.all, judgements).map { ($0.stored.id, $1.count - 1) }, in: transaction)
        for (delivery, judged) in zip(due.all, judgements) {
            let moment = delivery.moment(at: due.now)
            let sendable = judged.map { moment == due.now ? $0 : $0.sendable(until: moment.adding(Store.judgedAsDue)) }
            write.move(delivery, to: sendable, free: free[delivery.stored.id])
            free[delivery.stored.id]? += judged.count - 1
        }
        let packs = write.packs { store.clock.nextID() }
        try await transaction.pipeline(write.statements(packs))
        try await store.outbox.escalate(write.ends, in: transaction)
        return ReleaseResult(released: due.all.count, packs: packs, isFull: due.isFull)
    }
}

/// Deliveries that left `due` in one transaction.
public struct DueDeliveries: Sendable {
    /// The database's clock in this transaction.
    public let now: Timestamp
    /// The pauses of this very moment. With older pauses, a delivery released because its pause is over might be put back for that pause.
    public let pauses: Pauses
    public let all: [WaitingDelivery]
    fileprivate let isFull: Bool
}

extension Store {
    /// The number of unfinished packs of a queue beyond which no more deliveries are released into it. Deliveries wait better in a table
    /// than in a queue.
    public static let releaseLimit = 2_000

    /// A delivery that waited for its time is judged by that time if a releaser comes at most this much later. Otherwise a delivery
    /// scheduled for the last moment before quiet hours would be held for the night, because a releaser comes some milliseconds later.
    public static let judgedAsDue = Duration.seconds(60)
}

extension Store.Due {
    /// Runs `body` in the transaction that moves due deliveries.
    ///
    /// - Throws: ``UnwritableRow`` if a single delivery was taken and cannot be released. Its row is unchanged.
    public func release(_ body: (ReleaseTransaction) async throws -> ReleaseResult) async throws -> ReleaseResult {
        let picked = TakenRows<DeliveryKey>()
        do {
            return try await pool.transaction { transaction in
                try await body(ReleaseTransaction(store: store, transaction: transaction, picked: picked))
            }
        } catch let error as PostgresError where error.isAboutARow {
            guard let only = picked.only else { throw error }
            throw UnwritableRow(delivery: only, cause: error)
        }
    }

    /// Moves a delivery that cannot be released out of the way of the others: it is never due, and an operator sees it. Returns false if
    /// the delivery has left `due`.
    public func park(_ key: DeliveryKey) async throws -> Bool {
        try await pool.query(
            """
            update tidings.due set due_at = 'infinity', pause_id = null, reason = 'internalError'
            where notification_id = \(key.notificationID.uuid) and ordinal = \(Int16(key.ordinal))
            """
        ).affectedRows > 0
    }

    /// Picks and locks the deliveries that this turn releases. There are two kinds: `timely`, whose time has come, and `resumed`, whose
    /// pause is over. Both are found in two steps, so that the cost is the same for one waiting delivery and for a million:
    ///
    /// 1. `places` and `parked` list only the distinct providers, and the distinct pauses with provider. Each is a recursion that jumps in
    ///    an index from one value to the next.
    /// 2. `ready` and `over` keep the entries that may go now. Providers with a full queue (`saturated`) are left out. Only then are single
    ///    rows read: `timely` takes an equal share from each provider.
    ///
    /// So the rows of a provider whose queue is full are not read, however many they are, and delay no other provider.
    ///
    /// The query runs by itself, because it is needed in every turn and often finds no delivery. A query that reads notifications opens
    /// every day's partition.
    ///
    /// A pause is over when it is no longer in force. So no step has to find its deliveries and change their time. `over` is materialised,
    /// because the planner might otherwise lock deliveries before it checks whether their pause is over.
    fileprivate static func pick(
        _ lane: Lane, limit: Int, passingOver strange: Set<DeliveryKey>
    ) -> Statement<[(key: DeliveryKey, shares: Int)]> {
        let strange = Array(strange)
        let query: SQL = """
            with recursive strange as (
                select * from \(strange.relation("s"))
            ), saturated as (
                select channel, provider from tidings.packs where lane = \(lane.rawValue)
                group by channel, provider having count(*) > \(Int64(Store.releaseLimit))
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
                    and not exists (select from tidings.pauses p where p.id = k.pause_id and \(Store.Pausing.inForce))
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
            select taken.*, (select count(*) from ready) as shares from (select * from timely union select * from resumed) taken
            """
        return .rows(query) { (key: try DeliveryKey($0), shares: try $0.decode("shares", as: Int.self)) }
    }

    /// Weighs the picked deliveries before it reads anything large of them. PostgreSQL stores large values apart from the row and their
    /// length in the row, so a length costs no read of the value.
    fileprivate static func takeOut(_ picked: [DeliveryKey], bytes: Int) -> Statement<[WaitingDelivery]> {
        let query: SQL = """
            with picked as (
                select * from \(picked.relation("p", numbered: "place"))
            ), weighed as materialized (
                select p.notification_id, p.ordinal as picked_ordinal, n.*, sum(n.bytes) over (order by p.place) - n.bytes as bytes_before
                from picked p left join lateral (
                    select n.*, \(Content.bytesColumn) as bytes from tidings.notifications n where n.id = p.notification_id limit 1) n on true
            ), gone as (
                delete from tidings.due w using weighed n
                where w.notification_id = n.notification_id and w.ordinal = n.picked_ordinal and coalesce(n.bytes_before, 0) < \(Int64(bytes))
                returning \(DueRow.columns),
                    case when n.planned > 1 and w.channel <> 'inApp' and w.provider <> '' then n.decision end as decision,
                    \(StoredIntent.columns)
            )
            select * from gone where id is not null order by due_at, id, ordinal
            """
        return .rows(query, WaitingDelivery.init)
    }
}

/// A row taken out of `due`, with its intent and all data needed to judge it.
public struct WaitingDelivery: Sendable {
    /// The row as it stood in `due`.
    private(set) var row: DueRow
    /// The first decision, if others were planned beside it on its channel.
    let decision: String?
    let stored: StoredIntent
    var trail = Trail()
    /// Devices that have the notification in their local plan.
    var plannedOn: Set<String> = []

    public fileprivate(set) var facts: RecipientFacts

    /// The row and the intent have their tenant and lane in columns of the same names, with the same values.
    init(_ row: PostgresRow) throws {
        self.row = try DueRow(row)
        decision = try row.decode("decision")
        stored = try StoredIntent(row)
        facts = .unseen(tenant: stored.intent.tenant, recipient: stored.intent.recipient)
    }

    public var intent: Intent { stored.intent }
    public var acceptedAt: Timestamp { stored.acceptedAt }

    var key: DeliveryKey { DeliveryKey(stored.id, row.ordinal) }

    /// One more delivery of the same notification, not yet tried.
    func another(_ ordinal: Int) -> WaitingDelivery {
        var another = self
        another.row.ordinal = ordinal
        another.row.attempt = 1
        return another
    }

    /// The instant by which the delivery is judged. It is the due time if the delivery waited for its own time and the releaser is not much
    /// later. See ``Store/judgedAsDue``.
    public func moment(at now: Timestamp) -> Timestamp {
        guard row.kind == .held, row.reason == .scheduledFor || row.reason == .quietHours, row.time < now,
            now - row.time <= Store.judgedAsDue
        else { return now }
        return row.time
    }

    /// The history of the delivery: the providers it has left, and the deliveries and devices beside it.
    public func past(at now: Timestamp) -> DeliveryPast {
        let beside = decision.map { DecisionText.open(on: row.channel, in: $0) } ?? []
        var past = DeliveryPast(
            because: row.kind == .failover ? row.reason : nil, keepsProvider: row.kind == .retry || row.kind == .recover,
            before: beside.filter { $0.ordinal < row.ordinal }.map(\.planned),
            after: beside.filter { $0.ordinal > row.ordinal }.map(\.planned))
        for step in row.kind == .again ? [] : Move.counting(trail.moves) where step.counts(at: now) {
            past.leave(step.provider, because: step.because)
        }
        if row.kind == .failover { past.leave(row.provider, because: row.reason) }
        past.plannedOn = plannedOn
        return past
    }

    /// The delivery as it was planned. Only its verdict is judged again.
    public var planned: PlannedDelivery {
        PlannedDelivery(channel: row.channel, provider: row.provider, endpoint: row.endpoint, verdict: .awaitEscalation)
    }
}

extension PlannedDelivery {
    /// If the delivery is sent now, extends its validity to `time` at least.
    fileprivate func sendable(until time: Timestamp) -> PlannedDelivery {
        guard case .send(let validUntil) = verdict, validUntil < time else { return self }
        var sendable = self
        sendable.verdict = .send(validUntil: time)
        return sendable
    }
}
