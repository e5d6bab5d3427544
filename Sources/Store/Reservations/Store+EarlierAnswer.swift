public import TidingsCore
import TidingsPostgres

/// The answer that a named request got before.
public struct EarlierAnswer: Sendable, Hashable {
    /// The ids of its notifications, in the order of the answer.
    public let ids: [NotificationID]
    /// Whether routers have decided all of them. The events of a decided request need no second publish.
    public let isDecided: Bool
}

extension Store.Reservations {
    /// Returns the earlier answer to a request whose body may be refused by now. Nil if the name is new, or belongs to another request.
    public func earlierAnswer(to named: NamedRequest) async throws -> EarlierAnswer? {
        let query: SQL = """
            select r.notification_ids, not exists (
                select from unnest(r.notification_ids) as asked(id) cross join lateral tidings_ops.promised(asked.id) p
                where p.state = 'accepted')
            from tidings.idempotent_requests r
            where r.caller = \(named.caller) and r.key = \(named.key) and r.fingerprint = \(named.fingerprint)
            """
        return try await pool.query(
            .first(query) { row in
                let (ids, isDecided) = try row.decode(([NotificationID], Bool).self)
                return EarlierAnswer(ids: ids, isDecided: isDecided)
            })
    }
}
