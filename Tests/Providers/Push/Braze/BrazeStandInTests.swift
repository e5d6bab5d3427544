import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderBraze
@testable import TidingsCapture

/// Checks that the stand-in refuses what Braze refuses, and accepts what the provider sends.
struct BrazeStandInTests {
    private static let now = Timestamp(seconds: 1_767_225_600)

    private func answer(
        _ body: String, key: String? = "Bearer key-1", method: String = "POST", path: String = "/messages/send"
    ) -> StandInAnswer {
        var headers = ["content-type": "application/json"]
        headers["authorization"] = key
        return BrazeStandIn().answer(
            StandInRequest(method: method, path: path, headers: headers, body: Array(body.utf8), now: Self.now))
    }

    private static let message = #""messages":{"apple_push":{"alert":"Hello","extra":{"type":"t"}}}"#
    private static func toOne(_ messages: String) -> String { "{\"external_user_ids\":[\"a\"],\"messages\":\(messages)}" }
    private static func ids(_ count: Int) -> String { (0..<count).map { "\"p\($0)\"" }.joined(separator: ",") }

    @Test func theStandInTakesTheMessagesOfTheProvider() throws {
        let campaign = ["campaignId": "c", "iosVariationId": "i", "androidVariationId": "a"]
        var item = OutgoingDelivery.orderUpdate()
        (item.badge, item.content.groupKey, item.content.collapseKey) = (3, "orders", String(repeating: "k", count: 256))
        item.header.expiresAt = Self.now.adding(.seconds(60))
        for (item, settings) in [(item, campaign), (item, ["perPerson": "true"]), (.metadata(), [:]), (.metadata(), campaign)] {
            let body = try brazeBody(of: item, to: ["a", "b"], configuration: try .test(settings), now: Self.now).message
            let answer = answer(String(decoding: body, as: UTF8.self))
            #expect(answer.response.status == 201)
            #expect(answer.messageID == (settings["perPerson"] == nil ? "a,b \(item.type)" : "a,b \(item.notificationID)"))
        }
    }

    @Test func everyAnswerTellsTheLimits() throws {
        for body in ["{\"external_user_ids\":[\"a\"],\(Self.message)}", "{}"] {
            let headers = Dictionary(answer(body).response.headers) { _, last in last }
            #expect(headers["x-ratelimit-limit"] == "250000" && headers["x-ratelimit-remaining"] == "249999")
            #expect(headers["x-ratelimit-reset"] == "1767229200")
        }
    }

    static let mistakes: [(String, String)] = [
        ("nonsense", "Bad Request"), ("[]", "Bad Request"), ("{\(message)}", "No Recipients"),
        ("{\"external_user_ids\":[],\(message)}", "No Recipients"), ("{\"external_user_ids\":[1],\(message)}", "Bad Request"),
        ("{\"external_user_ids\":[\"a\"],\"broadcast\":true,\(message)}", "Bad Request"),
        ("{\"external_user_ids\":[\(ids(51))],\(message)}", "The max number of external_ids and aliases per request was exceeded"),
        (
            "{\"external_user_ids\":[\(ids(50))],\"user_aliases\":[{\"alias_name\":\"x\",\"alias_label\":\"y\"}],\(message)}",
            "The max number of external_ids and aliases per request was exceeded"
        ),
        ("{\"external_user_ids\":[\"a\"]}", "No message to send"), (toOne("{}"), "No message to send"),
        (toOne(#"{"apple_push":{"sound":"default"}}"#), "Bad Request"),
        (toOne(#"{"apple_push":{"alert":"Hello","badge":"3"}}"#), "Bad Request"),
        (toOne(#"{"apple_push":{"alert":"Hello","expiry":"tomorrow"}}"#), "Bad Request"),
        (toOne(#"{"apple_push":{"alert":"Hello","apns_priority":11}}"#), "Bad Request"),
        (toOne(#"{"apple_push":{"alert":"Hello","extra":"x"}}"#), "Invalid Extra Push Payload"),
        (toOne(#"{"apple_push":{"alert":"Hello","extra":{"ab":1}}}"#), "Invalid Extra Push Payload"),
        (toOne(#"{"apple_push":{"alert":"Hello","extra":{"aps":1}}}"#), "Invalid Extra Push Payload"),
        (toOne("{\"apple_push\":{\"alert\":\"\(String(repeating: "y", count: 1_912))\"}}"), "Apple Push Length Exceeded"),
        (toOne("{\"apple_push\":{\"alert\":\"Hello\",\"collapse_id\":\"\(String(repeating: "k", count: 65))\"}}"), "Bad Request"),
        (toOne(#"{"apple_push":{"alert":"Hello","collapse_id":""}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello","title":"You","collapse_key":""}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello"}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello","title":""}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello","title":"You","send_to_sync":true}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello","title":"You","priority":3}}"#), "Bad Request"),
        (toOne(#"{"android_push":{"alert":"Hello","title":"You","extra":[]}}"#), "Invalid Extra Push Payload"),
        (
            toOne("{\"android_push\":{\"alert\":\"\(String(repeating: "y", count: 4_001))\",\"title\":\"You\"}}"),
            "Android Push Length Exceeded"
        ),
        ("{\"external_user_ids\":[\"a\"],\"campaign_id\":\"c\",\(message)}", "Message Variant Unspecified"),
    ]

    @Test(arguments: mistakes)
    func theStandInRefusesEveryMessageThatBrazeRefuses(_ body: String, _ message: String) throws {
        let answer = answer(body)
        #expect(answer.response.status == 400 && answer.messageID == nil)
        #expect(try JSON.parse(try #require(answer.response.body))["message"]?.stringValue == message)
    }

    static let strangers: [(String?, String, String, Int)] = [
        (nil, "POST", "/messages/send", 401), ("Bearer ", "POST", "/messages/send", 401), ("key-1", "POST", "/messages/send", 401),
        ("Bearer a-wrong-key", "POST", "/messages/send", 401), ("Bearer forbidden", "POST", "/messages/send", 403),
        ("Bearer key-1", "POST", "/messages/sent", 404), ("Bearer key-1", "GET", "/messages/send", 404),
    ]

    @Test(arguments: strangers)
    func theStandInKnowsKeysAndPaths(_ key: String?, _ method: String, _ path: String, _ status: Int) {
        let answer = answer("{\"external_user_ids\":[\"a\"],\(Self.message)}", key: key, method: method, path: path)
        #expect(answer.response.status == status && answer.messageID == nil)
    }

    @Test func aBroadcastNamesNobody() {
        #expect(answer("{\"broadcast\":true,\(Self.message)}").response.status == 201)
    }

    static let fixedRecipients: [(String, Int, Int?)] = [
        ("test+delivered", 201, nil), ("test+gone", 201, nil), ("test+rejected", 400, nil), ("test+throttled", 201, 429),
        ("test+flaky", 201, 503),
    ]

    @Test(arguments: fixedRecipients)
    func fixedRecipientsEndAsTheySay(_ person: String, _ status: Int, _ first: Int?) {
        let answer = answer("{\"external_user_ids\":[\"\(person)\"],\(Self.message)}")
        #expect(answer.response.status == status && answer.first?.status == first && !answer.hangs)
        #expect(answer.messageID == "\(person) t")
    }

    @Test func oneNeverAnswers() {
        #expect(answer("{\"external_user_ids\":[\"test+timeout\"],\(Self.message)}").hangs)
    }

    @Test func oneRefusedRecipientIsAnErrorBesideSuccess() throws {
        let answer = answer("{\"external_user_ids\":[\"a\",\"test+rejected\",\"test+timeout\"],\(Self.message)}")
        #expect(answer.response.status == 201 && !answer.hangs)
        let json = try JSON.parse(try #require(answer.response.body))
        #expect(json["message"]?.stringValue == "success" && json["errors"]?.arrayValue?.count == 1)
    }

    @Test func longIDsAreCutAtWholeCharacters() throws {
        let people = (0..<50).map { "é-person-\($0)" }
        let id = StandInAnswer.messageID(people: people, what: "orderUpdate")
        #expect(id.utf8.count <= 512 && id.utf8.count > 500)
        #expect(id.hasPrefix("é-person-0,é-person-1,") && id.hasSuffix(" orderUpdate") && !id.contains("\u{FFFD}"))
        #expect(StandInAnswer.messageID(people: people, what: String(repeating: "é", count: 999)).utf8.count <= 512)
        #expect(StandInAnswer.messageID(people: ["a"], what: "t") == "a t")
    }
}
