public import TidingsCore
import TidingsPostgres

/// The numbers that are compared with a producer's own ledger.
public struct MeasuredEvents: Sendable, Hashable {
    /// Notifications of the source's events.
    public var notifications = 0
    /// Distinct event ids of these notifications.
    public var events = 0
    /// Deliveries of these notifications that reached the person, as far as is known: `sent` or `delivered`.
    public var reached = 0
    /// Sends of these notifications that a provider may have seen twice.
    public var possibleDuplicates = 0
}

/// Queries for measurements. Each query uses an index, so that the query does not disturb the measurement.
extension Store.Operations {
    /// The given people of the default tenant with an inbox entry that was accepted after `since`.
    ///
    /// The limit for each person keeps the planner from reading the entries of every person instead.
    public func recipientsWithInbox(among recipients: [String], since: Timestamp) async throws -> [String] {
        try await pool.query(
            """
            select asked.recipient_id from unnest(\(recipients)) as asked(recipient_id) cross join lateral (
                select from tidings.inbox i
                where i.tenant = 'default' and i.recipient_id = asked.recipient_id
                    and i.notification_id >= tidings.first_id(\(since.timestamptz))
                limit 1) as seen
            """
        ).rows.map { try $0.decode(String.self) }
    }

    /// The outcome of the events of `source` that were accepted after `since`. Event ids that the broker did not confirm are left out.
    public func measured(source: String, since: Timestamp, unconfirmed: [String]) async throws -> MeasuredEvents {
        let query: SQL = """
            with mine as materialized (
                select id, event_id from tidings.notifications
                where id >= tidings.first_id(\(since.timestamptz)) and source = \(source) and not event_id = any(\(unconfirmed))
            )
            select (select count(*) from mine), (select count(distinct event_id) from mine),
                (select count(*) from mine join tidings.deliveries d on d.notification_id = mine.id
                    where d.notification_id >= tidings.first_id(\(since.timestamptz)) and d.state in ('sent', 'delivered')),
                (select count(*) from tidings.attempts a where a.possible_duplicate and a.notification_id >= tidings.first_id(\(since.timestamptz))
                    and exists (select from mine where mine.id = a.notification_id))
            """
        return try await pool.query(
            .one(query) { row in
                let (notifications, events, reached, duplicates) = try row.decode((Int, Int, Int, Int).self)
                return MeasuredEvents(notifications: notifications, events: events, reached: reached, possibleDuplicates: duplicates)
            })
    }

    /// The running processes with their roles, on any host or on the given one.
    public func runningWorkers(on host: String? = nil) async throws -> [(role: String, processID: Int32)] {
        try await pool.query(
            """
            select role, pid from tidings_ops.workers
            where state = 'running' and (\(host) is null or host = \(host)) order by role, pid
            """
        ).rows.map {
            let (role, processID) = try $0.decode((String, Int32).self)
            return (role, processID)
        }
    }
}
