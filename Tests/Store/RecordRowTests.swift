import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The rows that explain a notification, and those of a search.
@Suite struct RecordRowTests {
    private struct Kind: Sendable {
        let name: String
        let row: JSON
        /// The columns that no reader asks for. A command prints them.
        var unread: Set<String> = []
        /// The names of the columns of the view or function.
        let columns: SQL
        let read: @Sendable (JSON) throws -> Void
    }

    private static let kinds: [Kind] = [
        Kind(name: "notification", row: RecordRows.notification, columns: view("tidings_ops.notifications")) {
            _ = try NotificationRecord.Notification($0)
        },
        Kind(name: "delivery", row: RecordRows.delivery, columns: view("tidings_ops.deliveries")) {
            _ = try NotificationRecord.Delivery($0)
        },
        Kind(name: "attempt", row: RecordRows.attempt, columns: view("tidings_ops.attempts")) { _ = try NotificationRecord.Attempt($0) },
        Kind(name: "decision", row: RecordRows.decision, columns: view("tidings_ops.decisions")) {
            _ = try NotificationRecord.Decision($0)
        },
        Kind(name: "step", row: RecordRows.step, columns: function("tidings_ops.explain(uuid)")) { _ = try NotificationRecord.Step($0) },
        Kind(name: "plan", row: RecordRows.plan, columns: view("tidings_ops.local_plans")) { _ = try NotificationRecord.Plan($0) },
        Kind(name: "promise", row: RecordRows.promise, columns: function("tidings_ops.promised(uuid)")) { _ = try NotificationPromise($0) },
        Kind(name: "found", row: RecordRows.found, unread: ["at"], columns: function("tidings_ops.find(text)")) { _ = try FoundRecord($0) },
    ]

    private static func view(_ name: String) -> SQL {
        "select attname::text from pg_attribute where attrelid = \(name)::regclass and attnum > 0 and not attisdropped"
    }

    private static func function(_ name: String) -> SQL {
        """
        select a.name from pg_proc p cross join lateral unnest(p.proargnames, p.proargmodes) as a(name, mode)
        where p.oid = \(name)::regprocedure and a.mode = 't'
        """
    }

    @Test func aRowWithoutAColumnIsAnError() throws {
        for kind in Self.kinds {
            try kind.read(kind.row)
            for column in (kind.row.objectValue?.keys ?? []) where !kind.unread.contains(column) {
                let error = #expect(throws: ReportError.self, "\(kind.name) \(column)") {
                    try kind.read(RecordRows.row(kind.row, without: column))
                }
                #expect(error?.column == column, "\(kind.name)")
            }
        }
    }

    @Test func aColumnOfAnotherTypeIsAnError() throws {
        for kind in Self.kinds {
            for column in (kind.row.objectValue?.keys ?? []) where !kind.unread.contains(column) {
                let error = #expect(throws: ReportError.self, "\(kind.name) \(column)") {
                    try kind.read(RecordRows.row(kind.row, column, ["another": "type"]))
                }
                #expect(error?.column == column, "\(kind.name)")
            }
        }
    }

    /// The columns of a delivery that come from other views.
    private static let joined: Set = ["meaning", "what_to_do", "paused", "pause_reason", "paused_by", "paused_at"]

    @Test func theRowsHaveTheColumnsOfTheViews() async throws {
        try await withTestSystem(usesBroker: false) { system in
            for kind in Self.kinds {
                let columns = try await system.query(kind.columns).rows.map { try $0.decode(String.self) }
                try #require(!columns.isEmpty, "\(kind.name)")
                let joined = kind.name == "delivery" ? Self.joined : []
                #expect(Set(columns).union(joined) == Set(kind.row.objectValue?.keys ?? []), "\(kind.name)")
            }
        }
    }

    /// Operators read every column, also one that they have added themselves.
    @Test func theWholeRecordHasEveryColumn() throws {
        let attempt = RecordRows.row(RecordRows.attempt, "of_an_operator", 1)
        let record = NotificationRecord(
            notification: try .init(RecordRows.notification), deliveries: [try .init(RecordRows.delivery)], attempts: [try .init(attempt)],
            decisions: [try .init(RecordRows.decision)], timeline: [try .init(RecordRows.step)], plans: [try .init(RecordRows.plan)])
        let whole: JSON = [
            "notification": RecordRows.notification, "content": "c", "deliveries": [RecordRows.delivery], "attempts": [attempt],
            "decisions": [RecordRows.decision], "timeline": [RecordRows.step], "plans": [RecordRows.plan],
        ]
        #expect(record.json(content: "c").serialized == whole.serialized)
    }

    /// A row may come from a database of a newer version.
    @Test func aNewWordIsNoError() throws {
        let delivery = try NotificationRecord.Delivery(
            RecordRows.row(RecordRows.row(RecordRows.delivery, "state", "new"), "channel", "new"))
        #expect(delivery.knownState == nil && delivery.knownChannel == nil && delivery.state == "new")
        #expect(try FoundRecord(RecordRows.row(RecordRows.found, "kind", "new")).kind == nil)
    }
}
