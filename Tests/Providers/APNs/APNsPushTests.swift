import Testing
import TidingsCore
import TidingsHTTP2
import TidingsJSON
import TidingsProvider

@testable import ProviderAPNs

/// The requests that the provider sends to APNs.
struct APNsPushTests {
    private func request(_ item: OutgoingDelivery) throws(Refusal) -> HTTP2Request {
        try APNsPush(of: item, topic: APNsFixture.topic).request(under: "TOKEN", within: .seconds(7))
    }

    private func refusal(_ item: OutgoingDelivery) -> SendResult? {
        let error = #expect(throws: Refusal.self) { try request(item) }
        return error?.result
    }

    private static let path = "/3/device/0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b"

    @Test func aVisiblePushShowsItsTexts() throws {
        #expect(
            try request(.apnsOrder()).text == #"""
                POST \#(Self.path)
                authorization: bearer TOKEN
                apns-topic: com.example.shop
                apns-push-type: alert
                apns-priority: 10
                apns-id: 019a3c2e-0000-7000-8000-000000000001
                content-type: application/json

                {"aps":{"alert":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."},"sound":"default",\#
                "category":"transactional"},"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "createdAt":"2026-01-01T00:00:00.000Z","data":{"orderId":"17","n":"1.5"}}
                """#)
    }

    @Test func aVisiblePushHasEverythingThatADeliveryMayHave() throws {
        var item = OutgoingDelivery.apnsOrder()
        (item.header.ordinal, item.header.attempt, item.badge) = (1, 3, 3)
        (item.content.groupKey, item.content.collapseKey) = ("orders", "order-17")
        item.header.expiresAt = APNsFixture.now.adding(.milliseconds(3_600_999))
        #expect(
            try request(item).text == #"""
                POST \#(Self.path)
                authorization: bearer TOKEN
                apns-topic: com.example.shop
                apns-push-type: alert
                apns-priority: 10
                apns-id: 019a3c2e-0000-7000-8000-000000010003
                apns-expiration: 1767229200
                apns-collapse-id: order-17
                content-type: application/json

                {"aps":{"alert":{"title":"Your order shipped","body":"It arrives \"tomorrow\"."},"sound":"default","badge":3,\#
                "thread-id":"orders","category":"transactional"},\#
                "id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
                "createdAt":"2026-01-01T00:00:00.000Z","data":{"orderId":"17","n":"1.5"}}
                """#)
    }

    @Test func aSilentPushShowsNothing() throws {
        #expect(
            try request(.apnsMetadata()).text == #"""
                POST \#(Self.path)
                authorization: bearer TOKEN
                apns-topic: com.example.shop
                apns-push-type: background
                apns-priority: 5
                apns-id: 019a3c2e-0000-7000-8000-000000000001
                content-type: application/json

                {"aps":{"content-available":1},"type":"metadata","file":{"fileId":"f-1","key":"k","size":12}}
                """#)
    }

    /// An image is shown if there is room for it, and never keeps the text from its reader.
    @Test func anImageGivesWayToTheText() throws {
        var item = OutgoingDelivery.apnsOrder()
        item.content.imageURL = "https://img.example/17.png"
        let small = try JSON.parse(request(item).body)
        #expect(small["imageURL"]?.stringValue == "https://img.example/17.png" && small["aps"]?["mutable-content"]?.intValue == 1)
        item.content.imageURL = "https://img.example/" + String(repeating: "i", count: 2_000)
        item.content.body = String(repeating: "b", count: 3_000)
        let large = try JSON.parse(request(item).body)
        #expect(large["imageURL"] == nil && large["aps"]?["mutable-content"] == nil)
        #expect(large["aps"]?["alert"]?["body"]?.stringValue == item.body)
    }

    @Test func titleOrBodyIsEnough() throws {
        var item = OutgoingDelivery.apnsOrder()
        item.content.title = nil
        #expect(try JSON.parse(request(item).body)["aps"]?["alert"]?.objectValue?.keys == ["body"])
        (item.content.title, item.content.body) = ("t", nil)
        #expect(try JSON.parse(request(item).body)["aps"]?["alert"]?.objectValue?.keys == ["title"])
    }

    @Test func theRequestKeepsItsTimeAndItsSecretsToItself() throws {
        let request = try request(.apnsOrder())
        #expect(request.totalTimeout == .seconds(7) && request.maximumResponseBytes == 64 << 10)
        #expect(request.unindexed == ["authorization", "apns-id", "apns-expiration", "apns-collapse-id"])
    }

    // MARK: Headers

    /// A negative time comes from a wrong clock. Zero tells APNs to try once.
    @Test(arguments: [(Int64(0), "0"), (-5, "0"), (1, "1"), (1_767_225_600, "1767225600")])
    func expirationIsInSeconds(_ seconds: Int64, _ expected: String) throws {
        var item = OutgoingDelivery.apnsOrder()
        item.header.expiresAt = Timestamp(seconds: seconds)
        #expect(try request(item).header("apns-expiration") == expected)
    }

    private static let longest = String(repeating: "k", count: 64)

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("order 17", "order 17"), (longest, longest),
            (longest + "k", "f39cdc2584758c99cf81c1f41d2572f54e17066afffc9d187aeafe5f7cbe2122"),
            ("ééé", "355b7226e20cb564774ef99442e77ac003100624b42b5a92944f0dad75b126b0"),
            (" order", "996956ab73392556d858d547f68300a01d75999b925b3b6e33f120cccb25c4fa"),
            ("order ", "3226f265cf9307654906cd591e7df5a6079f071f6715bf4cd77a6717311de7d3"),
            ("a\nb", "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78"),
        ] as [(String?, String?)])
    func aKeyThatIsNoCollapseIDBecomesItsDigest(_ key: String?, _ expected: String?) throws {
        var item = OutgoingDelivery.apnsOrder()
        item.content.collapseKey = key
        #expect(try request(item).header("apns-collapse-id") == expected)
    }

    @Test(arguments: [
        (0, 1, "000000000001"), (0, 2, "000000000000"), (0, 3, "000000000003"), (1, 1, "000000010001"), (65_535, 1, "0000ffff0001"),
        (-1, 0, "fffffffffffe"),
    ])
    func everyAttemptHasAnIDOfItsOwnThatTellsTheNotification(_ ordinal: Int, _ attempt: Int, _ tail: String) {
        var item = OutgoingDelivery.apnsOrder()
        (item.header.ordinal, item.header.attempt) = (ordinal, attempt)
        #expect(item.apnsID == "019a3c2e-0000-7000-8000-\(tail)")
        #expect(NotificationID(item.apnsID) != nil)
    }

    // MARK: Deliveries that are not sent

    @Test func nothingIsSentWithoutAnAddress() {
        #expect(refusal(.apnsOrder(token: nil))?.outcome == .rejected(.noAddress))
    }

    @Test(arguments: ["", "a", "abc", "xy", "0a 1b", "<0a1b>", "0x0a1b", String(repeating: "ab", count: 201)])
    func nothingIsSentToWhatIsNoToken(_ token: String) {
        let result = refusal(.apnsOrder(token: token))
        #expect(result?.outcome == .rejected(.tokenMalformed))
        #expect(result?.detail?.contains("\(token.utf8.count) characters") == true && result?.detail?.contains("200 bytes") == true)
    }

    @Test(arguments: ["0A", String(repeating: "aB", count: 200)])
    func tokensOfAnyLengthAreSentToInLowerCase(_ token: String) throws {
        #expect(try request(.apnsOrder(token: token)).path == "/3/device/\(token.lowercased())")
    }

    // MARK: The form that is stored

    @Test(arguments: ["0A1b2C", "0a1b2c", "0A1B2C", " 0a1b2c\n"])
    func oneTokenHasOneForm(_ written: String) throws {
        let token = try APNsProviderFactory.deviceToken(written)
        #expect(token.text == "0a1b2c" && token.identity == "0a1b2c")
        #expect(try request(.apnsOrder(token: token.text)).path == "/3/device/0a1b2c")
    }

    /// Texts that apps have sent as tokens: the description of `NSData`, the bytes in Base64, and the token of another service.
    @Test(arguments: [
        "{length=32,bytes=0x740f4707bebcf74f9b7c25d48e335894}", "{length = 32, bytes = 0x740f4707 bebcf74f ... 8e335894 }",
        "<740f4707 bebcf74f 9b7c25d4 8e335894>", "dA9HB7689098JdSOM1iUdA9HB7689098JdSOM1iU9aY=", "cXyZ0123:APA91bH-registration_token",
        "(null)", "undefined", "", String(repeating: "0", count: 402), #"{"endpoint":"https://push.test/1"}"#,
    ])
    func aTextThatIsNoTokenIsRefusedAtRegistration(_ written: String) {
        let fault = #expect(throws: DeviceToken.Fault.self) { try APNsProviderFactory.deviceToken(written) }
        #expect(fault?.description == refusal(.apnsOrder(token: written))?.detail, "the send says the same")
        if written.utf8.count > 8 { #expect(fault?.description.contains(written.prefix(8)) == false) }
    }

    @Test(arguments: [(nil, nil), ("", ""), (nil, "")] as [(String?, String?)])
    func nothingIsSentThatShowsNothing(_ title: String?, _ body: String?) {
        var item = OutgoingDelivery.apnsOrder()
        (item.content.title, item.content.body) = (title, body)
        #expect(refusal(item)?.outcome == .rejected(.contentMissing))
    }

    @Test func thePayloadIsLimited() throws {
        var item = OutgoingDelivery.apnsOrder()
        item.content.body = "b"
        let rest = 4_097 - (try request(item).body.count)
        item.content.body = String(repeating: "b", count: rest)
        #expect(try request(item).body.count == 4_096)
        item.content.body = String(repeating: "b", count: rest + 1)
        let push = try APNsPush(of: item, topic: APNsFixture.topic)
        #expect(push.body.count == 4_096)
        #expect(push.note == "APNs takes 4096 bytes for the payload: the body was shortened from \(rest + 1) to \(rest) bytes")
        let alert = try JSON.parse(push.body)["aps"]?["alert"]
        #expect(alert?["body"]?.stringValue == String(repeating: "b", count: rest - 3) + "…")
        #expect(alert?["title"]?.stringValue == item.title)
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_096))\"}"
        let result = refusal(item)
        #expect(result?.outcome == .rejected(.payloadTooLarge))
        #expect(result?.detail?.hasSuffix(" bytes; APNs takes 4096") == true)
    }
}
