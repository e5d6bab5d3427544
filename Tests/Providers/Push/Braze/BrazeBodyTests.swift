import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderBraze

/// The requests that the provider sends to Braze.
struct BrazeBodyTests {
    /// The time at which the messages are written: a minute after the notifications were accepted.
    private static let now = Timestamp(seconds: 1_767_225_660)

    private func body(
        of item: OutgoingDelivery, to people: [String] = ["user-42"], _ settings: [String: String] = [:]
    ) throws -> [UInt8] {
        try brazeBody(of: item, to: people, configuration: try .test(settings), now: Self.now).message
    }

    private func text(
        of item: OutgoingDelivery, to people: [String] = ["user-42"], _ settings: [String: String] = [:]
    ) throws -> String {
        String(decoding: try body(of: item, to: people, settings), as: UTF8.self)
    }

    @Test func aVisibleOneForBothPlatforms() throws {
        var item = OutgoingDelivery.orderUpdate()
        (item.badge, item.content.groupKey, item.content.collapseKey) = (3, "orders", "order-17")
        item.header.expiresAt = Timestamp(seconds: 1_767_229_200)
        #expect(
            try text(of: item) == #"""
                {"external_user_ids":["user-42"],"messages":{\#
                "apple_push":{"alert":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."},"sound":"default","badge":3,\#
                "category":"transactional","notification_group_thread_id":"orders","collapse_id":"order-17",\#
                "expiry":"2026-01-01T01:00:00Z",\#
                "extra":{"type":"orderUpdate","category":"transactional","data":"{\"orderId\":\"17\"}"}},\#
                "android_push":{"alert":"It arrives \"tomorrow\".","title":"Your order shipped",\#
                "extra":{"type":"orderUpdate","category":"transactional","data":"{\"orderId\":\"17\"}"},\#
                "collapse_key":"order-17","time_to_live":3540,"priority":1}}}
                """#)
    }

    @Test func aSilentOneWakesTheApp() throws {
        #expect(
            try text(of: .metadata()) == #"""
                {"external_user_ids":["user-42"],"messages":{\#
                "apple_push":{"content-available":true,"apns_priority":5,"extra":{"type":"metadata","file":{"size":12,"name":"a"}}},\#
                "android_push":{"send_to_sync":true,"extra":{"type":"metadata","file":"{\"size\":12,\"name\":\"a\"}"}}}}
                """#)
    }

    @Test func aBatchNamesEveryPersonOnceAndNoNotification() throws {
        #expect(
            try text(of: .orderUpdate(), to: ["a", "b", "a", "c"], ["platforms": "android"]) == #"""
                {"external_user_ids":["a","b","c"],"messages":{\#
                "android_push":{"alert":"It arrives \"tomorrow\".","title":"Your order shipped",\#
                "extra":{"type":"orderUpdate","category":"transactional","data":"{\"orderId\":\"17\"}"},"priority":1}}}
                """#)
    }

    @Test func peopleAreToldApartByTheirBytes() throws {
        let json = try JSON.parse(try body(of: .orderUpdate(), to: ["\u{E9}", "e\u{301}"]))
        #expect(json["external_user_ids"]?.arrayValue?.count == 2)
    }

    @Test func onePersonACallLearnsTheNotification() throws {
        #expect(
            try text(of: .orderUpdate(), ["perPerson": "true", "platforms": "ios"]) == #"""
                {"external_user_ids":["user-42"],"messages":{\#
                "apple_push":{"alert":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."},"sound":"default",\#
                "category":"transactional",\#
                "extra":{"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "createdAt":"2026-01-01T00:00:00.000Z","data":"{\"orderId\":\"17\"}"}}}}
                """#)
    }

    @Test func aCampaignHasOneVariationAPlatform() throws {
        let settings = ["campaignId": "spring", "iosVariationId": "v-ios", "androidVariationId": "v-android"]
        let json = try JSON.parse(try body(of: .metadata(), settings))
        #expect(json.objectValue?.keys == ["external_user_ids", "campaign_id", "messages"])
        #expect(json["campaign_id"]?.stringValue == "spring")
        #expect(json["messages"]?["apple_push"]?["message_variation_id"]?.stringValue == "v-ios")
        #expect(json["messages"]?["android_push"]?["message_variation_id"]?.stringValue == "v-android")
    }

    static let singleTexts: [(String?, String?)] = [("Only a title", nil), (nil, "Only a body"), ("Only a title", ""), ("", "Only a body")]

    @Test(arguments: singleTexts)
    func oneTextStandsForBothOnAndroid(_ title: String?, _ body: String?) throws {
        var item = OutgoingDelivery.orderUpdate()
        (item.content.title, item.content.body) = (title, body)
        let text = body?.isEmpty == false ? "Only a body" : "Only a title"
        let messages = try JSON.parse(try self.body(of: item))["messages"]
        #expect(messages?["android_push"]?["alert"]?.stringValue == text && messages?["android_push"]?["title"]?.stringValue == text)
        #expect(messages?["apple_push"]?["alert"]?.objectValue?.keys == [text == "Only a body" ? "body" : "title"])
    }

    @Test func marketingIsNotUrgent() throws {
        var item = OutgoingDelivery.orderUpdate()
        item.header.category = .marketing
        let json = try JSON.parse(try body(of: item))
        #expect(json["messages"]?["android_push"]?["priority"]?.intValue == 0)
    }

    static let lifetimes: [(Int, Int)] = [(-5, 0), (7, 7), (28 * 86_400 + 1, 28 * 86_400)]

    @Test(arguments: lifetimes)
    func timeToLiveHasBounds(_ seconds: Int, _ expected: Int) throws {
        var item = OutgoingDelivery.orderUpdate()
        item.header.expiresAt = Self.now.adding(.seconds(seconds))
        let json = try JSON.parse(try body(of: item))
        #expect(json["messages"]?["android_push"]?["time_to_live"]?.intValue == expected)
    }

    @Test func aCollapseKeyThatIsNoHeaderBecomesItsDigest() throws {
        var item = OutgoingDelivery.orderUpdate()
        for (key, expected) in [
            (String(repeating: "k", count: 64), String(repeating: "k", count: 64)),
            (String(repeating: "k", count: 65), "f39cdc2584758c99cf81c1f41d2572f54e17066afffc9d187aeafe5f7cbe2122"),
            ("ééé", "355b7226e20cb564774ef99442e77ac003100624b42b5a92944f0dad75b126b0"),
        ] {
            item.content.collapseKey = key
            let messages = try JSON.parse(try body(of: item))["messages"]
            #expect(messages?["apple_push"]?["collapse_id"]?.stringValue == expected)
            #expect(messages?["android_push"]?["collapse_key"]?.stringValue == expected)
        }
    }

    @Test func aMessageWithoutTextsIsRefused() {
        var item = OutgoingDelivery.orderUpdate()
        for (title, body) in [(nil, nil), ("", nil), (nil, ""), ("", "")] as [(String?, String?)] {
            (item.content.title, item.content.body) = (title, body)
            let refusal = #expect(throws: Refusal.self) { try self.body(of: item) }
            #expect(refusal?.result.outcome == .rejected(.contentMissing))
        }
    }

    @Test func anAppleMessageHasAtMost1912Bytes() throws {
        func body(fillingWith count: Int) throws -> [UInt8] {
            var item = OutgoingDelivery.orderUpdate()
            item.content.body = String(repeating: "y", count: count)
            return try self.body(of: item, ["platforms": "ios"])
        }
        func size(_ body: [UInt8]) throws -> Int? { try JSON.parse(body)["messages"]?["apple_push"]?.serializedBytes.count }
        let spare = 1_912 - (try #require(try size(body(fillingWith: 1))))
        #expect(try size(body(fillingWith: 1 + spare)) == 1_912)
        #expect(try size(body(fillingWith: 2 + spare)) == 1_912)
        var item = OutgoingDelivery.orderUpdate()
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 1_912))\"}"
        let refusal = #expect(throws: Refusal.self) { try self.body(of: item, ["platforms": "ios"]) }
        #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
        #expect(refusal?.result.detail?.hasSuffix(" bytes; Braze takes 1912") == true)
    }

    /// Each platform has a limit of its own: Android may get more of a text than iOS.
    @Test func aLongBodyIsShortenedForEachPlatform() throws {
        var item = OutgoingDelivery.orderUpdate()
        item.content.body = String(repeating: "y", count: 4_000)
        let fitted = try brazeBody(of: item, to: ["user-42"], configuration: try .test(), now: Self.now)
        let messages = try JSON.parse(fitted.message)["messages"]
        let ios = try #require(messages?["apple_push"]?["alert"]?["body"]?.stringValue)
        let android = try #require(messages?["android_push"]?["alert"]?.stringValue)
        #expect(ios.hasSuffix("y…") && android.hasSuffix("y…") && ios.utf8.count < 1_912 && android.utf8.count > 3_000)
        #expect(messages?["apple_push"]?.serializedBytes.count == 1_912)
        #expect(messages?["android_push"]?["title"]?.stringValue == item.title)
        #expect(fitted.note?.contains("Braze takes 1912 bytes for the message for iOS: the body was shortened from 4000 to ") == true)
        #expect(fitted.note?.contains("; Braze takes 4000 bytes for the texts and extra for Android: ") == true)
    }

    /// The data is never shortened. If it is too large for iOS, Android gets the message all the same, and the other way round.
    @Test(arguments: [true, false])
    func aPlatformThatCannotTakeTheDataIsLeftOut(_ isSilent: Bool) throws {
        var item = isSilent ? OutgoingDelivery.metadata() : .orderUpdate()
        func fitted(dataOf count: Int, _ settings: [String: String] = [:]) throws -> FittedMessage<[UInt8]> {
            item.content.data = "{\"x\":\"\(String(repeating: "y", count: count))\"}"
            return try brazeBody(of: item, to: ["user-42"], configuration: try .test(settings), now: Self.now)
        }
        let both = try fitted(dataOf: 1_000)
        #expect(try JSON.parse(both.message)["messages"]?.objectValue?.keys == ["apple_push", "android_push"] && both.note == nil)
        let android = try fitted(dataOf: 2_500)
        #expect(try JSON.parse(android.message)["messages"]?.objectValue?.keys == ["android_push"])
        let rule = "the platform ios was left out: the message for iOS has "
        #expect(android.note?.hasPrefix(rule) == true && android.note?.hasSuffix(" bytes; Braze takes 1912") == true)
        let tooLarge: [(Int, [String: String])] = [(4_000, [:]), (2_500, ["platforms": "ios"]), (4_000, ["platforms": "android"])]
        for (count, settings) in tooLarge {
            let refusal = #expect(throws: Refusal.self) { try fitted(dataOf: count, settings) }
            #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
        }
    }

    /// Escapes count, and so does the title.
    @Test(arguments: ["y", "\"", "\n"])
    func textsAndExtraForAndroidHaveAtMost4000Bytes(_ letter: String) throws {
        func push(fillingWith count: Int) throws -> JSON {
            var item = OutgoingDelivery.orderUpdate()
            item.content.body = String(repeating: letter, count: count)
            return try #require(try JSON.parse(self.body(of: item, ["platforms": "android"]))["messages"]?["android_push"])
        }
        func size(_ push: JSON) -> Int {
            ["alert", "title"].reduce(push["extra"]?.serializedBytes.count ?? 0) { $0 + (push[$1]?.serializedBytes.count ?? 0) - 2 }
        }
        let each = try size(push(fillingWith: 2)) - size(push(fillingWith: 1))
        let most = (4_000 - (try size(push(fillingWith: 1)))) / each + 1
        #expect(try push(fillingWith: most)["alert"]?.stringValue == String(repeating: letter, count: most))
        let shortened = try push(fillingWith: most + 1)
        #expect(shortened["alert"]?.stringValue?.hasSuffix("…") == true && size(shortened) <= 4_000)
    }

    /// Without a body the title would be both texts. So the object would be larger than with a short body.
    @Test func aShortenedBodyIsBetterThanNoneOnAndroid() throws {
        var item = OutgoingDelivery.orderUpdate()
        (item.content.title, item.content.body) = (String(repeating: "t", count: 300), String(repeating: "b", count: 250))
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 3_400))\"}"
        let fitted = try brazeBody(of: item, to: ["user-42"], configuration: try .test(["platforms": "android"]), now: Self.now)
        let push = try #require(try JSON.parse(fitted.message)["messages"]?["android_push"])
        #expect(push["title"]?.stringValue == item.title)
        let alert = try #require(push["alert"]?.stringValue)
        #expect(alert.hasSuffix("b…") && 300 + alert.utf8.count + (push["extra"]?.serializedBytes.count ?? 0) == 4_000)
        #expect(fitted.note?.contains("the body was shortened from 250 to ") == true && fitted.note?.contains("title") == false)
    }

    @Test func theWholeRequestHasALimitToo() {
        let people = (0..<50).map { "\($0)" + String(repeating: "y", count: BrazeProvider.maximumBodyBytes / 50) }
        let refusal = #expect(throws: Refusal.self) { try body(of: .orderUpdate(), to: people) }
        #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
    }
}

extension BrazeConfiguration {
    /// A configuration with a key and an endpoint, unless the settings say otherwise.
    static func test(_ settings: [String: String] = [:]) throws(ProviderConfigurationError) -> BrazeConfiguration {
        let complete = ["apiKey": "env:KEY", "endpoint": "https://rest.example"].merging(settings) { _, given in given }
        return try BrazeConfiguration(
            ProviderSettings(
                peopleBinding(kind: "braze", complete), declared: BrazeProviderFactory.settings, environment: peopleEnvironment))
    }
}
