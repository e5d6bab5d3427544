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
        let unread: Set<String>
        /// The view. Nil for the rows of a function, whose columns have no comments.
        let view: String?
        /// The names of the columns of the view or function.
        let columns: SQL
        let read: @Sendable (JSON) throws -> Void

        init(_ name: String, _ row: JSON, view: String, read: @escaping @Sendable (JSON) throws -> Void) {
            self.name = name
            self.row = row
            self.view = view
            self.read = read
            columns = RecordRowTests.columns(ofView: view)
            unread = []
        }

        init(
            _ name: String, _ row: JSON, function: String, unread: Set<String> = [], read: @escaping @Sendable (JSON) throws -> Void
        ) {
            self.name = name
            self.row = row
            self.unread = unread
            self.read = read
            columns = RecordRowTests.columns(ofFunction: function)
            view = nil
        }
    }

    private static let kinds: [Kind] = [
        Kind("notification", RecordRows.notification, view: "notifications") { _ = try NotificationRecord.Notification($0) },
        Kind("delivery", RecordRows.delivery, view: "deliveries") { _ = try NotificationRecord.Delivery($0) },
        Kind("attempt", RecordRows.attempt, view: "attempts") { _ = try NotificationRecord.Attempt($0) },
        Kind("decision", RecordRows.decision, view: "decisions") { _ = try NotificationRecord.Decision($0) },
        Kind("step", RecordRows.step, function: "tidings_ops.explain(uuid)") { _ = try NotificationRecord.Step($0) },
        Kind("plan", RecordRows.plan, view: "local_plans") { _ = try NotificationRecord.Plan($0) },
        Kind("promise", RecordRows.promise, function: "tidings_ops.promised(uuid)") { _ = try NotificationPromise($0) },
        Kind("found", RecordRows.found, function: "tidings_ops.find(text)", unread: ["at"]) { _ = try FoundRecord($0) },
    ]

    private static func columns(ofView name: String) -> SQL {
        let view = "tidings_ops.\(name)"
        return "select attname::text from pg_attribute where attrelid = \(view)::regclass and attnum > 0 and not attisdropped"
    }

    private static func columns(ofFunction name: String) -> SQL {
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

    /// A reader takes null in a column whose comment says when it is null, and in no other one.
    @Test func onlyAColumnWhoseCommentNamesNullMayBeNull() throws {
        let comments = try ViewComments()
        for kind in Self.kinds {
            guard let view = kind.view else { continue }
            let row = try MadeUpRow(kind.row.objectValue ?? JSONObject(), reading: kind.read)
            for column in row.members.keys where !(kind.name == "delivery" && Self.joined.contains(column)) {
                #expect(comments.namesNull(column, of: view) == row.nullable.contains(column), "\(view).\(column)")
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
