import TidingsPostgres
import TidingsTestSupport

/// A database with 1,700,000 rows: notifications of 25 days with their deliveries, attempts, inbox entries and events of apps, and refused
/// events of producers.
/// The days are whole and end before today. A day with a few rows would have plans of its own, which depend on the time of day.
enum FilledDatabase {
    static let people = 50_000
    private static let days = 25
    private static let notificationsPerDay = 10_000
    private static let refused = 100_000

    /// Fills the tables in the order of time, as roles would have done, and collects their statistics.
    static func fill(_ system: TestSystem) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
        for statement in statements { try await connection.execute(script: statement, deadline: .seconds(120).patient) }
        await connection.close()
    }

    private static let decision = """
        {"strategy":"all","deliveries":[{"channel":"inApp","provider":"inbox","verdict":"send"},\
        {"channel":"push","provider":"","verdict":"notSent","reason":"noDevice"}]}
        """

    private static var statements: [String] {
        [
            "select tidings.ensure_partitions(29, 7)",
            """
            set synchronous_commit = off;
            insert into tidings.recipients (tenant, id, changed_at) select 'default', 'r' || n, tidings.clock() from generate_series(1, \(people)) n
            """,
            """
            insert into tidings.notifications (id, tenant, source, event_id, recipient_id, type, category, lane, title, data, critical,
                expires_at, accepted_at, planned, decision, catalogue)
            select tidings.first_id(at), 'default', '/size', 'e' || n, 'r' || 1 + n % \(people), 'orderUpdate', 'transactional', 'urgent',
                'A title', '{}', false, at + interval '1 day', at, 2, '\(decision)', 'c'
            from generate_series(1, \(days * notificationsPerDay)) n,
                lateral (select today - (\(days * notificationsPerDay) + 1 - n) * interval '1 day' / \(notificationsPerDay) as at
                    from date_trunc('day', tidings.clock(), 'UTC') as today) t
            """,
            """
            insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, state, reason, attempts, ended_at)
            select n.id, d.ordinal, n.tenant, d.channel, d.provider, d.state, d.reason, d.attempts, n.accepted_at
            from tidings.notifications n, (values (0, 'inApp', 'inbox', 'delivered', 'delivered', 0), (1, 'push', '', 'suppressed', 'noDevice', 0))
                as d(ordinal, channel, provider, state, reason, attempts)
            order by n.id
            """,
            """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, status, idempotency_key, worker,
                started_at, finished_at)
            select id, 0, 1, 'inApp', 'inbox', 'retry', 'connectionFailed', null, id || '-0', 'w', accepted_at, accepted_at
            from tidings.notifications order by id
            """,
            """
            insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, tenant, source, event_id, type, recipients, exchange,
                routing_key, headers, raw, size, sha256, replayable)
            select gen_random_uuid(), at, at, 'unknownType', '/type', 'no such type', 'default', '/size', 'x' || n, 'noSuchType',
                array['r' || 1 + n % \(people)], 'tidings.intents', 'transactional', '{}', '{}', 2, '', true
            from generate_series(1, \(refused)) n, lateral (select tidings.clock() - (\(refused) - n) * interval '1 minute' as at) t
            """,
            """
            insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, title, data, created_at)
            select tenant, recipient_id, id, (extract(epoch from accepted_at) * 1000)::bigint, type, category, title, data, accepted_at
            from tidings.notifications order by id
            """,
            """
            insert into tidings.inboxes (tenant, recipient_id, position, forgotten, total, unread, snoozed)
            select tenant, recipient_id, max(position), 0, count(*), count(*), 0 from tidings.inbox group by tenant, recipient_id
            """,
            """
            insert into tidings.engagement (tenant, recipient_id, notification_id, key, event, occurred_at, received_at, type, provider, market)
            select tenant, recipient_id, id, gen_random_uuid(), 'opened', accepted_at, accepted_at, type, 'inbox', 'default'
            from tidings.notifications order by id
            """,
            "vacuum (analyze) tidings.engagement",
            """
            vacuum (analyze) tidings.notifications, tidings.deliveries, tidings.attempts, tidings.inbox, tidings.inboxes,
            tidings.recipients, tidings.rejected
            """,
        ]
    }
}
