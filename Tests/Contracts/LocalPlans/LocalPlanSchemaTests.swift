import Testing
import TidingsCore
import TidingsJSONSchema
import TidingsTestSupport

@testable import TidingsContracts
@testable import TidingsJSON

/// Checks that the published schema of a device's plan and the written plans agree, in both directions.
@Suite struct LocalPlanSchemaTests {
    private static func update() throws -> LocalPlanUpdate {
        let header = DeliveryHeader(
            notificationID: NotificationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
            tenant: "default", recipient: "ann", type: "reminder", category: .system, createdAt: Timestamp(seconds: 1_790_000_000),
            expiresAt: .distantFuture)
        let entry = PackEntry(
            header: header,
            content: Content(
                title: "Dentist", body: "At nine",
                data: #"{"place":"Main St 1","floor":3,"tags":["a"],"id":"mine","open":true,"none":null}"#, groupKey: "calendar"),
            endpoint: "device", decidedAt: Timestamp(seconds: 1_790_000_000), validUntil: .distantFuture)
        let now = Timestamp(seconds: 1_790_000_000)
        let content = try #require(LocalContent(entry))
        let requests = [nil, now.adding(.seconds(86_400))].enumerated().map { number, time in
            LocalNotificationRequest(
                identifier: number == 0 ? "01900000-0000-7000-8000-000000000002" : entry.notificationID.description, content: content,
                trigger: LocalTrigger(showing: time, in: .utc, now: now))
        }
        return LocalPlanUpdate(version: 7, reset: false, requests: requests, removed: ["01900000-0000-7000-8000-000000000003"])
    }

    @Test func aWrittenPlanIsTheExample() throws {
        #expect(try Self.update().json == SchemaFiles.json("examples/local-plan.json"))
    }

    @Test func aWrittenPlanIsValid() throws {
        let schema = try SchemaFiles.schema("local-plan")
        let violations = schema.validate(try JSON.parse(try Self.update().json.serialized))
        #expect(violations.isEmpty, "\(violations)")
        let empty = LocalPlanUpdate(version: 0, reset: true, requests: [], removed: [])
        #expect(schema.isValid(empty.json))
    }

    @Test func schemaAndWritingKnowTheSameMembers() throws {
        let schema = try SchemaFiles.json("local-plan.schema.json")
        let written = try Self.update().json
        func members(_ value: JSON?) -> Set<String> { Set(value?.objectValue?.keys ?? []) }
        #expect(members(schema["properties"]) == members(written))
        let request = try #require(written["requests"]?.arrayValue?.last)
        #expect(members(schema["$defs"]?["request"]?["properties"]) == members(request))
        #expect(members(schema["$defs"]?["calendar"]?["properties"]) == members(request["trigger"]))
        #expect(schema["properties"]?["requests"]?["maxItems"]?.intValue == LocalPlan.limit)
    }

    /// The app decodes text only.
    @Test func userInfoHoldsTextAlone() throws {
        let info = try #require(try Self.update().json["requests"]?.arrayValue?.first?["userInfo"])
        #expect(info["floor"] == "3" && info["tags"] == #"["a"]"# && info["open"] == "true" && info["none"] == "null")
        #expect(info["id"] == "01900000-0000-7000-8000-000000000001", "the notification's own id wins")
        #expect(info.objectValue?.entries.allSatisfy { $0.value.stringValue != nil } == true)
    }

    @Test func anEntryThatShowsNothingHasNoContent() {
        #expect(LocalContent(PackEntry.bare(1)) == nil)
    }

    @Test func contentSurvivesBeingStored() throws {
        let content = try #require(LocalContent(PackEntry.sample(1)))
        #expect(LocalContent(stored: content.text)?.text == content.text)
    }
}
