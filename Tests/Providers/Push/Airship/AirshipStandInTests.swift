import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderAirship
@testable import TidingsCapture

/// Checks that the stand-in refuses what Airship refuses, and accepts what the provider sends.
struct AirshipStandInTests {
    private static let now = Timestamp(seconds: 1_767_225_600)
    private static let accept = "application/vnd.urbanairship+json; version=3"
    private static let authorization = "Basic a2V5LTE6c2VjcmV0LTE="

    private func answer(
        _ body: String, headers: [String: String] = [:], method: String = "POST", path: String = "/api/push"
    ) -> StandInAnswer {
        let standard = ["accept": Self.accept, "authorization": Self.authorization]
        return AirshipStandIn().answer(
            StandInRequest(
                method: method, path: path, headers: standard.merging(headers) { _, given in given }, body: Array(body.utf8),
                now: Self.now))
    }

    private func json(_ answer: StandInAnswer) throws -> JSON {
        try JSON.parse(try #require(answer.response.body))
    }

    private static func push(
        _ notification: String = #"{"alert":"Hello","ios":{"extra":{"id":"n-1","type":"t"}}}"#, to person: String = "a",
        types: String = #"["ios","android"]"#
    ) -> String {
        "{\"audience\":{\"named_user\":\"\(person)\"},\"device_types\":\(types),\"notification\":\(notification)}"
    }

    @Test func theStandInTakesThePushesOfTheProvider() throws {
        var item = OutgoingDelivery.orderUpdate()
        (item.badge, item.content.groupKey, item.content.collapseKey) = (3, "orders", String(repeating: "k", count: 256))
        item.header.expiresAt = Self.now.adding(.seconds(60))
        for item in [item, .orderUpdate(), .metadata()] {
            let push = try airshipPush(of: item, platforms: [.ios, .android, .web], now: Self.now).message
            let single = answer(String(decoding: push, as: UTF8.self))
            #expect(single.response.status == 202)
            #expect(single.messageID == (item.silent ? "user-42 metadata" : "user-42 019a3c2e-0000-7000-8000-000000000001"))
            let array = answer(String(decoding: airshipBody(of: [push, push]), as: UTF8.self))
            #expect(try json(array)["push_ids"]?.arrayValue?.count == 2)
        }
    }

    @Test func successNamesEveryPush() throws {
        let answer = answer("[\(Self.push(to: "a")),\(Self.push(to: "b"))]")
        #expect(answer.response.status == 202 && answer.messageID == "a,b n-1")
        let json = try json(answer)
        #expect(json.objectValue?.keys == ["ok", "operation_id", "push_ids", "message_ids", "content_urls", "localized_ids"])
        #expect(Set(json["push_ids"]?.arrayValue ?? []).count == 2)
        let headers = Dictionary(answer.response.headers) { _, last in last }
        #expect(headers["content-type"] == Self.accept && headers["data-attribute"] == "push_ids")
    }

    static let mistakes: [(String, String?)] = [
        ("nonsense", nil), ("[]", ""), ("[\(Array(repeating: push(), count: 101).joined(separator: ","))]", ""), ("{}", ""), ("[1]", "[0]"),
        (#"{"device_types":"all","notification":{"alert":"Hello"}}"#, ""), (#"{"audience":"all","notification":{"alert":"Hello"}}"#, ""),
        (#"{"audience":"all","device_types":"all"}"#, ""),
        (#"{"audience":"some","device_types":"all","notification":{"alert":"Hello"}}"#, "audience"),
        (#"{"audience":{"user":"a"},"device_types":"all","notification":{"alert":"Hello"}}"#, "audience"),
        (push(to: ""), "audience"), (push(types: "[]"), "device_types"), (push(types: #"["ios","phone"]"#), "device_types"),
        (push(#"{"alert1":"Hello"}"#), "notification.alert1"), (push("{}"), "notification"),
        (push(#"{"alert":"Hello","ios":{"content_available":1}}"#), "notification.ios.content_available"),
        (push(#"{"ios":{"content-available":true}}"#), "notification.ios.content-available"),
        (push(#"{"alert":"Hello","ios":{"expiry":"2026-01-01T00:00:00+01:00"}}"#), "notification.ios.expiry"),
        (push(#"{"alert":"Hello","ios":{"priority":7}}"#), "notification.ios.priority"),
        (push("{\"ios\":{\"collapse_id\":\"\(String(repeating: "é", count: 33))\"}}"), "notification.ios.collapse_id"),
        (push(#"{"alert":"Hello","ios":{"collapse_id":""}}"#), "notification.ios.collapse_id"),
        (push(#"{"alert":"Hello","ios":{"collapse_id":"a\nb"}}"#), "notification.ios.collapse_id"),
        (push(#"{"alert":"Hello","android":{"collapse_key":""}}"#), "notification.android.collapse_key"),
        (push(#"{"alert":"Hello","android":{"notification_tag":""}}"#), "notification.android.notification_tag"),
        (push("{\"alert\":\"\(String(repeating: "y", count: 4_096))\",\"ios\":{}}"), "notification.ios"),
        (push(#"{"alert":"Hello","android":{"extra":{"size":12}}}"#), "notification.android.extra.size"),
        (push(#"{"alert":"Hello","android":{"time_to_live":-1}}"#), "notification.android.time_to_live"),
        (push(#"{"alert":"Hello","android":{"delivery_priority":"urgent"}}"#), "notification.android.delivery_priority"),
        (push(#"{"alert":"Hello","web":{"sound":"x"}}"#), "notification.web.sound"),
        ("[\(push()),\(push(#"{"alert":"Hello","ios":{"bagde":1}}"#))]", "[1].notification.ios.bagde"),
    ]

    @Test(arguments: mistakes)
    func theStandInRefusesEveryPushThatAirshipRefuses(_ body: String, _ path: String?) throws {
        let answer = answer(body)
        #expect(answer.response.status == 400 && answer.messageID == nil)
        let json = try json(answer)
        #expect(json["ok"]?.boolValue == false && json["error_code"]?.intValue == 40_000)
        #expect(json["details"]?["path"]?.stringValue == path)
    }

    static let strangers: [([String: String], String, String, Int)] = [
        (["authorization": ""], "POST", "/api/push", 401), (["authorization": "Basic a2V5"], "POST", "/api/push", 401),
        (["authorization": "Bearer token-1"], "POST", "/api/push", 401),
        (["authorization": "Bearer token-1", "x-ua-appkey": "wrong"], "POST", "/api/push", 401),
        (["authorization": "Bearer forbidden", "x-ua-appkey": "key-1"], "POST", "/api/push", 403),
        (["accept": "application/json"], "POST", "/api/push", 406),
        (["accept": "application/vnd.urbanairship+json; version=2"], "POST", "/api/push", 406), ([:], "GET", "/api/push", 405),
        ([:], "POST", "/api/pushes", 404),
    ]

    @Test(arguments: strangers)
    func theStandInKnowsCredentialsVersionsAndPaths(_ headers: [String: String], _ method: String, _ path: String, _ status: Int) throws {
        let answer = answer(Self.push(), headers: headers, method: method, path: path)
        #expect(answer.response.status == status && answer.messageID == nil)
        #expect(try json(answer)["ok"]?.boolValue == false)
    }

    @Test func aTokenNeedsTheAppKey() {
        #expect(answer(Self.push(), headers: ["authorization": "Bearer token-1", "x-ua-appkey": "key-1"]).response.status == 202)
    }

    @Test func aTooLargeBodyIs413() {
        let body = Self.push("{\"alert\":\"\(String(repeating: "y", count: 5 << 20))\"}")
        #expect(answer(body).response.status == 413)
    }

    @Test func validatingSendsNothing() throws {
        let valid = answer(Self.push(), path: "/api/push/validate")
        #expect(valid.response.status == 200 && valid.messageID == nil)
        #expect(try json(valid)["ok"]?.boolValue == true)
        #expect(answer("{}", path: "/api/push/validate").response.status == 400)
    }

    static let fixedRecipients: [(String, Int, Int?)] = [
        ("test+delivered", 202, nil), ("test+gone", 202, nil), ("test+rejected", 400, nil), ("test+throttled", 202, 429),
        ("test+flaky", 202, 503),
    ]

    @Test(arguments: fixedRecipients)
    func fixedRecipientsEndAsTheySay(_ person: String, _ status: Int, _ first: Int?) {
        let answer = answer(Self.push(to: person))
        #expect(answer.response.status == status && answer.first?.status == first && !answer.hangs)
        #expect(answer.messageID == "\(person) n-1")
    }

    @Test func oneNeverAnswers() {
        #expect(answer(Self.push(to: "test+timeout")).hangs)
    }

    @Test func oneRefusedPushRefusesAllOfItsRequest() throws {
        let answer = answer("[\(Self.push(to: "test+timeout")),\(Self.push(to: "test+rejected"))]")
        #expect(answer.response.status == 400 && !answer.hangs)
        #expect(try json(answer)["details"]?["path"]?.stringValue == "[1].audience.named_user")
    }
}
