public import TidingsCore
import TidingsPostgres

/// The result of one report of a provider, or of one receipt of a device.
public enum ReportResult: String, Sendable, Hashable, CaseIterable {
    /// The delivery has a new state.
    case applied
    /// The report is in the history of the delivery and changed no state: it came late, or told nothing new.
    case kept
    /// The report was recorded before.
    case repeated
    /// The report tells of a step that Tidings does not record. Or a device confirms what stands in its plan of local notifications.
    case ignored
    /// No delivery of the provider has this reference, nothing was sent to the device, or the delivery is past retention. A report of a
    /// message may be kept, because a worker may be writing the answer with its id (``keepEarly(_:from:)``).
    case unknown
    /// The person of the notification was erased. Nothing of the report is kept.
    case erased
    /// The delivery has not ended yet: the worker has not written the provider's answer, or a retry waits. The report counts when it comes
    /// again, or when its delivery ends if the report is kept.
    case early
}

extension Store.Reports {
    /// Records reports of a provider, and moves the deliveries that they end (``TidingsCore/effect(of:on:because:)``).
    ///
    /// If a push of an escalating notification has failed after all, this is noted for a releaser, and the next channel takes its turn.
    ///
    /// The provider speaks only for its own deliveries, of every tenant. All reports are one transaction. Each is recorded once, however
    /// often it comes.
    ///
    /// - Returns: A result for each report, in the same order.
    public func record(_ reports: [DeliveryReport], from provider: String) async throws -> [ReportResult] {
        guard reports.contains(where: { $0.reference != nil && $0.outcome != .ignored }) else { return reports.map(Self.unstored) }
        return try await pool.transaction(retryAmbiguous: true) { transaction in
            try await Self.record(reports, from: provider, in: transaction)
        }
    }

    static func record(
        _ reports: [DeliveryReport], from provider: String, in transaction: PostgresTransaction
    ) async throws -> [ReportResult] {
        let keys = try await Self.keys(of: reports, from: provider, in: transaction)
        let sorted = Set(keys.compactMap { $0 }).sorted { ($0.notificationID, $0.ordinal) < ($1.notificationID, $1.ordinal) }
        guard !sorted.isEmpty else { return reports.map(Self.unstored) }
        var book = try await Self.openBook(of: sorted, for: .provider(provider), in: transaction)
        let results = zip(reports, keys).map { report, key in key.map { book.enter(report, of: $0) } ?? Self.unstored(report) }
        var statements = book.statements
        if !book.losses.isEmpty { statements.append(Store.Outbox.noteLosses(book.losses.sorted())) }
        if !statements.isEmpty { _ = try await transaction.pipeline(statements) }
        return results
    }

    /// Locks deliveries and reads what was reported about them.
    ///
    /// - Parameter sorted: the keys in their order, each once.
    static func openBook(
        of sorted: [DeliveryKey], for reporter: Reporter, in transaction: PostgresTransaction
    ) async throws -> ReportBook {
        var trip = RoundTrip()
        let deliveries = trip.ask(.rows(lock(sorted)))
        let earlier = trip.ask(.rows(recorded(sorted, by: reporter)))
        let known = trip.ask(.rows(notifications(of: sorted)))
        let gone = trip.ask(.rows(erased(among: sorted)) { try $0.decode(NotificationID.self) })
        let failures = trip.ask(.rows(reportedFailures(of: sorted)))
        let found = try await transaction.send(trip)
        var book = ReportBook(reporter)
        for row in try found[deliveries] { try book.addDelivery(row) }
        for row in try found[earlier] { try book.addRecorded(row) }
        for row in try found[known] { try book.addNotification(row) }
        for id in try found[gone] { book.addErased(id) }
        for row in try found[failures] { try book.addReportedFailure(row) }
        return book
    }

    /// The result of a report without a delivery.
    private static func unstored(_ report: DeliveryReport) -> ReportResult { report.outcome == .ignored ? .ignored : .unknown }

    /// Returns the delivery that each report names. Nil for a report that names none, or that is not recorded.
    private static func keys(
        of reports: [DeliveryReport], from provider: String, in transaction: PostgresTransaction
    ) async throws -> [DeliveryKey?] {
        let messages = reports.compactMap { report -> String? in
            if case .message(let id) = report.reference, report.outcome != .ignored { id } else { nil }
        }
        // By the bytes of the reference.
        var known: [[UInt8]: DeliveryKey] = [:]
        if !messages.isEmpty {
            let query: SQL = """
                select reference, notification_id, ordinal from tidings.message_references
                where provider = \(provider) and reference = any(\(messages))
                """
            let found = try await transaction.query(
                .rows(query) { (reference: try $0.decode("reference", as: String.self), key: try DeliveryKey($0)) })
            for row in found { known[Array(row.reference.utf8)] = row.key }
        }
        return reports.map { report in
            guard report.outcome != .ignored else { return nil }
            return switch report.reference {
            case .delivery(let id, let ordinal): DeliveryKey(id, ordinal)
            case .message(let id): known[Array(id.utf8)]
            case nil: nil
            }
        }
    }

    /// Locks the deliveries one by one in the order of the keys, so that two transactions cannot deadlock. `limit 1` makes PostgreSQL look
    /// up each delivery by itself, in the partition of its day.
    private static func lock(_ keys: [DeliveryKey]) -> SQL {
        """
        select d.* from \(keys.relation("told")) cross join lateral (
            select notification_id, ordinal, tenant, channel, provider, endpoint, state, reason, attempts from tidings.deliveries
            where notification_id = told.notification_id and ordinal = told.ordinal limit 1 for update) d
        """
    }

    /// Runs after ``lock(_:)``, in a statement of its own: it sees the reports that were committed during the wait.
    private static func recorded(_ keys: [DeliveryKey], by reporter: Reporter) -> SQL {
        """
        select r.* from \(keys.relation("told")) cross join lateral (
            select notification_id, ordinal, key from tidings.reports
            where notification_id = told.notification_id and ordinal = told.ordinal and reporter = \(reporter.word) offset 0) r
        """
    }

    /// The last failure of each delivery that a report told. Runs after ``lock(_:)`` for the same reason.
    private static func reportedFailures(of keys: [DeliveryKey]) -> SQL {
        """
        select r.* from \(keys.relation("told")) cross join lateral (
            select notification_id, ordinal, attempt from tidings.reports
            where notification_id = told.notification_id and ordinal = told.ordinal and moved and state_after = 'failed'
            order by attempt desc limit 1) r
        """
    }

    private static func notifications(of keys: [DeliveryKey]) -> SQL {
        """
        select n.* from unnest(\(Set(keys.map(\.notificationID)).sorted().uuids)) as told(id) cross join lateral (
            select id, recipient_id, planned, (select tidings.clock()) as now from tidings.notifications where id = told.id limit 1) n
        """
    }

    private static func erased(among keys: [DeliveryKey]) -> SQL {
        "select id from tidings.erased_notifications where id = any(\(keys.map(\.notificationID).uuids))"
    }
}
