import Testing
import TidingsJSON

@testable import TidingsWeb

/// Names that a request has and that its operation does not read.
@Suite struct BodyReaderTests {
    private static let preferences = ["pushEnabled", "quietHoursStart", "timeZone"]

    private static func faults(_ body: JSON, known: [String]) throws -> [Problem.Field] {
        let reader = BodyReader(try #require(body.objectValue), known: known)
        let problem = #expect(throws: Problem.self) { try reader.finish() }
        return problem?.fields ?? []
    }

    @Test(arguments: [
        ("push_enabled", "pushEnabled"), ("pushenabled", "pushEnabled"), ("PushEnabled", "pushEnabled"), ("timezone", "timeZone"),
        ("time_zone", "timeZone"), ("quiet_hours_start", "quietHoursStart"),
    ])
    func anUnknownMemberIsAFaultWithTheNearestName(_ name: String, _ nearest: String) throws {
        let faults = try Self.faults([name: false], known: Self.preferences)
        #expect(faults.map(\.pointer) == ["/\(name)"])
        #expect(faults.first?.detail.contains("did you mean \"\(nearest)\"?") == true, "\(faults)")
    }

    @Test func aFaultListsTheKnownNamesIfNoneIsNear() throws {
        let faults = try Self.faults(["language": "en", "a/b~c": .null], known: Self.preferences)
        #expect(faults.map(\.pointer) == ["/language", "/a~1b~0c"])
        #expect(faults.first?.detail.hasSuffix("there are pushEnabled, quietHoursStart, timeZone") == true, "\(faults)")
    }

    /// Swift's own comparison takes the Kelvin sign for a K.
    @Test func anEquivalentNameIsUnknown() throws {
        #expect(try Self.faults(["\u{212A}ey": 1], known: ["Key"]).map(\.pointer) == ["/\u{212A}ey"])
    }

    @Test func unknownMembersAreToldBesideOtherFaults() throws {
        var reader = BodyReader(try #require((["pushEnabled": "yes", "puhsEnabled": false] as JSON).objectValue), known: Self.preferences)
        #expect(reader.bool("pushEnabled") == nil)
        let problem = #expect(throws: Problem.self) { try reader.finish() }
        #expect(problem?.fields.map(\.pointer) == ["/puhsEnabled", "/pushEnabled"])
    }

    private enum Action: String, CaseIterable { case open, close }

    @Test(arguments: [["action": ""], ["action": .null], [:], ["action": "shut"]] as [JSON])
    func aRequiredWordThatIsMissingOrUnknownIsAFault(body: JSON) throws {
        var reader = BodyReader(try #require(body.objectValue), known: ["action"])
        let action: Action? = reader.requiredWord("action")
        #expect(action == nil)
        let problem = #expect(throws: Problem.self) { try reader.finish() }
        #expect(problem?.fields.map(\.pointer) == ["/action"])
    }

    @Test func theNumberOfFaultsIsLimited() throws {
        var body = JSONObject()
        for number in 0..<1_000 { body["m\(number)"] = true }
        #expect(try Self.faults(.object(body), known: Self.preferences).count == Problem.mostFaults)
    }

    @Test func anUnknownParameterIsAFaultOfAChangeOnly() throws {
        let target = try #require(RequestTarget(path: "/api/notifications", query: "befor=1&_=2&before=3&before=4"))
        let reading = QueryReader(target, known: ["before"], refusingOthers: false)
        #expect(reading.text("before") == "4" && reading.faults.map(\.parameter) == ["before"])
        let change = QueryReader(target, known: ["before"], refusingOthers: true)
        #expect(change.faults.map(\.parameter) == ["befor", "_", "before"])
        #expect(change.faults.first?.detail.contains("did you mean \"before\"?") == true)
        let many = try #require(RequestTarget(path: "/", query: Array(repeating: "x=1", count: 1_000).joined(separator: "&")[...]))
        #expect(QueryReader(many, known: [], refusingOthers: true).faults.count == Problem.mostFaults)
    }

    /// The characters of JSON Schema: a flag of two Unicode scalars counts twice.
    @Test func aTextOfTheQueryHasABound() throws {
        let target = try #require(RequestTarget(path: "/likes", query: "long=%F0%9F%87%A9%F0%9F%87%AA&short=%F0%9F%87%A9"))
        var query = QueryReader(target, known: ["long", "short"], refusingOthers: false)
        #expect(query.text("short", atMost: 1) == "\u{1F1E9}" && query.text("absent", atMost: 1) == nil && query.faults.isEmpty)
        #expect(query.text("long", atMost: 1) == nil && query.faults.map(\.parameter) == ["long"])
    }
}
