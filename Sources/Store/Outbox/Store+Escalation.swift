import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The end of one channel of an escalating notification.
struct EscalationStep {
    let key: DeliveryKey

    init(_ key: DeliveryKey) { self.key = key }

    /// Nil unless this settlement ends a delivery whose later channels may wait.
    init?(_ settlement: Settlement) {
        guard settlement.entry.escalates, case .ended = settlement.exit else { return nil }
        self.init(settlement.entry.key)
    }
}

extension Store {
    /// The number of notifications whose escalation one turn takes up again.
    package static let resumedBatch: Int64 = 100
}

extension Store.Outbox {
    /// Starts the next channel, or closes the later ones, in the transaction that ended the earlier one. It locks the notification's row.
    /// So if two workers end two channels at the same time, the step is taken exactly once.
    func escalate(_ steps: [EscalationStep], in transaction: PostgresTransaction) async throws {
        guard !steps.isEmpty else { return }
        let ids = Set(steps.map(\.key.notificationID)).sorted()
        _ = try await transaction.query(Self.lockNotifications(ids))
        var starting: [DeliveryKey] = []
        var closing: [DeliveryKey] = []
        for (id, members) in try await escalationMembers(of: ids, in: transaction) {
            switch nextEscalation(among: members.map(\.member)) {
            case .wait: continue
            case .start(let ordinals): starting += ordinals.map { DeliveryKey(id, $0) }
            case .close(let ordinals): closing += ordinals.map { DeliveryKey(id, $0) }
            }
        }
        _ = try await transaction.pipeline([Self.start(starting), Self.close(closing)])
    }

    /// Takes up the escalations again whose earlier channel has failed after all (``noteLosses(_:)``). Several processes may take a turn at
    /// once.
    ///
    /// - Returns: The number of notifications that were looked at. 0 if none waits.
    public func resumeEscalations() async throws -> Int {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            let ids = try await transaction.query(
                .rows("select notification_id from tidings.escalation_losses limit \(Store.resumedBatch) for update skip locked") {
                    try $0.decode(NotificationID.self)
                }
            ).sorted()
            guard !ids.isEmpty else { return 0 }
            // The notes are locked first. A report that tells of a further failure waits for this transaction, and its note is seen later.
            _ = try await transaction.query(Self.lockNotifications(ids))
            try await resume(ids, in: transaction)
            _ = try await transaction.query("delete from tidings.escalation_losses where notification_id = any(\(ids.uuids))")
            return ids.count
        }
    }

    /// Notes the escalating ones of these notifications, of which a delivery had reached the person until a report told of a failure. The
    /// process that takes the report may be one that starts no delivery, so a releaser does the rest (``resumeEscalations()``).
    ///
    /// A note that stands already is locked until the end of the transaction. Otherwise a releaser could delete it before it sees the
    /// failure.
    static func noteLosses(_ ids: [NotificationID]) -> SQL {
        """
        insert into tidings.escalation_losses (notification_id, noted_at)
        select n.id, (select tidings.clock()) from unnest(\(ids.uuids)) as lost(id)
        cross join lateral (select id from tidings.notifications where id = lost.id and critical limit 1) n
        on conflict (notification_id) do update set noted_at = excluded.noted_at
        """
    }

    /// Takes back the end of the later channels, unless another delivery reached the person. The next channel starts if no delivery is
    /// under way.
    private func resume(_ ids: [NotificationID], in transaction: PostgresTransaction) async throws {
        var starting: [DeliveryKey] = []
        var reopened: [(key: DeliveryKey, isNext: Bool)] = []
        for (id, members) in try await escalationMembers(of: ids, in: transaction) {
            let closed = members.indices.filter { members[$0].isClosed }
            let next: [Int]
            switch nextEscalation(among: members.map(\.reopened)) {
            case .close: continue
            case .wait: next = []
            case .start(let ordinals): next = ordinals
            }
            starting += next.map { DeliveryKey(id, $0) }
            for ordinal in closed { reopened.append((key: DeliveryKey(id, ordinal), isNext: next.contains(ordinal))) }
        }
        guard !starting.isEmpty || !reopened.isEmpty else { return }
        _ = try await transaction.pipeline([Self.start(starting), Self.reopen(reopened)])
    }

    /// Locks each notification by itself, in the order of the array. A list of ids would be searched in the partition of every kept day.
    private static func lockNotifications(_ ids: [NotificationID]) -> SQL {
        """
        select n.id from unnest(\(ids.uuids)) as asked(id)
        cross join lateral (select id from tidings.notifications where id = asked.id limit 1 for update) n
        """
    }

    /// Returns the planned deliveries of each notification in their order, with their present state.
    private func escalationMembers(
        of ids: [NotificationID], in transaction: PostgresTransaction
    ) async throws -> [NotificationID: [StoredMember]] {
        let query: SQL = """
            select n.id, planned.value ->> 'channel' as channel, d.state, d.reason, w.kind,
                coalesce((planned.value ->> 'copy')::boolean, false) as is_copy
            from unnest(\(ids.uuids)) as asked(id)
            cross join lateral (select * from tidings.notifications where id = asked.id limit 1) n
            cross join lateral generate_series(0, n.planned - 1) as m(ordinal)
            cross join lateral (select \(Store.plannedNow) as value) planned
            left join lateral (
                select state, reason from tidings.deliveries where notification_id = n.id and ordinal = m.ordinal limit 1) d on true
            left join tidings.due w on w.notification_id = n.id and w.ordinal = m.ordinal
            order by n.id, m.ordinal
            """
        let found = try await transaction.query(
            .rows(query) { (id: try $0.decode("id", as: NotificationID.self), member: try StoredMember($0)) })
        var members: [NotificationID: [StoredMember]] = [:]
        for row in found { if let member = row.member { members[row.id, default: []].append(member) } }
        return members
    }

    private static func start(_ keys: [DeliveryKey]) -> SQL {
        """
        update tidings.due w set kind = 'held', due_at = (select tidings.clock())
        from \(keys.relation("next"))
        where w.notification_id = next.notification_id and w.ordinal = next.ordinal
        """
    }

    private static func close(_ keys: [DeliveryKey]) -> SQL {
        """
        with closed as (
            delete from tidings.due w
            using \(keys.relation("last"))
            where w.notification_id = last.notification_id and w.ordinal = last.ordinal
            returning w.notification_id, w.ordinal, w.tenant, w.channel, w.provider
        ), ended as (
            \(EndedRow.insert(
                from: "closed",
                setting: [.endpoint: "null", .state: "'suppressed'", .reason: "'escalationNotNeeded'", .attempts: "0"]))
            returning tenant, channel, state, reason
        )
        \(TallyRows.insertEnded("ended"))
        """
    }

    /// Moves closed deliveries back to `due`, as they were before ``close(_:)``. A constant range of ids limits the query to the partitions
    /// of their days.
    private static func reopen(_ closed: [(key: DeliveryKey, isNext: Bool)]) -> SQL {
        let ids = closed.map(\.key.notificationID)
        return """
            with closed as (
                delete from tidings.deliveries d
                using \(closed.relation("last", [
                    Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal), Column("is_next", \.isNext),
                ]))
                where d.notification_id = last.notification_id and d.ordinal = last.ordinal and d.reason = 'escalationNotNeeded'
                    and d.notification_id between \(ids.min().map(\.uuid)) and \(ids.max().map(\.uuid))
                returning d.notification_id, d.ordinal, d.tenant, d.channel, d.provider, d.state, d.reason, last.is_next
            ), counted as (
                \(TallyRows.insertEnded(undone: "closed"))
            )
            \(DueRow.insert(
                from: """
                    (select m.notification_id, m.ordinal, n.lane, m.tenant, m.channel, m.provider, m.is_next,
                        \(Store.plannedNow) ->> 'endpoint' as endpoint
                    from closed m cross join lateral (select * from tidings.notifications where id = m.notification_id limit 1) n) reopened
                    """,
                setting: [
                    .time: "case when is_next then \(DueRow.now) else 'infinity' end",
                    .kind: "case when is_next then 'held' else 'escalation' end", .attempt: "1", .reason: "'awaitingEscalation'",
                ]))
            """
    }
}

/// A planned delivery of an escalating notification, as it is stored.
private struct StoredMember: Sendable {
    let member: EscalationMember
    /// Whether the delivery ended because an earlier channel had reached the person.
    let isClosed: Bool

    /// Nil for a channel of a newer version.
    init?(_ row: PostgresRow) throws {
        guard let channel = Channel(rawValue: try row.decode("channel")) else { return nil }
        let waiting: String? = try row.decode("kind")
        let ended = try row.decode("state", as: String?.self).flatMap(DeliveryState.init(rawValue:))
        member = EscalationMember(
            channel: channel, state: ended ?? (waiting == nil ? .queued : .held), isAwaiting: waiting == DueKind.escalation.rawValue,
            isCopy: try row.decode("is_copy"))
        isClosed = try row.decode("reason", as: String?.self) == ReasonCode.escalationNotNeeded.rawValue
    }

    /// The delivery as it was before it was closed.
    var reopened: EscalationMember {
        guard isClosed else { return member }
        return EscalationMember(channel: member.channel, state: .held, isAwaiting: true, isCopy: member.isCopy)
    }
}
