import TidingsCore
import TidingsPostgres

/// The locked deliveries of some reports, and the changes that the reports make.
struct ReportBook {
    private struct Standing {
        let tenant: String
        let channel: String
        let provider: String
        let endpoint: String?
        let attempts: Int16
        var state: DeliveryState
        var reason: String
        /// Whether a report told the present failure, and not the answer to a call.
        var failedAsReported = false
    }

    private struct Entry {
        let key: DeliveryKey
        let report: DeliveryReport
        let outcome: String
        let reason: String
        let before: Standing
        let after: Standing

        var isMove: Bool { before.state != after.state || before.reason != after.reason }
    }

    private let reporter: Reporter
    private var deliveries: [DeliveryKey: Standing] = [:]
    /// The keys of reports by their bytes.
    private var recorded: [DeliveryKey: Set<[UInt8]>] = [:]
    private var notifications: [NotificationID: (recipient: String, planned: Int, now: Timestamp)] = [:]
    private var erased: Set<NotificationID> = []
    private var entries: [Entry] = []
    private var gone = EndpointsGone()

    init(_ reporter: Reporter) { self.reporter = reporter }

    mutating func addDelivery(_ row: PostgresRow) throws {
        // A state of a newer version is left alone.
        guard let state = DeliveryState(rawValue: try row.decode("state")) else { return }
        deliveries[try DeliveryKey(row)] = Standing(
            tenant: try row.decode("tenant"), channel: try row.decode("channel"), provider: try row.decode("provider"),
            endpoint: try row.decode("endpoint"), attempts: try row.decode("attempts"), state: state, reason: try row.decode("reason"))
    }

    /// Adds the last failure of a delivery that a report told. A retry by an operator has left an earlier one behind.
    mutating func addReportedFailure(_ row: PostgresRow) throws {
        let (key, attempt) = (try DeliveryKey(row), try row.decode("attempt", as: Int16.self))
        guard deliveries[key]?.attempts == attempt else { return }
        deliveries[key]?.failedAsReported = true
    }

    mutating func addRecorded(_ row: PostgresRow) throws {
        let key: String = try row.decode("key")
        recorded[try DeliveryKey(row), default: []].insert(Array(key.utf8))
    }

    mutating func addNotification(_ row: PostgresRow) throws {
        let (id, recipient, planned, now) = try row.decode((PostgresUUID, String, Int16, PostgresTimestamp).self)
        notifications[NotificationID(id)] = (recipient, Int(planned), Timestamp(now))
    }

    mutating func addErased(_ id: NotificationID) { erased.insert(id) }

    /// Enters a report. The changes are made by ``statements``.
    mutating func enter(_ report: DeliveryReport, of key: DeliveryKey) -> ReportResult {
        guard let notification = notifications[key.notificationID], key.ordinal < notification.planned else {
            return erased.contains(key.notificationID) ? .erased : .unknown
        }
        guard let standing = deliveries[key] else { return .early }
        guard reporter.speaks(forDeliveriesOf: standing.provider), let (outcome, reason, isGone) = Self.words(of: report.outcome) else {
            return .unknown
        }
        guard recorded[key, default: []].insert(Array(report.key.utf8)).inserted else { return .repeated }
        var after = standing
        if case .move(let state, let reason) = effect(
            of: report.outcome, on: standing.state, because: ReasonCode(rawValue: standing.reason) ?? .accepted,
            failedAsReported: standing.failedAsReported)
        {
            (after.state, after.reason, after.failedAsReported) = (state, reason.rawValue, state == .failed)
        }
        deliveries[key] = after
        let entry = Entry(key: key, report: report, outcome: outcome, reason: reason.rawValue, before: standing, after: after)
        entries.append(entry)
        if isGone {
            let time = min(report.at ?? notification.now, notification.now)
            gone.add(tenant: standing.tenant, recipient: notification.recipient, endpoint: standing.endpoint, at: time)
        }
        return entry.isMove ? .applied : .kept
    }

    /// The words of `tidings.reports`. Nil for a report that is not recorded.
    static func words(of outcome: DeliveryReport.Outcome) -> (outcome: String, reason: ReasonCode, isGone: Bool)? {
        switch outcome {
        case .delivered: ("delivered", .delivered, false)
        case .engaged: ("engaged", .delivered, false)
        case .failed(let reason, let isGone): (isGone ? "gone" : "failed", reason, isGone)
        case .ignored: nil
        }
    }

    /// Notifications of which a delivery had reached its person, until a report told of a failure.
    var losses: Set<NotificationID> {
        Set(moved.filter { $0.before.state.isSuccess && !$0.after.state.isSuccess }.map(\.key.notificationID))
    }

    /// The first and the last standing of each delivery that moves. Of the reports of one request, the first may tell a failure and the second
    /// an arrival.
    private var moved: [(key: DeliveryKey, before: Standing, after: Standing)] {
        var ends: [DeliveryKey: (before: Standing, after: Standing)] = [:]
        for entry in entries where entry.isMove {
            ends[entry.key] = (before: ends[entry.key]?.before ?? entry.before, after: entry.after)
        }
        return ends.map { key, end in (key: key, before: end.before, after: end.after) }
    }

    /// The statements that write the entries. Empty if there are none.
    var statements: [SQL] {
        guard !entries.isEmpty else { return [] }
        return [insert, moves, gone.update].compactMap { $0 }
    }

    private var insert: SQL {
        """
        insert into tidings.reports (notification_id, ordinal, reporter, key, attempt, channel, provider, outcome, reason, told_at,
            received_at, state_before, reason_before, state_after, moved)
        select told.notification_id, told.ordinal, \(reporter.word), told.key, told.attempt, told.channel, told.provider, told.outcome,
            told.reason, told.told_at, (select tidings.clock()), told.state_before, told.reason_before, told.state_after, told.moved
        from \(entries.relation("told", Self.columns))
        """
    }

    private static let columns: [Column<Entry>] = [
        Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal), Column("key", \.report.key),
        Column(smallint: "attempt") { Int($0.before.attempts) }, Column("channel", \.before.channel), Column("provider", \.before.provider),
        Column("outcome", \.outcome), Column("reason", \.reason), Column("told_at", \.report.at), Column("state_before", \.before.state),
        Column("reason_before", \.before.reason), Column("state_after", \.after.state), Column("moved", \.isMove),
    ]

    /// Moves the deliveries and counts them in their new state. The constant range of ids limits the query to the partitions of their days.
    private var moves: SQL? {
        let moved = moved
        guard !moved.isEmpty else { return nil }
        let ids = moved.map(\.key.notificationID)
        return """
            with told as materialized (
                select * from \(moved.relation("t", [
                    Column("notification_id", \.key.notificationID), Column(smallint: "ordinal", \.key.ordinal),
                    Column("tenant", \.before.tenant), Column("channel", \.before.channel), Column("old_state", \.before.state),
                    Column("old_reason", \.before.reason), Column("state", \.after.state), Column("reason", \.after.reason),
                ]))
            ), moved as (
                update tidings.deliveries d set state = told.state, reason = told.reason from told
                where d.notification_id = told.notification_id and d.ordinal = told.ordinal
                    and d.notification_id between \(ids.min().map(\.uuid)) and \(ids.max().map(\.uuid))
            )
            \(TallyRows.insertEnded(
                "told", undone: "(select tenant, channel, old_state as state, old_reason as reason from told) before"))
            """
    }
}
