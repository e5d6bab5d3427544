import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// The invariants of a system after all faults are over and all work has ended.
struct Conservation: Sendable {
    /// The result of the checks.
    struct Audit: Sendable {
        var confirmed = 0
        /// Confirmed intents that were never decided.
        var lost = 0
        /// Intents that were decided more than once.
        var twice = 0
        var unaccounted = 0
        /// Deliveries that have not ended.
        var unfinished = 0
        /// The output of `tidings db verify`; empty if it found nothing.
        var verification = ""
        /// Webhooks that are delivered by the records.
        var delivered = 0
        /// Webhooks of these that the receiver never accepted.
        var unseen = 0
        /// The surplus of requests that the receiver accepted more than once.
        var extra = 0
        /// The rows of `tidings_ops.possible_duplicates`.
        var admitted = 0
        /// Extra sends without a row in `tidings_ops.possible_duplicates`.
        var silent = 0
        /// Deliveries that were answered as cancelled before they began.
        var cancelled = 0

        /// Checks that the records are consistent, and that the receiver saw every delivered webhook.
        func expectTrueRecords() {
            #expect(twice == 0, "intents were decided twice")
            #expect(unfinished == 0, "deliveries have not ended")
            #expect(verification.isEmpty, "\(verification)")
            #expect(delivered > 0)
            #expect(unseen == 0, "delivered by the records, never seen by the receiver")
        }
    }

    let system: TestSystem
    let receiver: Receiver

    /// Checks that every intent of the ledger ends in time, that the records are complete, and that each extra send has its row. After the
    /// answer `cancelled`, a delivery must not be sent. `promises` holds the times of these answers by delivery.
    @discardableResult
    func expectEnd(
        of ledger: [String], within limit: Duration = .seconds(60), promises: [String: Timestamp] = [:]
    ) async throws -> Audit {
        if try await !settles(within: limit, ledger: ledger) {
            Issue.record("not everything ended in time: \(try await portrait(ledger))")
        }
        var audit = try await audit(of: ledger)
        audit.cancelled = promises.count
        #expect(audit.lost == 0, "confirmed intents are lost")
        #expect(audit.unaccounted == 0)
        #expect(audit.silent == 0, "sent again without a row that says so")
        audit.expectTrueRecords()
        try await expectKept(promises)
        return audit
    }

    /// Waits until every id of the ledger has its notification and no delivery is in progress, without any help.
    private func settles(within limit: Duration, ledger: [String]) async throws -> Bool {
        try await reached(within: limit, every: .milliseconds(500)) {
            guard try await missing(ledger).isEmpty else { return false }
            return try await isIdle()
        }
    }

    /// Whether no delivery is in progress.
    func isIdle() async throws -> Bool {
        try await system.count("select (select count(*) from tidings.packs) + (select count(*) from tidings.due)") == 0
    }

    /// The counts of this moment.
    func audit(of ledger: [String]) async throws -> Audit {
        var audit = Audit(confirmed: ledger.count)
        audit.lost = try await missing(ledger).count
        audit.twice = try await system.count(
            "select count(*) from (select from tidings.notifications group by event_id having count(*) > 1) twice")
        audit.unaccounted = try await system.count("select coalesce(sum(n), 0)::bigint from tidings_ops.unaccounted")
        audit.unfinished = try await system.count("select count(*) from tidings_ops.deliveries where finished_at is null")
        let verification = try await system.tidings("db", "verify")
        if verification.exitCode != 0 { audit.verification = verification.output }
        try await compare(&audit)
        return audit
    }

    /// Compares the requests that the receiver accepted more than once with the rows that admit them.
    private func compare(_ audit: inout Audit) async throws {
        let accepted = try receiver.acceptances().mapValues(\.count)
        let rows = try await keys("select idempotency_key from tidings_ops.possible_duplicates where channel = 'webhook'")
        let admitted = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
        let delivered = try await keys(
            // The id in the spelling of the webhook-id.
            "select replace(delivery_id, '/', '-') from tidings_ops.deliveries where channel = 'webhook' and state = 'delivered'")
        audit.delivered = delivered.count
        audit.unseen = delivered.count { accepted[$0] == nil }
        let extra = accepted.mapValues { $0 - 1 }.filter { $0.value > 0 }
        audit.extra = extra.values.reduce(0, +)
        audit.silent = extra.map { max(0, $0.value - admitted[$0.key, default: 0]) }.reduce(0, +)
        audit.admitted = rows.count
    }

    /// The intents that are still open, as text for the report of a failed test.
    private func portrait(_ ledger: [String]) async throws -> String {
        let missing = try await missing(ledger)
        let status = try await system.tidings("status").output
        let refused = try await system.tidings("rejected", "list").output
        return "\(missing.count) of \(ledger.count) confirmed are missing, first \(missing.prefix(5))\n\(status)\n\(refused)"
    }

    /// The confirmed intents without a notification, in the order of the ledger.
    func missing(_ ledger: [String]) async throws -> [String] {
        try await keys(
            """
            select told.id from unnest(\(ledger)) with ordinality as told(id, place)
            where not exists (select from tidings.notifications n where n.event_id = told.id) order by place
            """)
    }

    /// Checks that each delivery answered as cancelled is cancelled, and that the receiver got no request for it afterwards.
    private func expectKept(_ promises: [String: Timestamp]) async throws {
        guard !promises.isEmpty else { return }
        let cancelled = Set(
            try await keys("select replace(delivery_id, '/', '-') from tidings_ops.deliveries where state = 'cancelled'"))
        #expect(promises.keys.filter { !cancelled.contains($0) }.isEmpty, "cancelled, as somebody was told, and ended otherwise")
        let times = try receiver.acceptances()
        let broken = promises.filter { delivery, told in times[delivery]?.contains { $0 > told } == true }
        #expect(broken.isEmpty, "sent after it was cancelled")
    }

    private func keys(_ sql: SQL) async throws -> [String] {
        try await system.query(sql).rows.map { try $0.decode(String.self) }
    }
}
