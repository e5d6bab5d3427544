import Testing
import TidingsPostgres
import TidingsTestSupport

/// What must hold when the dust has settled.
struct Conservation: Sendable {
    let system: TestSystem
    let receiver: Receiver

    /// Waits until every id of the ledger has its notification and nothing is under way any more, without a hand.
    private func settles(within limit: Duration, ledger: [String]) async throws -> Bool {
        try await reached(within: limit, every: .milliseconds(500)) {
            guard try await missing(ledger) == 0 else { return false }
            return try await system.count("select (select count(*) from tidings.packs) + (select count(*) from tidings.due)") == 0
        }
    }

    /// Everything of the ledger ends in time, the books are whole, and each extra send has its row. Returns those sends.
    @discardableResult
    func expectEnd(of ledger: [String], within limit: Duration = .seconds(60)) async throws -> (extra: Int, rows: Int) {
        if try await !settles(within: limit, ledger: ledger) {
            Issue.record("not everything ended in time: \(try await portrait(ledger))")
        }
        try await expectWhole(ledger: ledger)
        return try await expectHonestDuplicates()
    }

    /// What is still open, for whoever reads of a test that failed.
    private func portrait(_ ledger: [String]) async throws -> String {
        let missing = try await keys(
            """
            select told.id from unnest(\(ledger)) with ordinality as told(id, place)
            where not exists (select from tidings.notifications n where n.event_id = told.id) order by place
            """)
        let status = try await system.tidings("status").output
        let refused = try await system.tidings("rejected", "list").output
        return "\(missing.count) of \(ledger.count) confirmed are missing, first \(missing.prefix(5))\n\(status)\n\(refused)"
    }

    /// How many confirmed intents have no notification.
    private func missing(_ ledger: [String]) async throws -> Int {
        try await system.count(
            """
            select count(*) from unnest(\(ledger)) as told(id)
            where not exists (select from tidings.notifications n where n.event_id = told.id)
            """)
    }

    /// Nothing lost, nothing twice in the books, and the books agree with themselves.
    private func expectWhole(ledger: [String]) async throws {
        #expect(try await missing(ledger) == 0, "confirmed intents are lost")
        #expect(
            try await system.count("select count(*) from (select from tidings.notifications group by event_id having count(*) > 1) twice")
                == 0)
        #expect(try await system.count("select count(*) from tidings_ops.deliveries where finished_at is null") == 0)
        #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
        let audit = try await system.tidings("db", "verify")
        #expect(audit.exitCode == 0, "\(audit.output)")
    }

    /// What the receiver accepted more than once, against the rows that admit it. Each extra send has its row, and what the books call
    /// delivered did arrive. Returns how many extra sends there were and how many rows.
    private func expectHonestDuplicates() async throws -> (extra: Int, rows: Int) {
        let accepted = try receiver.acceptances()
        let rows = try await keys("select idempotency_key from tidings_ops.possible_duplicates where channel = 'webhook'")
        let admitted = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
        let delivered = try await keys(
            // As the webhook-id spells it.
            "select replace(delivery_id, '/', '-') from tidings_ops.deliveries where channel = 'webhook' and state = 'delivered'")
        #expect(!delivered.isEmpty)
        #expect(delivered.filter { accepted[$0] == nil }.isEmpty, "delivered by the books, never seen by the receiver")
        let extra = accepted.mapValues { $0 - 1 }.filter { $0.value > 0 }
        let silent = extra.filter { $0.value > admitted[$0.key, default: 0] }
        #expect(silent.isEmpty, "sent again without a row that says so")
        return (extra.values.reduce(0, +), rows.count)
    }

    private func keys(_ sql: SQL) async throws -> [String] {
        try await system.query(sql).rows.map { try $0.decode(String.self) }
    }
}
