import Testing
import TidingsJSON
import TidingsJSONSchema
import TidingsStore
import TidingsTestSupport

@testable import TidingsAPI

/// The answer to a producer who asks what happened to a notification, and other answers that are made of rows.
@Suite struct NotificationAnswerTests {
    private let document: OpenAPIDocument

    init() throws { document = try .standard() }

    private static let lists = ["deliveries", "attempts", "decisions", "timeline", "plans"]

    /// A record whose rows have a column more than their views.
    private static func record(timeline: [JSON] = [RecordRows.step]) throws -> PromisedNotification {
        func extended(_ row: JSON) -> JSON { RecordRows.row(row, "of_an_operator", "internal") }
        return .record(
            NotificationRecord(
                notification: try .init(extended(RecordRows.notification)), deliveries: [try .init(extended(RecordRows.delivery))],
                attempts: [try .init(extended(RecordRows.attempt))], decisions: [try .init(extended(RecordRows.decision))],
                timeline: try timeline.map { try NotificationRecord.Step(extended($0)) }, plans: [try .init(extended(RecordRows.plan))]))
    }

    private static func promise() throws -> PromisedNotification {
        .promise(try NotificationPromise(RecordRows.row(RecordRows.promise, "of_an_operator", "internal")))
    }

    private static func answer(_ found: PromisedNotification) throws -> JSON {
        var json = JSONWriter()
        NotificationAnswer(found).write(to: &json)
        return try JSON.parse(json.bytes)
    }

    private func listed(_ schema: String) -> JSON? { document.root["components"]?["schemas"]?[schema]?["properties"] }

    @Test func theMembersAreThoseOfTheDocument() throws {
        let (made, waiting) = (try Self.answer(try Self.record()), try Self.answer(try Self.promise()))
        let members = try #require(listed("Explanation"))
        let names = [made, waiting].flatMap { $0["notification"]?.objectValue?.keys ?? [] }
        #expect(Set(names) == Set(members["notification"]?["properties"]?.objectValue?.keys ?? []))
        for list in Self.lists {
            let row = try #require(made[list]?.arrayValue?.first?.objectValue)
            #expect(Set(row.keys) == Set(members[list]?["items"]?["properties"]?.objectValue?.keys ?? []), "\(list)")
            #expect(waiting[list]?.arrayValue?.isEmpty == true, "\(list)")
        }
        let schema = try document.schema(["$ref": "#/components/schemas/Explanation"])
        for answer in [made, waiting] {
            #expect(schema.validate(answer).isEmpty && !answer.serialized.contains("of_an_operator"), "\(schema.validate(answer))")
        }
    }

    @Test func theValuesAreThoseOfTheRows() throws {
        let answer = try Self.answer(try Self.record())
        let whole: JSON = [
            "notification": visible(RecordRows.notification, in: "notification"),
            "deliveries": [visible(RecordRows.delivery, in: "deliveries")],
            "attempts": [visible(RecordRows.attempt, in: "attempts")], "decisions": [visible(RecordRows.decision, in: "decisions")],
            "timeline": [visible(RecordRows.row(RecordRows.step, "actor", "deliver"), in: "timeline")],
            "plans": [visible(RecordRows.plan, in: "plans")],
        ]
        #expect(answer.serialized == whole.serialized)
        let promise = try Self.answer(try Self.promise())["notification"]
        #expect(promise?.serialized == visible(RecordRows.promise, in: "notification").serialized)
    }

    /// The row without the columns that the document does not list.
    private func visible(_ row: JSON, in member: String) -> JSON {
        let schema = listed("Explanation")?[member]
        var members = row.objectValue ?? JSONObject()
        for name in members.keys where (schema?["items"] ?? schema)?["properties"]?[name] == nil { members[name] = nil }
        return .object(members)
    }

    /// Machines, operators, and the words of operators.
    @Test func theDocumentListsNoColumnOfOperators() {
        let hidden = [
            ("deliveries", "paused_by"), ("deliveries", "pause_reason"), ("attempts", "worker_id"), ("notification", "decided_as"),
        ]
        for (member, name) in hidden { #expect(visible([name: 1], in: member) == .object(JSONObject()), "\(name)") }
    }

    /// A value that is null in the row is null in the answer.
    @Test func aNullStaysNull() throws {
        let row = RecordRows.row(RecordRows.row(RecordRows.decision, "rules", .null), "held_until", .null)
        let decision = try NotificationRecord.Decision(row)
        let record = NotificationRecord(
            notification: try .init(RecordRows.notification), deliveries: [], attempts: [], decisions: [decision], timeline: [], plans: [])
        #expect(try Self.answer(.record(record))["decisions"]?.arrayValue == [row])
    }

    @Test func theAnswerNamesNoMachineAndNoOperator() throws {
        func step(_ actor: JSON, _ verdict: JSON, _ detail: JSON) -> JSON {
            RecordRows.row(RecordRows.row(RecordRows.row(RecordRows.step, "actor", actor), "verdict", verdict), "detail", detail)
        }
        let told = [
            step("router", "accepted", "x is resumed: as the producer wrote it"),
            step("deliver-host1-4711-k2", "attempt 1", "accepted"),
            step("release", "waiting", "until provider phone is resumed: contract"),
            step("release", "waiting", "until the next release"),
        ]
        let answer = try Self.answer(try Self.record(timeline: told))
        let steps = [
            step("router", "accepted", "x is resumed: as the producer wrote it"), step("deliver", "attempt 1", "accepted"),
            step("release", "waiting", "until provider phone is resumed"), step("release", "waiting", "until the next release"),
        ]
        #expect(answer["timeline"]?.arrayValue == steps)
        for secret in ["host1", "bob@ops", "contract"] { #expect(!answer.serialized.contains(secret), "\(secret)") }
    }

    @Test func anAnswerAboutAnErasureHasTheMembersOfTheDocument() throws {
        let members = ErasureOperations.members
        #expect(Set(members) == Set(listed("Erasure")?.objectValue?.keys ?? []))
        var row = JSONObject()
        for name in members + ["of_an_operator"] { row[name] = .string(name) }
        #expect(try JSON.object(row).columns(members).objectValue?.keys == members)
        row[members[0]] = nil
        let error = #expect(throws: ReportError.self) { try JSON.object(row).columns(members) }
        #expect(error?.column == members[0])
    }
}
