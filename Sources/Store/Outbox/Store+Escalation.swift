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
    /// Starts the next channel, or closes the later ones, in the transaction that ended the earlier one. It locks the notification's row.
    /// So if two workers end two channels at the same time, the step is taken exactly once.
    func escalate(_ steps: [EscalationStep], in transaction: PostgresTransaction) async throws {
        guard !steps.isEmpty else { return }
        let ids = Set(steps.map(\.key.notificationID)).sorted()
        // Lock each notification by itself, in the order of the array. A list of ids would be searched in the partition of every kept day.
        _ = try await transaction.query(
            """
            select n.id from unnest(\(ids.uuids)) as asked(id)
            cross join lateral (select id from tidings.notifications where id = asked.id limit 1 for update) n
            """)
        var starting: [DeliveryKey] = []
        var closing: [DeliveryKey] = []
        for (id, members) in try await escalationMembers(of: ids, in: transaction) {
            switch nextEscalation(among: members) {
            case .wait: continue
            case .start(let ordinals): starting += ordinals.map { DeliveryKey(id, $0) }
            case .close(let ordinals): closing += ordinals.map { DeliveryKey(id, $0) }
            }
        }
        _ = try await transaction.pipeline([Self.start(starting), Self.close(closing)])
    }

    /// Returns the planned deliveries of each notification in their order, with their present state.
    private func escalationMembers(
        of ids: [NotificationID], in transaction: PostgresTransaction
    ) async throws -> [NotificationID: [EscalationMember]] {
        let result = try await transaction.query(
            """
            select n.id, planned.value ->> 'channel', d.state, w.kind, coalesce((planned.value ->> 'copy')::boolean, false)
            from unnest(\(ids.uuids)) as asked(id)
            cross join lateral (select * from tidings.notifications where id = asked.id limit 1) n
            cross join lateral generate_series(0, n.planned - 1) as m(ordinal)
            cross join lateral (select \(Self.plannedNow) as value) planned
            left join lateral (
                select state from tidings.deliveries where notification_id = n.id and ordinal = m.ordinal limit 1) d on true
            left join tidings.due w on w.notification_id = n.id and w.ordinal = m.ordinal
            order by n.id, m.ordinal
            """)
        var members: [NotificationID: [EscalationMember]] = [:]
        for row in result.rows {
            let (id, channel, ended, waiting, isCopy) = try row.decode((PostgresUUID, String, String?, String?, Bool).self)
            guard let channel = Channel(rawValue: channel) else { continue }
            let state = ended.flatMap(DeliveryState.init(rawValue:)) ?? (waiting == nil ? .queued : .held)
            members[NotificationID(id), default: []].append(
                EscalationMember(channel: channel, state: state, isAwaiting: waiting == DueKind.escalation.rawValue, isCopy: isCopy))
        }
        return members
    }

    private static func start(_ keys: [DeliveryKey]) -> SQL {
        """
        update tidings.due w set kind = 'held', due_at = (select tidings.clock())
        from unnest(\(keys.map(\.notificationID).uuids), \(keys.map { Int16($0.ordinal) })) as next(notification_id, ordinal)
        where w.notification_id = next.notification_id and w.ordinal = next.ordinal
        """
    }

    private static func close(_ keys: [DeliveryKey]) -> SQL {
        """
        with closed as (
            delete from tidings.due w
            using unnest(\(keys.map(\.notificationID).uuids), \(keys.map { Int16($0.ordinal) })) as last(notification_id, ordinal)
            where w.notification_id = last.notification_id and w.ordinal = last.ordinal
            returning w.notification_id, w.ordinal, w.tenant, w.channel, w.provider
        ), ended as (
            \(EndedRows.insert(endpoint: "null", state: "'suppressed'", reason: "'escalationNotNeeded'", attempts: "0", from: "closed"))
            returning tenant, channel, state, reason
        )
        \(TallyRows.insertEnded("ended"))
        """
    }
}
