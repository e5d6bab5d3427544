import TidingsCore
import TidingsPostgres

/// The providers that a delivery has left, and those where an attempt may have arrived.
struct Trail {
    /// A provider that the delivery was moved from, and the reason. See ``Move``.
    struct Step: Sendable {
        let provider: String
        let because: ReasonCode
        let at: Timestamp

        /// Whether the step still counts. A provider skipped for an open breaker longer ago than any pause of a breaker may work again.
        func counts(at now: Timestamp) -> Bool {
            because != .breakerOpen || now < at.adding(Breaker.Policy.standard.longestCoolDown)
        }

        fileprivate init(_ row: PostgresRow) throws {
            provider = try row.decode("moved_from")
            because = ReasonCode(rawValue: try row.decode("moved_because")) ?? .internalError
            at = try row.decode("at")
        }
    }

    /// The steps in order.
    var moves: [Step] = []
    /// The providers with an attempt whose outcome is unknown.
    var unsure: Set<String> = []
}

extension Store.Due {
    /// Returns the trails of the deliveries that may have one. These are the deliveries that fail over, and those on channels where some
    /// market's providers send in order.
    func trails(
        of waiting: [WaitingDelivery], in catalogue: Catalogue, in transaction: PostgresTransaction
    ) async throws -> [DeliveryKey: Trail] {
        let ordered = Set(catalogue.markets.values.flatMap { market in market.strategies.filter { $0.value != .all }.keys })
        let keys = waiting.filter { $0.row.kind == .failover || ordered.contains($0.row.channel) }.map(\.key)
        guard !keys.isEmpty else { return [:] }
        let asked: SQL = """
            from \(keys.relation("asked"))
            """
        var trip = RoundTrip()
        let moves: SQL = """
            select asked.notification_id, asked.ordinal, d.moved_from, d.moved_because, d.at \(asked)
            cross join lateral (select d.at, d.moved_from, d.moved_because from tidings.decisions d where d.notification_id = asked.notification_id
                and d.ordinal = asked.ordinal and d.moved_from is not null) d
            order by d.at
            """
        let moved = trip.ask(.rows(moves) { (key: try DeliveryKey($0), step: try Trail.Step($0)) })
        let attempts: SQL = """
            select asked.notification_id, asked.ordinal, a.provider \(asked)
            cross join lateral (select distinct a.provider from tidings.attempts a where a.notification_id = asked.notification_id
                and a.ordinal = asked.ordinal and a.outcome = 'unknown') a
            """
        let unsure = trip.ask(.rows(attempts) { (key: try DeliveryKey($0), provider: try $0.decode("provider", as: String.self)) })
        let found = try await transaction.send(trip)
        var trails: [DeliveryKey: Trail] = [:]
        for row in try found[moved] { trails[row.key, default: Trail()].moves.append(row.step) }
        for row in try found[unsure] { trails[row.key, default: Trail()].unsure.insert(row.provider) }
        return trails
    }

    /// Makes room for more deliveries than a notification was planned with. Returns the first free ordinal of each notification.
    ///
    /// This is the only change of a notification's row, and it is rare. A delivery that was planned for a person as a whole, or for a whole
    /// channel, is sent to several devices instead.
    func freeOrdinals(
        for wanted: [(NotificationID, Int)], in transaction: PostgresTransaction
    ) async throws -> [NotificationID: Int] {
        let more = Dictionary(wanted.filter { $0.1 > 0 }, uniquingKeysWith: +).sorted { $0.key < $1.key }
        guard !more.isEmpty else { return [:] }
        let planning: SQL = """
            update tidings.notifications n set planned = n.planned + asked.more
            from \(more.relation("asked", [Column("id", \.key), Column(smallint: "more", \.value)]))
            where n.id = asked.id returning n.id, (n.planned - asked.more)::integer
            """
        return Dictionary(
            uniqueKeysWithValues: try await transaction.query(
                .rows(planning) { row in
                    let (id, ordinal) = try row.decode((NotificationID, Int32).self)
                    return (id, Int(ordinal))
                }))
    }
}
