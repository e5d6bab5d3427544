import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The tables that the data path writes, compared with the migrated schema.
@Suite struct TableRowTests {
    private struct Declared: Sendable {
        let name: String
        let columns: [(name: String, words: [String]?)]
        /// An INSERT of rows, and one from the rows of another relation.
        let statements: [SQL]

        /// - Parameter hasArrays: whether columns are arrays. They travel as texts, so other rows do not have them in this form.
        init<Row: TableRow>(_ row: Row, hasArrays: Bool = false) {
            name = Row.table.name
            columns = Row.table.columns.map { ($0.name, $0.words) } + Row.table.computed.map { ($0.name, nil) }
            let other = hasArrays ? nil : Row.insert(from: [row].relation("a", Row.table.columns))
            statements = [Row.insert([row]), other].compactMap { $0 }
        }
    }

    private static let id = NotificationID(high: 1, low: 2)
    private static let key = DeliveryKey(id, 0)
    private static let time = Timestamp(seconds: 1_800_000_000)
    private static let pack = Pack(id: PackID(PostgresUUID(high: 3, low: 4)), channel: .push, provider: "p", lane: .bulk, entries: [])

    private static let tables: [Declared] = [
        Declared(
            DueRow(
                id: id, ordinal: 0, lane: .bulk, time: time, kind: .held, tenant: "t", channel: .push, provider: "p", endpoint: nil,
                attempt: 1, reason: .quietHours, pause: nil)),
        Declared(
            EndedRow(
                id: id, ordinal: 0, tenant: "t", channel: .push, provider: "p", endpoint: nil, state: .sent, reason: .accepted, attempts: 1)
        ),
        Declared(
            AttemptRow(
                key: key, attempt: 1, channel: .push, provider: "p", outcome: "unknown", reason: .workerDied, possibleDuplicate: true,
                worker: "w", startedAt: time, finishedAt: time)),
        Declared(PackRow(pack: pack, decidedAt: time), hasArrays: true),
        Declared(
            DecisionRow(
                id: id, ordinal: 0, at: time, catalogue: "c",
                planned: PlannedDelivery(channel: .push, provider: "p", endpoint: nil, verdict: .awaitEscalation), move: nil)),
    ]

    @Test func everyColumnExistsAndNoneThatARowNeedsIsLeftOut() async throws {
        try await withTestSystem(usesBroker: false) { system in
            for table in Self.tables {
                let rows = try await system.query(
                    """
                    select attname::text, attnotnull and not atthasdef from pg_attribute
                    where attrelid = \(table.name)::regclass and attnum > 0 and not attisdropped
                    """
                ).rows.map { try $0.decode((String, Bool).self) }
                let declared = table.columns.map(\.name)
                #expect(Set(declared).isSubset(of: rows.map(\.0)), "\(table.name)")
                #expect(Set(declared).count == declared.count, "\(table.name) declares a column twice")
                let needed = rows.filter(\.1).map(\.0)
                #expect(Set(needed).isSubset(of: declared), "\(table.name)")
            }
        }
    }

    /// A list of words in a CHECK constraint is that of the declaration.
    @Test func theWordsOfAColumnAreThoseOfItsCheck() async throws {
        try await withTestSystem(usesBroker: false) { system in
            var compared: [String] = []
            for table in Self.tables {
                for column in table.columns {
                    guard let words = column.words else { continue }
                    let checks = try await system.query(
                        """
                        select pg_get_constraintdef(c.oid) from pg_constraint c
                        join pg_attribute a on a.attrelid = c.conrelid and c.conkey = array[a.attnum]
                        where c.conrelid = \(table.name)::regclass and c.contype = 'c' and a.attname = \(column.name)
                        """
                    ).rows.map { try $0.decode(String.self) }
                    for check in checks {
                        let allowed = check.matches(of: /'([A-Za-z]+)'/).map { String($0.1) }
                        #expect(Set(allowed) == Set(words), "\(table.name).\(column.name)")
                        compared.append("\(table.name).\(column.name)")
                    }
                }
            }
            #expect(compared == ["tidings.due.kind"])
        }
    }

    /// PostgreSQL plans each INSERT, so names and types fit.
    @Test func everyInsertFitsItsTable() async throws {
        try await withTestSystem(usesBroker: false) { system in
            for table in Self.tables {
                for statement in table.statements {
                    let plan = try await system.query("explain \(statement)").rows
                    #expect(try plan.first?.decode(String.self).hasPrefix("Insert on") == true, "\(table.name)")
                }
            }
        }
    }

    @Test func aRowOfDueIsReadAsItWasWritten() async throws {
        let rows = [
            DueRow(
                id: Self.id, ordinal: 2, lane: .urgent, time: Self.time, kind: .failover, tenant: "t", channel: .webhook, provider: "p",
                endpoint: "e", attempt: 3, reason: .breakerOpen, pause: 4),
            DueRow(
                id: Self.id, ordinal: 3, lane: .bulk, time: .distantFuture, kind: .escalation, tenant: "u", channel: .inApp, provider: "",
                endpoint: nil, attempt: 1, reason: .awaitingEscalation, pause: nil),
        ]
        try await withTestSystem(usesBroker: false) { system in
            _ = try await system.query(try #require(DueRow.insert(rows)))
            let found = try await system.query("select \(DueRow.columns) from tidings.due w order by w.ordinal").rows
            #expect(try found.map { try DueRow($0) } == rows)
        }
    }

    @Test func anInsertFromOtherRowsSaysWhatDiffers() {
        let statement = EndedRow.insert(from: "gone where true", setting: [.state: "'cancelled'", .attempts: "attempt - \(1)"])
        #expect(
            statement.text == """
                insert into tidings.deliveries (notification_id, ordinal, tenant, channel, provider, state, reason, attempts, endpoint, \
                provider_message_id, ended_at) select notification_id, ordinal, tenant, channel, provider, 'cancelled', reason, \
                attempt - $1, endpoint, null, (select tidings.clock()) from gone where true
                """)
        #expect(EndedRow.insert([]) == nil)
    }
}
