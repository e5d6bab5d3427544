import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderFCM

/// The requests that the provider sends to FCM.
struct FCMMessageTests {
    private func body(_ item: OutgoingDelivery) throws(Refusal) -> String {
        String(decoding: try fcmBody(of: item, now: FCMFixture.now).message, as: UTF8.self)
    }

    /// A delivery with every optional part.
    private func full(_ platform: String) -> OutgoingDelivery {
        var item = OutgoingDelivery.fcmOrder(platform: platform)
        (item.content.groupKey, item.content.collapseKey, item.badge) = ("orders", "order-17", 3)
        item.header.expiresAt = FCMFixture.now.adding(.seconds(3_600))
        return item
    }

    private static let shared = #"""
        "token":"device-1","data":{"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
        "createdAt":"2026-01-01T00:00:00.000Z","data":"{\"orderId\":\"17\",\"n\":1.5}"},\#
        "notification":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."}
        """#

    @Test func aMessageForAndroidShowsItsTexts() throws {
        #expect(
            try body(full("android")) == #"""
                {"message":{\#(Self.shared),"android":{"collapse_key":"order-17","priority":"high","ttl":"3600s",\#
                "notification":{"tag":"order-17","sound":"default"}}}}
                """#)
    }

    @Test func aMessageForIOSShowsItsTexts() throws {
        #expect(
            try body(full("ios")) == #"""
                {"message":{\#(Self.shared),"apns":{"headers":{"apns-priority":"10","apns-push-type":"alert",\#
                "apns-collapse-id":"order-17","apns-expiration":"1767229200"},"payload":{"aps":{\#
                "alert":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."},"sound":"default","badge":3,"thread-id":"orders",\#
                "category":"transactional"},"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "createdAt":"2026-01-01T00:00:00.000Z","data":{"orderId":"17","n":"1.5"}}}}}
                """#)
    }

    /// The platform is not known, so the message serves both platforms.
    @Test func silent() throws {
        #expect(
            try body(.fcmMetadata()) == #"""
                {"message":{"token":"device-1","data":{"type":"metadata","file":"{\"size\":12,\"name\":\"a\"}"},\#
                "android":{"priority":"normal"},"apns":{"headers":{"apns-priority":"5","apns-push-type":"background"},\#
                "payload":{"aps":{"content-available":1},"type":"metadata","file":{"size":12,"name":"a"}}}}}
                """#)
    }

    @Test func anotherPlatformHasNoBlock() throws {
        #expect(try body(.fcmOrder(platform: "web")) == "{\"message\":{\(Self.shared)}}")
    }

    @Test func onlyWhatAPersonWaitsForWakesAnAndroid() throws {
        for category in Category.allCases {
            var item = OutgoingDelivery.fcmOrder(platform: "android")
            item.header.category = category
            let isUrgent = category == .transactional || category == .system
            #expect(try JSON.parse(body(item))["message"]?["android"]?["priority"] == (isUrgent ? "high" : "normal"))
            item.silent = true
            #expect(try JSON.parse(body(item))["message"]?["android"]?["priority"] == "normal")
        }
    }

    @Test(arguments: [
        (Int64(-1), "0s", "1767225599"), (0, "0s", "1767225600"), (59, "59s", "1767225659"), (2_419_200, "2419200s", "1769644800"),
        (99_999_999, "2419200s", "1867225599"),
    ])
    func expiryIsClampedToWhatFCMKeeps(_ seconds: Int64, _ life: String, _ expiration: String) throws {
        var item = OutgoingDelivery.fcmOrder()
        item.header.expiresAt = FCMFixture.now.adding(.seconds(seconds))
        let message = try JSON.parse(body(item))["message"]
        #expect(message?["android"]?["ttl"]?.stringValue == life)
        #expect(message?["apns"]?["headers"]?["apns-expiration"]?.stringValue == expiration)
    }

    private static let longest = String(repeating: "k", count: 64)

    @Test(
        arguments: [
            (longest, longest), (longest + "k", "f39cdc2584758c99cf81c1f41d2572f54e17066afffc9d187aeafe5f7cbe2122"),
            ("a\nb", "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78"),
            ("ééé", "355b7226e20cb564774ef99442e77ac003100624b42b5a92944f0dad75b126b0"), ("", nil), (nil, nil),
        ] as [(String?, String?)])
    func aCollapseKeyThatIsNoHeaderBecomesItsDigest(_ key: String?, _ expected: String?) throws {
        var item = OutgoingDelivery.fcmOrder()
        item.content.collapseKey = key
        let message = try JSON.parse(body(item))["message"]
        #expect(message?["android"]?["collapse_key"]?.stringValue == expected)
        #expect(message?["android"]?["notification"]?["tag"]?.stringValue == expected)
        #expect(message?["apns"]?["headers"]?["apns-collapse-id"]?.stringValue == expected)
    }

    @Test func reservedNamesGetAnUnderscore() {
        let data = """
            {"from":1,"message_type":true,"google":"a","google.sent":"b","gcm.x":null,"GCM":"c","fromage":"d","type":"e","_from":"f"}
            """
        let texts = fcmData(of: .fcmMetadata(data: data))
        #expect(texts.map(\.0) == ["type", "_message_type", "_google", "_google.sent", "_gcm.x", "GCM", "fromage", "_from"])
        #expect(texts.map(\.1) == ["metadata", "true", "a", "b", "null", "c", "d", "f"])
    }

    @Test func titleOrBodyIsEnough() throws {
        var item = OutgoingDelivery.fcmOrder(platform: "android")
        item.content.title = nil
        #expect(try JSON.parse(body(item))["message"]?["notification"]?.objectValue?.keys == ["body"])
        (item.content.title, item.content.body) = ("t", nil)
        #expect(try JSON.parse(body(item))["message"]?["notification"]?.objectValue?.keys == ["title"])
    }

    // MARK: Deliveries that are not sent

    private func refusal(_ item: OutgoingDelivery) -> SendResult? {
        let error = #expect(throws: Refusal.self) { try fcmBody(of: item, now: FCMFixture.now) }
        return error?.result
    }

    @Test func nothingIsSentWithoutAnAddress() {
        #expect(refusal(.fcmOrder(token: nil))?.outcome == .rejected(.noAddress))
    }

    @Test(arguments: ["", "a b", "a\nb", "t\u{f6}ken", String(repeating: "t", count: 4_097)])
    func nothingIsSentToWhatIsNoToken(_ token: String) {
        let result = refusal(.fcmOrder(token: token))
        #expect(result?.outcome == .rejected(.tokenMalformed))
        #expect(result?.detail?.contains("\(token.utf8.count) bytes") == true)
    }

    @Test(arguments: [
        ("cXyZ:APA91b-_", "cXyZ:APA91b-_"), (" cXyZ:APA91b-_\n", "cXyZ:APA91b-_"), ("CXYZ:APA91b-_", "CXYZ:APA91b-_"),
        ("nullable", "nullable"), (String(repeating: "0a", count: 31), String(repeating: "0a", count: 31)),
        (String(repeating: "0a1g", count: 16), String(repeating: "0a1g", count: 16)),
    ])
    func aTokenKeepsItsLetters(_ written: String, _ stored: String) throws {
        let token = try FCMProviderFactory.deviceToken(written)
        #expect(token.text == stored && token.identity == stored)
    }

    @Test(arguments: [
        "", "a b", "{length=32,bytes=0x740f4707}", "<740f4707>", #"{"endpoint":"https://push.test/1","keys":{}}"#,
        String(repeating: "t", count: 4_097), "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "null", "Undefined", "nil", "(null)",
        "cXyZ+APA91b/", String(repeating: "0a1B", count: 16), " \(String(repeating: "f", count: 64))\n",
    ])
    func aTextThatIsNoTokenIsRefusedAtRegistration(_ written: String) {
        let fault = #expect(throws: DeviceToken.Fault.self) { try FCMProviderFactory.deviceToken(written) }
        #expect(fault?.description == refusal(.fcmOrder(token: written))?.detail, "the send says the same")
    }

    @Test func aTokenOfTheLongestLengthIsSent() throws {
        let token = String(repeating: "t", count: 4_096)
        #expect(try JSON.parse(body(.fcmOrder(token: token)))["message"]?["token"]?.stringValue == token)
    }

    @Test func nothingIsSentThatShowsNothing() {
        var item = OutgoingDelivery.fcmOrder()
        (item.content.title, item.content.body) = (nil, nil)
        #expect(refusal(item)?.outcome == .rejected(.contentMissing))
    }

    /// `type` and `metadata` take 12 bytes and the field's name takes one. Each letter of its text takes two.
    @Test func theLimitIsOfKeysAndValues() throws {
        func item(_ data: String) -> OutgoingDelivery {
            var item = OutgoingDelivery.fcmMetadata(data: data)
            item.device = OutgoingDevice(platform: "android", environment: "production")
            return item
        }
        let fits = "{\"x\":\"y\(String(repeating: "\u{e9}", count: 2_041))\"}"
        #expect(try body(item(fits)).utf8.count > 4_096)
        let result = refusal(item(fits.replacing("y", with: "yy")))
        #expect(result?.outcome == .rejected(.payloadTooLarge))
        #expect(result?.detail?.contains("4097 bytes") == true && result?.detail?.contains("4096") == true)
    }

    /// An image is shown if there is room for it, and never keeps the text from its reader.
    @Test func anImageGivesWayToTheText() throws {
        var item = full("ios")
        item.content.imageURL = "https://img.example/17.png"
        let small = try JSON.parse(body(item))["message"]?["apns"]
        #expect(small?["fcm_options"]?["image"]?.stringValue == "https://img.example/17.png")
        #expect(small?["payload"]?["imageURL"]?.stringValue == "https://img.example/17.png")
        item.content.imageURL = "https://img.example/" + String(repeating: "i", count: 2_000)
        item.content.body = String(repeating: "b", count: 3_000)
        let large = try JSON.parse(body(item))["message"]
        #expect(large?["apns"]?["fcm_options"] == nil && large?["apns"]?["payload"]?["imageURL"] == nil)
        #expect(large?["notification"]?["body"]?.stringValue == item.body)
    }

    /// Google limits the texts, and Apple limits the payload, in which quotation marks are escaped. The block that is sent counts.
    @Test(arguments: ["android", "ios", nil])
    func aLongBodyIsShortened(_ platform: String?) throws {
        for text in ["b", "\"", "é", "👩‍👩‍👧‍👦"] {
            var item = OutgoingDelivery.fcmOrder(platform: platform)
            item.content.body = String(repeating: text, count: 4_000)
            let fitted = try fcmBody(of: item, now: FCMFixture.now)
            let message = try JSON.parse(fitted.message)["message"]
            let shown = try #require(message?["notification"]?["body"]?.stringValue)
            #expect(shown.hasSuffix("…") && shown.dropLast().allSatisfy { String($0) == text } && shown.count > 100)
            let texts = ["data", "notification"].compactMap { message?[$0]?.objectValue?.entries }.joined()
            let size = texts.reduce(0) { $0 + $1.key.utf8.count + ($1.value.stringValue?.utf8.count ?? 0) }
            let payload = message?["apns"]?["payload"]?.serializedBytes.count
            #expect(size <= 4_096 && payload ?? 0 <= 4_096 && max(size, payload ?? 0) > 4_000)
            #expect((payload == nil) == (platform == "android"))
            #expect(fitted.note?.contains("the body was shortened from \(item.body?.utf8.count ?? 0) to ") == true)
        }
    }

    /// A quotation mark has one byte for Google, and two in the payload for Apple.
    @Test func dataMayBeTooLargeForAppleAlone() throws {
        var item = OutgoingDelivery.fcmMetadata(data: "{\"x\":\"\(String(repeating: "\\\"", count: 2_100))\"}")
        item.device = OutgoingDevice(platform: "android", environment: "production")
        #expect(throws: Never.self) { try body(item) }
        item.device?.platform = "ios"
        let result = refusal(item)
        #expect(result?.outcome == .rejected(.payloadTooLarge) && result?.detail?.hasSuffix("; Apple takes 4096") == true)
    }

    /// The largest possible body stays within the declared limit.
    @Test func noBodyIsLongerThanDeclared() throws {
        let data = "{\"x\":\"\(String(repeating: "\\u0001", count: 4_083))\"}"
        var item = OutgoingDelivery.fcmMetadata(data: data)
        item.device = OutgoingDevice(platform: "android", environment: "production")
        item.endpointAddress = String(repeating: "t", count: 4_096)
        item.content.collapseKey = String(repeating: "\u{1}", count: 256)
        let count = try fcmBody(of: item, now: FCMFixture.now).message.count
        #expect(count <= FCMLimits.bodyBytes && count > FCMLimits.bodyBytes / 2)
    }
}
