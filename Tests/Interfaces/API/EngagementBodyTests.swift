import Testing
import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsWeb

@testable import TidingsAPI

/// The reader of the events that an app reports.
@Suite struct EngagementBodyTests {
    private static let id = "01a211a4-318c-7610-a6e0-44805af145a0"
    private static let device = "4a968a44-256a-4f4b-80ad-d37efe8c75fd"

    private static func events(_ body: JSON) throws -> [EngagementEvent] {
        var reader = EngagementBody(try #require(body.objectValue))
        return try reader.events()
    }

    private static func faults(_ body: JSON) throws -> [String] {
        let problem = #expect(throws: Problem.self) { _ = try events(body) }
        return problem?.fields.compactMap(\.pointer) ?? []
    }

    @Test func everyMemberIsRead() throws {
        let event: JSON = [
            "type": "action", "notificationId": .string(Self.id.uppercased()), "deviceId": .string(Self.device),
            "at": "2026-11-25T08:40:00+01:00", "detail": ["b": "2", "a": "1"],
        ]
        let read = try Self.events(["events": [event, ["type": "received", "at": .null, "detail": .null]]])
        let expected = EngagementEvent(
            .action, notification: NotificationID(Self.id), device: Self.device, at: Timestamp(seconds: 1_795_592_400),
            detail: #"{"a":"1","b":"2"}"#)
        #expect(read == [expected, EngagementEvent(.received)])
    }

    /// The order of the members makes no other event.
    @Test func equalEventsAreEqual() throws {
        let one = try Self.events(["events": [["type": "opened", "detail": ["a": "1", "b": "2"]]]])
        let other = try Self.events(["events": [["detail": ["b": "2", "a": "1"], "type": "opened"]]])
        #expect(one == other)
    }

    @Test(arguments: [
        "4A968A44-256a-4f4b-80ad-d37efe8c75fd", "4a968a44256a4f4b80add37efe8c75fd", "", "4a968a44-256a-4f4b-80ad-d37efe8c75fg",
        "4a968a44-256a-4f4b-80ad-d37efe8c75fd0",
    ])
    func anotherTextIsNoDevice(_ text: String) throws {
        #expect(try Self.faults(["events": [["type": "opened", "deviceId": .string(text)]]]) == ["/events/0/deviceId"])
    }

    /// Characters are Unicode scalars, as in JSON Schema. Bytes are those of the canonical JSON.
    @Test func factsHaveLimits() throws {
        func detail(_ name: String, _ text: String) -> JSON {
            var detail = JSONObject()
            detail[name] = .string(text)
            return ["events": [["type": "opened", "detail": .object(detail)]]]
        }
        let wide = String(repeating: "\u{1F600}", count: 256)
        #expect(try Self.events(detail("a", wide)).count == 1)
        #expect(try Self.faults(detail("a", wide + "a")) == ["/events/0/detail/a"])
        #expect(try Self.events(detail(String(repeating: "é", count: 64), "")).count == 1)
        #expect(try Self.faults(detail(String(repeating: "a", count: 65), "")).count == 1)
        // A control character takes six bytes in JSON.
        let control = String(repeating: "\u{1}", count: 256)
        var both = JSONObject()
        for name in ["a", "b"] { both[name] = .string(control) }
        #expect(try Self.faults(["events": [["type": "opened", "detail": .object(both)]]]) == ["/events/0/detail"])
    }

    @Test func theNumberOfFaultsOfManyEventsIsLimited() throws {
        let wrong = JSON.array(Array(repeating: ["type": "clicked"], count: 90))
        #expect(try Self.faults(["events": wrong]).count == Problem.mostFaults)
    }
}
