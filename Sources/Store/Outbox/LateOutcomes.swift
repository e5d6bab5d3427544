import TidingsContracts
import TidingsCore
import TidingsPostgres

/// Outcomes of calls whose deliveries had left their worker's pack. The lease had ended, and a releaser took the pack apart.
///
/// The worker knows the outcome, and the releaser could only guess it. So each outcome leaves its attempt. A definite outcome (accepted,
/// rejected, endpoint gone) also ends the delivery, if no other attempt has begun.
///
/// A delivery stands in exactly one place (`Documentation.docc/Decisions/0001-deliveries-are-written-once.md`). In three places no other
/// attempt has begun. ``LateEnds`` looks in all three, and takes the delivery out of its place:
///
/// - `waited`: a row of `due`. The row is deleted.
/// - `member`: an unclaimed pack. The pack shrinks, or is deleted if no delivery is left.
/// - `guessed`: the delivery's own row, with the releaser's guess `outcomeUnknown`. The row gets the true outcome.
///
/// If the answer to a commit is lost, the same settlement is written again and looks late too. This changes nothing: the delivery has ended
/// with this outcome, or its attempt has its row.
struct LateOutcomes {
    private let all: [LateSettlement]
    private let worker: String

    init(_ late: [LateSettlement], worker: String) {
        all = late.filter { $0.settlement.attempt != nil }
        self.worker = worker
    }

    var isEmpty: Bool { all.isEmpty }

    /// The attempts that the delivery's own row does not describe already.
    fileprivate func unknown(told: Set<DeliveryKey>) -> AttemptRows {
        AttemptRows(late: all.filter { !told.contains($0.settlement.entry.key) }, worker: worker)
    }

    /// The outcomes that may end their delivery: definite answers of the provider.
    fileprivate var ends: [(settlement: Settlement, state: DeliveryState, reason: ReasonCode)] {
        all.lazy.map(\.settlement).compactMap { settlement in
            guard case .ended(let state, let reason) = settlement.exit, settlement.attempt?.outcome != "unknown" else { return nil }
            return (settlement, state, reason)
        }
    }

    fileprivate var keys: [DeliveryKey] { all.map(\.settlement.entry.key) }
}

extension Store.Outbox {
    func record(_ late: LateOutcomes, in transaction: PostgresTransaction) async throws {
        guard !late.isEmpty else { return }
        // Find the packs without a lock, then lock them in the order of their ids. Every transaction uses this order, so they cannot
        // deadlock.
        let unclaimed = try await transaction.query(.rows(Self.unclaimedPacks(of: late.keys)) { try $0.decode(PostgresUUID.self) })
        let locked = try await transaction.query(.rows(Self.lockUnclaimed(unclaimed)) { try $0.decode(PostgresUUID.self) })
        let ended = try await transaction.query(.rows(LateEnds(late.ends, packs: locked).statement) { try DeliveryKey($0) })
        let told = try await transaction.query(.rows(LateEnds(late.ends, packs: []).told) { try DeliveryKey($0) })
        // A delivery that ends only now already has an attempt with the releaser's guess. Write the true attempt too.
        let attempts = late.unknown(told: Set(told).subtracting(ended)).insert
        let statements = [attempts, ended.isEmpty ? nil : Self.noDuplicate(ended)].compactMap { $0 }
        if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
    }

    private static func unclaimedPacks(of keys: [DeliveryKey]) -> SQL {
        """
        select distinct p.id from tidings.packs p cross join lateral unnest(p.notification_ids, p.ordinals) as m(notification_id, ordinal)
        join \(keys.relation("told")) using (notification_id, ordinal)
        where p.claimed_at is null
        """
    }

    /// Locks the packs in a statement of its own. The next statement then sees the claims and settlements that were committed during the
    /// wait.
    private static func lockUnclaimed(_ packs: [PostgresUUID]) -> SQL {
        "select id from tidings.packs where id = any(\(packs)) and claimed_at is null order by id for update"
    }

    /// Takes back the releaser's guess that the provider may see the delivery twice. The provider's answer is known, and nothing was sent
    /// again.
    private static func noDuplicate(_ keys: [DeliveryKey]) -> SQL {
        """
        update tidings.attempts a set possible_duplicate = false
        from \(keys.relation("told"))
        where a.notification_id = told.notification_id and a.ordinal = told.ordinal and a.outcome = 'unknown' and a.reason = 'workerDied'
            and a.notification_id between \(keys.map(\.notificationID).min().map(\.uuid)) and \(keys.map(\.notificationID).max().map(\.uuid))
        """
    }
}

/// Deliveries that end by a late answer. Each is removed from the place where it waits.
private struct LateEnds {
    let ends: [(settlement: Settlement, state: DeliveryState, reason: ReasonCode)]
    /// The locked packs that no worker has claimed.
    let packs: [PostgresUUID]

    init(_ ends: [(settlement: Settlement, state: DeliveryState, reason: ReasonCode)], packs: [PostgresUUID]) {
        self.ends = ends
        self.packs = packs
    }

    private var entries: [PackEntry] { ends.map(\.settlement.entry) }

    private var given: SQL {
        "select * from "
            + ends.relation(
                "t",
                [
                    Column("notification_id", \.settlement.entry.notificationID), Column(smallint: "ordinal", \.settlement.entry.ordinal),
                    Column(smallint: "attempt", \.settlement.entry.attempt), Column("state", \.state), Column("reason", \.reason),
                    Column("provider_message_id", \.settlement.providerMessageID),
                ])
    }

    /// A constant range of ids. It limits the query to the partitions of their days.
    private var range: (low: PostgresUUID?, high: PostgresUUID?) {
        (entries.map(\.notificationID).min()?.uuid, entries.map(\.notificationID).max()?.uuid)
    }

    /// Ends the deliveries, and returns those that ended. A delivery ends here only if the attempt after the late one has not begun.
    var statement: SQL {
        """
        with told as materialized (\(given)), waited as (
            delete from tidings.due w using told t
            where w.notification_id = t.notification_id and w.ordinal = t.ordinal and w.attempt = t.attempt + 1
            returning w.notification_id, w.ordinal, w.tenant, w.channel, w.provider, w.endpoint
        ), member as materialized (
            select p.id as pack, p.channel, p.provider, m.notification_id, m.ordinal, m.attempt, m.position, t.notification_id is not null as ends
            from tidings.packs p cross join lateral unnest(p.notification_ids, p.ordinals, p.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
            left join told t on t.notification_id = m.notification_id and t.ordinal = m.ordinal and t.attempt + 1 = m.attempt
            where p.id = any(\(packs))
        ), rest as materialized (
            select pack, coalesce(array_agg(notification_id order by position) filter (where not ends), '{}') as notification_ids,
                coalesce(array_agg(ordinal order by position) filter (where not ends), '{}') as ordinals,
                coalesce(array_agg(attempt order by position) filter (where not ends), '{}') as attempts
            from member group by pack having bool_or(ends)
        ), emptied as (
            delete from tidings.packs p using rest r where p.id = r.pack and cardinality(r.notification_ids) = 0
        ), shrunk as (
            update tidings.packs p set notification_ids = r.notification_ids, ordinals = r.ordinals, attempts = r.attempts
            from rest r where p.id = r.pack and cardinality(r.notification_ids) > 0
        ), freed as (
            select notification_id, ordinal, tenant, channel, provider, endpoint from waited
            union all
            select m.notification_id, m.ordinal, n.tenant, m.channel, m.provider, \(Store.plannedNow) ->> 'endpoint'
            from member m cross join lateral (select * from tidings.notifications n where n.id = m.notification_id limit 1) n where m.ends
        ), guessed as (
            update tidings.deliveries d set state = t.state, reason = t.reason, provider_message_id = t.provider_message_id
            from told t where d.notification_id = t.notification_id and d.ordinal = t.ordinal and d.attempts = t.attempt
                and d.state = 'failed' and d.reason = 'outcomeUnknown' and d.notification_id between \(range.low) and \(range.high)
            returning d.notification_id, d.ordinal, d.tenant, d.channel, d.state, d.reason
        ), ended as (
            \(EndedRow.insert(
                from: "freed join told using (notification_id, ordinal)",
                setting: [.attempts: "attempt", .providerMessageID: "provider_message_id"]))
            returning notification_id, ordinal, tenant, channel, state, reason
        ), counted as (
            \(TallyRows.insertEnded(
                "(select * from ended union all select * from guessed) e",
                undone: "(select tenant, channel, 'failed' as state, 'outcomeUnknown' as reason from guessed) u"))
        )
        select notification_id, ordinal from ended union all select notification_id, ordinal from guessed
        """
    }

    /// Returns the deliveries whose own row already has the late outcome, or had it before a report moved it on.
    var told: SQL {
        """
        select t.notification_id, t.ordinal from (\(given)) t join tidings.deliveries d
            on d.notification_id = t.notification_id and d.ordinal = t.ordinal and d.attempts = t.attempt
                and (d.state = t.state or exists (select from tidings.reports r where r.notification_id = d.notification_id
                    and r.ordinal = d.ordinal and r.attempt = d.attempts and r.moved and r.state_before = t.state))
                and d.provider_message_id is not distinct from t.provider_message_id
        where d.notification_id between \(range.low) and \(range.high)
        """
    }
}
