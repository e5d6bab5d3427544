import Testing
import TidingsCore
import TidingsEncodings
import TidingsProvider

@testable import ProviderWebPush

/// The headers that a push service gets with the message.
struct WebPushHeadersTests {
    private func headers(_ item: OutgoingDelivery, _ settings: [String: String] = [:]) throws -> [String] {
        webPushHeaders(
            of: item, configuration: try WebPushFixture.configuration(settings), authorization: "vapid t=a, k=b", now: WebPushFixture.now
        ).map { "\($0): \($1)" }
    }

    @Test func aVisibleDeliveryHasItsHeaders() throws {
        #expect(
            try headers(.webOrder()) == [
                "ttl: 2419200", "content-encoding: aes128gcm", "content-type: application/octet-stream", "urgency: normal",
                "authorization: vapid t=a, k=b",
            ])
    }

    @Test func theHeadersHaveEverythingThatADeliveryMayHave() throws {
        var item = OutgoingDelivery.webOrder()
        (item.content.collapseKey, item.header.expiresAt) = ("order-17", WebPushFixture.now.adding(.milliseconds(3_600_999)))
        #expect(
            try headers(item, ["urgency": "high"]) == [
                "ttl: 3600", "content-encoding: aes128gcm", "content-type: application/octet-stream", "urgency: high", "topic: order-17",
                "authorization: vapid t=a, k=b",
            ])
    }

    @Test func aSilentDeliveryIsNotUrgent() throws {
        #expect(try headers(.webMetadata(), ["urgency": "high"]).contains("urgency: low"))
    }

    @Test(
        arguments: [
            (nil, "60", "ttl: 60"), (nil, "0", "ttl: 0"), (30, "60", "ttl: 30"), (90, "60", "ttl: 60"), (0, "60", "ttl: 0"),
            (-5, "60", "ttl: 0"),
            (99_999_999, "2419200", "ttl: 2419200"),
        ] as [(Int64?, String, String)])
    func theDeliverysEndShortensTheTTL(_ secondsLeft: Int64?, _ setting: String, _ header: String) throws {
        var item = OutgoingDelivery.webOrder()
        item.header.expiresAt = secondsLeft.map { WebPushFixture.now.adding(.seconds($0)) }
        #expect(try headers(item, ["ttlSeconds": setting]).first == header)
    }

    private func topic(for key: String) throws -> String? {
        var item = OutgoingDelivery.webOrder()
        item.content.collapseKey = key
        return try headers(item).first { $0.hasPrefix("topic: ") }.map { String($0.dropFirst(7)) }
    }

    @Test(arguments: ["ab", "abc", "order-17", "A_b-97", String(repeating: "x", count: 32)])
    func aKeyThatIsATopicIsTheTopic(_ key: String) throws {
        #expect(try topic(for: key) == key)
    }

    /// The expected topic comes from `printf 'order 17' | openssl dgst -sha256 -binary | basenc --base64url | head -c 32`.
    /// Apple's service refuses the topics `a`, `order` and `order-178`: Base64 has no such length.
    @Test(arguments: [
        "a", "order", "order-178", "order 17", "order.17", "order/17", "bestellung-ü", String(repeating: "x", count: 29),
        String(repeating: "x", count: 33), "a\nb",
    ])
    func everyOtherKeyBecomesOne(_ key: String) throws {
        let topic = try #require(try topic(for: key))
        #expect(topic.utf8.count == 32 && Base64URL.decode(topic)?.count == 24)
        #expect(try topic != self.topic(for: key + "."))
        #expect(key != "order 17" || topic == "C8ySDjk4wbhuNIP8mIjG1tEwYV-nVExr")
    }

    @Test func anEmptyKeyIsNoTopic() throws {
        #expect(try topic(for: "") == nil)
    }
}
