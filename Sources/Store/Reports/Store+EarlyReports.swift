public import TidingsCore
import TidingsPostgres

extension Store {
    /// The time for which a report waits for its delivery. A worker writes an answer within milliseconds, or when the database is back.
    package static let earlyReportsKept = Duration.seconds(60)
    /// Waiting reports that one turn records.
    package static let earlyReportBatch: Int64 = 500
    /// Waiting reports, the oldest, among which one turn looks for known messages. A look-up takes some microseconds. The reports of two
    /// providers at the full rate of a process fit.
    package static let earlyReportsSearched: Int64 = 25_000
    /// Reports without a delivery that one turn deletes.
    package static let earlyReportPruneBatch: Int64 = 5_000
}

/// Reports that name only the provider's id of a message, and that no delivery has yet.
///
/// A provider may report faster than the worker writes its answer. Another system may also send through the same account. Both reports look
/// alike. So each is kept for a while, and the provider never has to send it again.
extension Store.Reports {
    /// Keeps reports until a releaser finds their deliveries. A report that waits already is kept once. Reports that name no message are
    /// left out.
    public func keepEarly(_ reports: [DeliveryReport], from provider: String) async throws {
        let rows = reports.compactMap { EarlyReport($0, from: provider) }
            .sorted { ($0.reference, $0.report.key) < ($1.reference, $1.report.key) }
        guard !rows.isEmpty else { return }
        _ = try await pool.write(
            """
            insert into tidings.early_reports (provider, reference, key, outcome, reason, told_at, received_at)
            select \(provider), told.*, (select tidings.clock())
            from \(rows.relation("told", [
                Column("reference", \.reference), Column("key", \.report.key), Column("outcome", \.outcome), Column("reason", \.reason),
                Column("told_at", \.report.at),
            ]))
            on conflict do nothing
            """)
    }

    /// Records the waiting reports whose deliveries have ended by now, and deletes those that have waited for ``earlyReportsKept``. A report
    /// of a known message is recorded first, however long no releaser ran. Several processes may take a turn at once.
    ///
    /// - Returns: The results of the reports that wait no longer. Empty if there are none.
    public func recordEarly() async throws -> [(provider: String, result: ReportResult)] {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var look = RoundTrip(running: [Store.byIndex])
            let known = look.ask(.rows(Self.knownEarly) { try EarlyReport($0) })
            let found = try await transaction.send(look)[known]
            let waiting = found.compactMap { $0 }
            var ended: [(provider: String, result: ReportResult)] = []
            var done: [EarlyReport] = []
            for (provider, group) in Dictionary(grouping: waiting, by: \.provider).sorted(by: { $0.key < $1.key }) {
                let results = try await Self.record(group.map(\.report), from: provider, in: transaction)
                for (report, result) in zip(group, results) where result != .early || report.hasWaited {
                    ended.append((provider: provider, result: result))
                    done.append(report)
                }
            }
            // A full turn leaves known messages for the next one.
            let isLast = found.count < Int(Store.earlyReportBatch)
            var change = RoundTrip(running: [Self.forgetEarly(done)])
            let unknown = isLast ? change.ask(.rows(Self.pruneEarly) { try $0.decode(String.self) }) : nil
            let written = try await transaction.send(change)
            ended += try unknown.map { try written[$0] }?.map { (provider: $0, result: .unknown) } ?? []
            return ended
        }
    }

    /// Waiting reports whose message a delivery has, among the oldest. `limit 1` makes PostgreSQL look up each message by itself.
    private static let knownEarly: SQL = """
        select e.provider, e.reference, e.key, e.outcome, e.reason, e.told_at, e.received_at < \(earliestKept) as has_waited
        from (select provider, reference, key from tidings.early_reports order by received_at limit \(Store.earlyReportsSearched)) oldest
        cross join lateral (
            select from tidings.message_references r where r.provider = oldest.provider and r.reference = oldest.reference limit 1) known
        join tidings.early_reports e on e.provider = oldest.provider and e.reference = oldest.reference and e.key = oldest.key
        order by e.provider, e.reference, e.key limit \(Store.earlyReportBatch) for update of e skip locked
        """

    private static let earliestKept: SQL =
        "(select tidings.clock() - make_interval(secs => \(Double(Store.earlyReportsKept.components.seconds))))"

    private static func forgetEarly(_ done: [EarlyReport]) -> SQL {
        """
        delete from tidings.early_reports e
        using \(done.relation("done", [
            Column("provider", \.provider), Column("reference", \.reference), Column("key", \.report.key),
        ]))
        where e.provider = done.provider and e.reference = done.reference and e.key = done.key
        """
    }

    /// Deletes reports of unknown messages. The outer join keeps the look-up of each message by itself.
    private static let pruneEarly: SQL = """
        delete from tidings.early_reports where ctid = any(array(
            select e.ctid from tidings.early_reports e left join lateral (
                select true as is_known from tidings.message_references r where r.provider = e.provider and r.reference = e.reference limit 1
            ) known on true
            where e.received_at < \(earliestKept) and known.is_known is null
            order by e.received_at limit \(Store.earlyReportPruneBatch) for update of e skip locked))
        returning provider
        """
}

/// A report that names a message, in the words of its row.
private struct EarlyReport: Sendable {
    let provider: String
    let reference: String
    let outcome: String
    let reason: String
    let report: DeliveryReport
    /// Whether the report has waited for ``Store/earlyReportsKept``.
    let hasWaited: Bool

    /// Nil for a report that names no message, or that is not recorded.
    init?(_ report: DeliveryReport, from provider: String) {
        guard case .message(let id) = report.reference, let words = ReportBook.words(of: report.outcome) else { return nil }
        self.provider = provider
        self.report = report
        hasWaited = false
        reference = id
        outcome = words.outcome
        reason = words.reason.rawValue
    }

    /// Nil for a row of a newer version, whose words are not known here.
    init?(_ row: PostgresRow) throws {
        provider = try row.decode("provider")
        reference = try row.decode("reference")
        outcome = try row.decode("outcome")
        reason = try row.decode("reason")
        hasWaited = try row.decode("has_waited")
        guard let code = ReasonCode(rawValue: reason), let told = Self.outcome(outcome, because: code) else { return nil }
        report = DeliveryReport(.message(reference), told, at: try row.decode("told_at"), key: try row.decode("key"))
    }

    /// The reverse of ``ReportBook/words(of:)``.
    private static func outcome(_ word: String, because reason: ReasonCode) -> DeliveryReport.Outcome? {
        switch word {
        case "delivered": .delivered
        case "engaged": .engaged
        case "failed": .failed(reason, endpointGone: false)
        case "gone": .failed(reason, endpointGone: true)
        default: nil
        }
    }
}
