import TidingsCore
import TidingsPostgres
import TidingsWire

extension Store {
    /// Writes outcomes. Only a pack that `worker` still holds moves a delivery's state; a late outcome leaves its attempt and nothing else.
    ///
    /// Running it twice with the same settlements is harmless: the second time the deliveries have left the pack.
    public func settle(_ settlements: [Settlement], worker: String) async throws {
        guard !settlements.isEmpty else { return }
        let rows = SettlementRows(settlements)
        var statements = [rows.lock(worker: worker), AttemptRows(settlements, worker: worker).insert, rows.settle(worker: worker)]
        let gone = settlements.filter(\.endpointIsGone)
        if !gone.isEmpty { statements.append(Self.endpointsGone(gone)) }
        let sql = statements.compactMap { $0 }
        let ends = settlements.compactMap(EscalationStep.init)
        guard !ends.isEmpty else {
            _ = try await pool.pipeline(sql)
            return
        }
        try await pool.transaction(retryAmbiguous: true) { connection in
            _ = try await connection.pipeline(sql)
            try await escalate(ends, on: connection)
        }
    }

    private static func endpointsGone(_ settlements: [Settlement]) -> SQL {
        """
        with gone as (
            update tidings.endpoints e set gone_at = (select tidings.clock()), changed_at = (select tidings.clock())
            from unnest(\(settlements.map(\.entry.tenant)), \(settlements.map(\.entry.recipient)), \(settlements.map(\.entry.endpoint)))
                as told(tenant, recipient_id, id)
            where e.tenant = told.tenant and e.recipient_id = told.recipient_id and e.id = told.id and e.gone_at is null
            returning e.tenant, e.recipient_id
        )
        update tidings.recipients r set changed_at = (select tidings.clock()) from gone where r.tenant = gone.tenant and r.id = gone.recipient_id
        """
    }
}

/// Settlements as the columns of one statement.
private struct SettlementRows {
    let settlements: [Settlement]

    init(_ settlements: [Settlement]) { self.settlements = settlements }

    private var states: [String?] {
        settlements.map { if case .ended(let state, _) = $0.exit { state.rawValue } else { nil } }
    }
    private var reasons: [String] {
        settlements.map {
            switch $0.exit {
            case .ended(_, let reason), .waiting(_, _, _, let reason): reason.rawValue
            }
        }
    }
    private var dueAt: [PostgresTimestamp?] {
        settlements.map { if case .waiting(let until, _, _, _) = $0.exit { until.timestamptz } else { nil } }
    }
    private var kinds: [String?] {
        settlements.map { if case .waiting(_, let kind, _, _) = $0.exit { kind.rawValue } else { nil } }
    }

    /// Locks the packs in a statement of its own, so that the next one sees what another settlement of the same pack just took out of it.
    func lock(worker: String) -> SQL {
        "select from tidings.packs where id = any(\(packs)) and claimed_by = \(worker) order by id for update"
    }

    private var packs: [PostgresUUID] { Array(Set(settlements.map(\.pack))).uuids }

    /// Takes the settled deliveries out of the packs that `worker` holds, gives each its new home, and counts what ended.
    ///
    /// Two settlements of one pack may meet: what is left of it is counted on the row as it is once locked, never on the one the statement's
    /// snapshot saw before it waited. A delivery that has left the pack already is not touched, so that settling twice changes nothing.
    func settle(worker: String) -> SQL {
        """
        with owned as (
            select id, notification_ids, ordinals, attempts from tidings.packs
            where id = any(\(Array(Set(settlements.map(\.pack))).uuids)) and claimed_by = \(worker)
            order by id for update
        ), member as materialized (
            select owned.id as pack, m.notification_id, m.ordinal, m.attempt, m.position
            from owned cross join lateral unnest(owned.notification_ids, owned.ordinals, owned.attempts)
                with ordinality as m(notification_id, ordinal, attempt, position)
        ), given as materialized (
            select told.* from unnest(\(settlements.map(\.pack).uuids), \(settlements.map(\.entry.notificationID).uuids),
                \(settlements.map { Int16($0.entry.ordinal) }), \(settlements.map(\.entry.tenant)), \(settlements.map(\.channel.rawValue)),
                \(settlements.map(\.provider)), \(settlements.map(\.entry.endpoint)), \(settlements.map(\.lane.rawValue)), \(states),
                \(reasons), \(settlements.map { Int16($0.attemptsMade) }), \(settlements.map(\.providerMessageID)), \(dueAt), \(kinds))
                as told(pack, notification_id, ordinal, tenant, channel, provider, endpoint, lane, state, reason, attempts,
                    provider_message_id, due_at, kind)
            join member using (pack, notification_id, ordinal)
        ), ended as (
            insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts,
                provider_message_id, ended_at)
            select notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts, provider_message_id, (select tidings.clock())
            from given where state is not null
            on conflict do nothing returning tenant, channel, state, reason
        ), waiting as (
            insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempt, reason, since)
            select notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, endpoint, attempts, reason, (select tidings.clock())
            from given where state is null
            on conflict do nothing
        ), counted as (
            insert into tidings.tally (kind, tenant, channel, state, reason, n)
            select 'ended', tenant, channel, state, reason, count(*) from ended group by tenant, channel, state, reason
        ), rest as materialized (
            select m.pack, array_agg(m.notification_id order by m.position) filter (where g.pack is null) as notification_ids,
                array_agg(m.ordinal order by m.position) filter (where g.pack is null) as ordinals,
                array_agg(m.attempt order by m.position) filter (where g.pack is null) as attempts
            from member m left join given g on g.pack = m.pack and g.notification_id = m.notification_id and g.ordinal = m.ordinal
            group by m.pack having count(g.pack) > 0
        ), closed as (
            delete from tidings.packs p using rest r where p.id = r.pack and r.notification_ids is null
        )
        update tidings.packs p set notification_ids = r.notification_ids, ordinals = r.ordinals, attempts = r.attempts
        from rest r where p.id = r.pack and r.notification_ids is not null
        """
    }
}
