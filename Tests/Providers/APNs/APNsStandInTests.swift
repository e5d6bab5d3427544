import Testing
import TidingsCore
import TidingsEncodings
import TidingsHTTP
import TidingsJSON

@testable import ProviderAPNs
@testable import TidingsCapture

/// Checks that the stand-in accepts and refuses the same requests as APNs.
struct APNsStandInTests {
    private static let id = "019a3c2e-0000-7000-8000-000000000001"
    private static let visible = #"{"aps":{"alert":{"title":"t"}},"id":"n-1"}"#

    private func token(at time: Timestamp = APNsFixture.now) throws -> String { try APNsFixture.identity().token(at: time) }

    private func request(
        _ headers: [String: String] = [:], path: String = "/0a1b", body: String = visible, token: String? = nil, connection: Int = 1,
        at time: Timestamp = APNsFixture.now
    ) throws -> StandInRequest {
        let usual = [
            "authorization": "bearer \(try token ?? self.token())", "apns-topic": APNsFixture.topic, "apns-push-type": "alert",
            "apns-priority": "10", "apns-id": Self.id, "content-type": "application/json",
        ]
        // A header that a test sets to nothing is not sent.
        let all = usual.merging(headers) { _, given in given }.filter { !$0.value.isEmpty }
        return StandInRequest(method: "POST", path: path, headers: all, body: Array(body.utf8), now: time, connection: connection)
    }

    private func reason(_ response: CaptureAnswer.Response) -> String? {
        (try? JSON.parse(response.body ?? []))?["reason"]?.stringValue
    }

    private func expect(_ answer: StandInAnswer, _ status: Int, _ expected: String?) {
        #expect(answer.response.status == status)
        #expect(reason(answer.response) == expected)
    }

    // MARK: The request

    @Test func aPushIsAccepted() throws {
        let answer = APNsStandIn().answer(try request(path: "/0A1b"))
        expect(answer, 200, nil)
        #expect(answer.messageID == "0a1b n-1" && answer.first == nil && !answer.hangs)
        #expect(answer.response.body?.isEmpty == true)
        #expect(answer.response.headers.map(\.0) == ["apns-id"] && answer.response.headers.first?.1 == Self.id)
    }

    @Test func anIDIsMadeWhereNoneIsGiven() throws {
        let (first, second) = (try request(["apns-id": ""]), try request(["apns-id": "NOT ONE"]))
        for answer in [APNsStandIn().answer(first), APNsStandIn().answer(second)] {
            let id = try #require(answer.response.headers.first { $0.0 == "apns-id" }?.1)
            #expect(APNsPushCheck.isID(id))
        }
    }

    @Test func aSilentPushIsNamedByItsType() throws {
        let body = #"{"aps":{"content-available":1},"type":"metadata"}"#
        let answer = APNsStandIn().answer(try request(["apns-push-type": "background", "apns-priority": "5"], body: body))
        expect(answer, 200, nil)
        #expect(answer.messageID == "0a1b metadata")
    }

    @Test func onlyHTTP2IsSpoken() throws {
        let answer = APNsStandIn().answer(try request(connection: 0))
        #expect(answer.response.status == 505 && answer.messageID == nil)
    }

    @Test(
        arguments: [
            (["apns-id": "019A3C2E-0000-7000-8000-000000000001"], "BadMessageId"), (["apns-id": "1"], "BadMessageId"),
            (["apns-id": "019a3c2e-0000-7000-8000-00000000000g"], "BadMessageId"), (["apns-topic": ""], "MissingTopic"),
            (["apns-topic": "com.example shop"], "BadTopic"), (["apns-push-type": ""], "InvalidPushType"),
            (["apns-push-type": "loud"], "InvalidPushType"), (["apns-priority": "7"], "BadPriority"),
            (["apns-priority": "05"], "BadPriority"), (["apns-push-type": "background"], "BadPriority"),
            (["apns-push-type": "background", "apns-priority": ""], "BadPriority"),
            (["apns-push-type": "background", "apns-priority": "5"], "InvalidPushType"),
            (["apns-collapse-id": String(repeating: "é", count: 33)], "BadCollapseId"), (["apns-collapse-id": "a\u{1}b"], "BadCollapseId"),
            (["apns-expiration": "soon"], "BadExpirationDate"), (["apns-expiration": "-1"], "BadExpirationDate"),
            (["apns-expiration": "1767225600000"], "BadExpirationDate"), (["apns-expiration": "1.5"], "BadExpirationDate"),
            (["content-encoding": "gzip"], "PayloadEmpty"),
        ] as [([String: String], String)])
    func headersAreChecked(_ headers: [String: String], _ expected: String) throws {
        let answer = APNsStandIn().answer(try request(headers))
        expect(answer, 400, expected)
        #expect(answer.messageID == nil)
    }

    @Test(arguments: [
        ["apns-expiration": "0"], ["apns-expiration": "1767229200"], ["apns-priority": ""], ["apns-priority": "1"], ["apns-priority": "5"],
        ["apns-collapse-id": String(repeating: "é", count: 32)], ["content-type": ""], ["apns-push-type": "voip"],
    ])
    func validHeadersAreTaken(_ headers: [String: String]) throws {
        expect(APNsStandIn().answer(try request(headers)), 200, nil)
    }

    @Test(arguments: [
        ("", 400, "MissingDeviceToken"), ("/", 400, "MissingDeviceToken"), ("/abc", 400, "BadDeviceToken"),
        ("/xyz1", 400, "BadDeviceToken"),
        ("/" + String(repeating: "ab", count: 201), 400, "BadDeviceToken"), ("/0a1b/2", 404, "BadPath"),
    ])
    func theDeviceTokenIsChecked(_ path: String, _ status: Int, _ expected: String) throws {
        expect(APNsStandIn().answer(try request(path: path)), status, expected)
    }

    @Test func onlyPostIsTaken() throws {
        var request = try request()
        request.method = "GET"
        expect(APNsStandIn().answer(request), 405, "MethodNotAllowed")
    }

    @Test(arguments: [
        ("", "PayloadEmpty"), ("[]", "PayloadEmpty"), ("{}", "PayloadEmpty"), (#"{"aps":1}"#, "PayloadEmpty"), ("nope", "PayloadEmpty"),
        (#"{"aps":{}}"#, "InvalidPushType"), (#"{"aps":{"content-available":1}}"#, "InvalidPushType"),
    ])
    func thePayloadIsChecked(_ body: String, _ expected: String) throws {
        expect(APNsStandIn().answer(try request(body: body)), 400, expected)
    }

    @Test(arguments: [#"{"aps":{"content-available":1,"badge":2}}"#, #"{"aps":{"content-available":true}}"#, #"{"aps":{}}"#])
    func aBackgroundPushShowsNothing(_ body: String) throws {
        let headers = ["apns-push-type": "background", "apns-priority": "5"]
        expect(APNsStandIn().answer(try request(headers, body: body)), 400, "InvalidPushType")
    }

    @Test(arguments: [("alert", 4_096, 200), ("alert", 4_097, 413), ("voip", 5_120, 200), ("voip", 5_121, 413)])
    func theSizeIsLimited(_ type: String, _ size: Int, _ status: Int) throws {
        let (start, end) = (#"{"aps":{"alert":""#, #""}}"#)
        let body = start + String(repeating: "a", count: size - start.utf8.count - end.utf8.count) + end
        let answer = APNsStandIn().answer(try request(["apns-push-type": type], body: body))
        expect(answer, status, status == 200 ? nil : "PayloadTooLarge")
    }

    // MARK: Devices

    private func path(_ recipient: String) -> String { "/\(Hexadecimal.encode(Array(recipient.utf8)))" }

    @Test func fixedRecipientsAreInHexadecimal() throws {
        #expect(path("test+gone") == "/746573742b676f6e65")
        let gone = APNsStandIn().answer(try request(path: "/00746573742B676F6E65ff"))
        expect(gone, 410, "Unregistered")
        #expect((try JSON.parse(gone.response.body ?? []))["timestamp"] == 1_767_225_600_000)
        #expect(gone.messageID == "00746573742b676f6e65ff n-1")
        expect(APNsStandIn().answer(try request(path: path("test+rejected"))), 400, "InvalidPushType")
        expect(APNsStandIn().answer(try request(path: path("test+delivered"))), 200, nil)
        #expect(APNsStandIn().answer(try request(path: path("test+timeout"))).hangs)
        for (name, status, expected) in [("throttled", 429, "TooManyRequests"), ("flaky", 503, "ServiceUnavailable")] {
            let answer = APNsStandIn().answer(try request(path: path("test+\(name)")))
            #expect(answer.first?.status == status && answer.first.flatMap(reason) == expected && answer.response.status == 200)
        }
    }

    @Test(arguments: APNsResultTests.table)
    func everyReasonCanBeAskedFor(_ status: Int, _ expected: String, _: Outcome) throws {
        let answer = APNsStandIn().answer(try request(path: path("device test+\(expected) 7")))
        expect(answer, status, expected)
        #expect(answer.messageID != nil)
        let hasTime = try JSON.parse(answer.response.body ?? [])["timestamp"] != nil
        #expect(hasTime == (status == 410))
    }

    @Test func everyReasonIsKnown() {
        #expect(APNsFault.allCases.map(\.rawValue) == APNsResultTests.table.map(\.1))
    }
}
