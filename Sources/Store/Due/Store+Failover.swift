import TidingsCore
import TidingsPostgres

/// What a delivery has behind it with its providers.
struct Trail {
    /// A provider it was moved from, and why; see ``Move``.
    struct Step {
        let provider: String
        let because: ReasonCode
        let at: Timestamp

        /// Whoever was passed over for failing longer ago than any pause of a breaker may be well again.
        func counts(at now: Timestamp) -> Bool {
            because != .breakerOpen || now < at.adding(Breaker.Policy.standard.longestCoolDown)
        }
    }

    /// In order.
    var moves: [Step] = []
    /// Those of which nobody knows how an attempt ended.
    var unsure: Set<String> = []
}

extension Store {
    /// The trails of those that may have one: where a market's providers go in order.
    func trails(
        of waiting: [WaitingDelivery], in catalogue: Catalogue, in transaction: PostgresTransaction
    ) async throws -> [DeliveryKey: Trail] {
        let ordered = Set(catalogue.markets.values.flatMap { market in market.strategies.filter { $0.value != .all }.keys })
        let keys = waiting.filter { $0.kind == .failover || ordered.contains($0.channel) }.map(\.key)
        guard !keys.isEmpty else { return [:] }
        let asked: SQL = """
            from unnest(\(keys.map(\.notificationID).uuids), \(keys.map { Int16($0.ordinal) })) as asked(notification_id, ordinal)
            """
        let answers = try await transaction.pipeline([
            """
            select asked.notification_id, asked.ordinal, d.moved_from, d.moved_because, d.at \(asked)
            cross join lateral (select d.at, d.moved_from, d.moved_because from tidings.decisions d where d.notification_id = asked.notification_id
                and d.ordinal = asked.ordinal and d.moved_from is not null) d
            order by d.at
            """,
            """
            select asked.notification_id, asked.ordinal, a.provider \(asked)
            cross join lateral (select distinct a.provider from tidings.attempts a where a.notification_id = asked.notification_id
                and a.ordinal = asked.ordinal and a.outcome = 'unknown') a
            """,
        ])
        var trails: [DeliveryKey: Trail] = [:]
        for row in answers[0].rows {
            let (id, ordinal, provider, reason, at) = try row.decode((PostgresUUID, Int16, String, String, PostgresTimestamp).self)
            let step = Trail.Step(provider: provider, because: ReasonCode(rawValue: reason) ?? .internalError, at: Timestamp(at))
            trails[DeliveryKey(NotificationID(id), Int(ordinal)), default: Trail()].moves.append(step)
        }
        for row in answers[1].rows {
            let (id, ordinal, provider) = try row.decode((PostgresUUID, Int16, String).self)
            trails[DeliveryKey(NotificationID(id), Int(ordinal)), default: Trail()].unsure.insert(provider)
        }
        return trails
    }

    /// Makes room for more deliveries than a notification was planned with, and answers the first ordinal of each that is free.
    ///
    /// The one change of a notification's row, and a rare one: what was planned for a person as such, or for a whole channel, goes to several
    /// devices instead.
    func freeOrdinals(
        for wanted: [(NotificationID, Int)], in transaction: PostgresTransaction
    ) async throws -> [NotificationID: Int] {
        let more = Dictionary(wanted.filter { $0.1 > 0 }, uniquingKeysWith: +).sorted { $0.key < $1.key }
        guard !more.isEmpty else { return [:] }
        let result = try await transaction.query(
            """
            update tidings.notifications n set planned = n.planned + asked.more
            from unnest(\(more.map(\.key).uuids), \(more.map { Int16($0.value) })) as asked(id, more)
            where n.id = asked.id returning n.id, (n.planned - asked.more)::integer
            """)
        var free: [NotificationID: Int] = [:]
        for row in result.rows {
            let (id, ordinal) = try row.decode((PostgresUUID, Int32).self)
            free[NotificationID(id)] = Int(ordinal)
        }
        return free
    }
}
