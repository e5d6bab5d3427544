public import TidingsCore
public import TidingsJSON
import TidingsPostgres

extension Store {
    /// The number of rows of a list if the caller sets no limit.
    public static let listLimit = 50
}

/// Readings of the command line, from the same views that an operator reads with psql.
extension Store.Operations {
    public func notifications(recipient: String?, type: String?, state: String?, limit: Int) async throws -> [JSON] {
        try await store.report(
            """
            select notification_id, type, recipient_id, state, deliveries, delivered, sent, failed, not_sent, accepted_at
            from tidings_ops.notifications n
            where (\(recipient) is null or n.recipient_id = \(recipient)) and (\(type) is null or n.type = \(type))
                and (\(state) is null or n.state = \(state))
            order by n.notification_id desc limit \(Int64(limit))
            """)
    }

    public func notification(_ id: NotificationID) async throws -> NotificationRecord.Notification? {
        let rows = try await store.report("select * from tidings_ops.notifications n where n.notification_id = \(id.uuid)")
        return try rows.first.map { try NotificationRecord.Notification($0) }
    }

    /// Title and body as they were accepted. They are personal data: no view has them, and reading them needs the `select` right on the
    /// table.
    public func content(of id: NotificationID) async throws -> JSON? {
        try await store.report("select title, body from tidings.notifications n where n.id = \(id.uuid)").first
    }

    /// The deliveries of a notification. The next step of each is that of its channel.
    public func deliveries(of id: NotificationID) async throws -> [NotificationRecord.Delivery] {
        let rows = try await store.report(
            """
            select d.*, r.meaning, r.what_to_do, p.scope || ' ' || p.target as paused, p.reason as pause_reason, p.paused_by, p.since_at as paused_at
            from tidings_ops.deliveries d left join tidings_ops.reason_codes r on r.code = d.reason_code
            left join tidings_ops.pauses p on p.pause_id = d.pause_id
            where d.notification_id = \(id.uuid) order by d.ordinal
            """)
        return try rows.map { try NotificationRecord.Delivery(Self.withAdviceOfChannel($0)) }
    }

    /// Leaves a reason or channel of a newer version alone.
    private static func withAdviceOfChannel(_ row: JSON) -> JSON {
        guard var delivery = row.objectValue, let reason = row["reason_code"]?.stringValue.flatMap({ ReasonCode(rawValue: $0) }),
            let channel = row["channel"]?.stringValue.flatMap({ Channel(rawValue: $0) })
        else { return row }
        delivery["what_to_do"] = .string(reason.whatToDo(on: channel))
        return .object(delivery)
    }

    public func deliveries(channel: String?, state: String?, reason: String?, limit: Int) async throws -> [JSON] {
        // Ended and pending deliveries each in their own order: the newest of a union would need a look at all.
        let newest = ["ended_deliveries", "pending_deliveries"].map { view -> SQL in
            """
            (select * from tidings_ops.\(unsafe: view) d
                where (\(channel) is null or d.channel = \(channel)) and (\(state) is null or d.state = \(state))
                    and (\(reason) is null or d.reason_code = \(reason))
                order by d.notification_id desc, d.ordinal limit \(Int64(limit)))
            """
        }
        return try await store.report(
            """
            select delivery_id, channel, provider, state, reason_code, attempts, due_at, recipient_id, type, created_at, finished_at
            from (\(newest.joined(separator: " union all "))) d
            order by d.notification_id desc, d.ordinal limit \(Int64(limit))
            """)
    }

    public func attempts(of id: NotificationID) async throws -> [NotificationRecord.Attempt] {
        let rows = try await store.report(
            "select * from tidings_ops.attempts a where a.notification_id = \(id.uuid) order by a.ordinal, a.attempt, a.started_at")
        return try rows.map { try NotificationRecord.Attempt($0) }
    }

    public func explain(_ id: NotificationID) async throws -> [NotificationRecord.Step] {
        let rows = try await store.report("select * from tidings_ops.explain(\(id.uuid))")
        return try rows.map { try NotificationRecord.Step($0) }
    }

    public func decisions(of id: NotificationID) async throws -> [NotificationRecord.Decision] {
        let rows = try await store.report(
            "select * from tidings_ops.decisions d where d.notification_id = \(id.uuid) order by d.decided_at, d.ordinal")
        return try rows.map { try NotificationRecord.Decision($0) }
    }

    /// Finds the record of any id.
    ///
    /// - Parameter identities: the identities of a token, if the id is one. A device is stored under one of them, however the token is written.
    public func find(_ anything: String, tokens identities: Set<String> = []) async throws -> [FoundRecord] {
        var rows = try await store.report("select * from tidings_ops.find(\(anything))")
        for identity in identities.subtracting([anything]).sorted() {
            rows += try await store.report("select * from tidings_ops.find(\(identity)) where matched_on = 'token'")
        }
        return try rows.map { try FoundRecord($0) }
    }

    public func stateCounts() async throws -> [JSON] {
        try await store.report(
            "select channel, state, reason_code, sum(n)::bigint as n from tidings_ops.state_counts group by 1, 2, 3 order by 1, 2, 3")
    }

    public func queues() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.queues order by queue")
    }

    /// Processes whose bulk work yields to urgent work now, and the time at which the waiting bulk work is done at this pace.
    public func bulkYields() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.bulk_yields order by worker_id")
    }

    /// Processes that sent a heartbeat within the last hour. Also the last process of the role `api` of the last seven days: no queue shows
    /// that the API is gone.
    public func workers() async throws -> [JSON] {
        try await store.report(
            """
            select w.* from tidings_ops.workers w, tidings_ops.schema_version v
            where w.heartbeat_at > v.as_of - interval '1 hour'
                or (w.heartbeat_at > v.as_of - interval '7 days' and w.worker_id = (
                    select a.worker_id from tidings_ops.workers a where a.role = 'api' order by a.heartbeat_at desc limit 1))
            order by w.role, w.worker_id
            """)
    }

    public func unaccounted() async throws -> [JSON] {
        try await store.report("select * from tidings_ops.unaccounted")
    }

    /// The zone in which a person reads times. UTC if Tidings has never seen the person.
    public func timeZone(of recipient: String, tenant: String) async throws -> String {
        let query: SQL = "select time_zone from tidings_ops.recipients where tenant = \(tenant) and recipient_id = \(recipient)"
        return try await pool.query(.first(query) { try $0.decode(String.self) }) ?? "UTC"
    }

    /// Whether every delivery of the notification has ended or waits for its time.
    public func isAtRest(_ id: NotificationID) async throws -> Bool {
        let query: SQL = """
            select n.planned = (select count(*) from tidings.deliveries d where d.notification_id = n.id)
                + (select count(*) from tidings.due w where w.notification_id = n.id and w.kind in ('held', 'escalation'))
            from tidings.notifications n where n.id = \(id.uuid)
            """
        return try await pool.query(.first(query) { try $0.decode(Bool.self) }) ?? false
    }
}
