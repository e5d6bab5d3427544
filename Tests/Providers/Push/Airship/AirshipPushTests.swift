import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

@testable import ProviderAirship

/// The requests that the provider sends to Airship.
struct AirshipPushTests {
    /// The time at which the push objects are written: a minute after the notifications were accepted.
    private static let now = Timestamp(seconds: 1_767_225_660)
    private static let extra = #"""
        {"id":"019a3c2e-0000-7000-8000-000000000001","type":"orderUpdate","category":"transactional",\#
        "createdAt":"2026-01-01T00:00:00.000Z","data":"{\"orderId\":\"17\"}"}
        """#

    private func push(
        of item: OutgoingDelivery, _ platforms: [AirshipConfiguration.Platform] = [.ios, .android]
    ) throws -> [UInt8] {
        try airshipPush(of: item, platforms: platforms, now: Self.now).message
    }

    private func text(of item: OutgoingDelivery, _ platforms: [AirshipConfiguration.Platform] = [.ios, .android]) throws -> String {
        String(decoding: try push(of: item, platforms), as: UTF8.self)
    }

    private func notification(
        of item: OutgoingDelivery, _ platforms: [AirshipConfiguration.Platform] = [.ios, .android]
    ) throws -> JSON {
        try #require(try JSON.parse(push(of: item, platforms))["notification"])
    }

    @Test func aVisibleOneForEveryPlatform() throws {
        var item = OutgoingDelivery.orderUpdate()
        (item.badge, item.content.groupKey, item.content.collapseKey) = (3, "orders", "order-17")
        item.header.expiresAt = Timestamp(seconds: 1_767_229_200)
        #expect(
            try text(of: item, [.ios, .android, .web]) == #"""
                {"audience":{"named_user":"user-42"},"device_types":["ios","android","web"],\#
                "notification":{"alert":"It arrives \"tomorrow\".",\#
                "ios":{"title":"Your order shipped","badge":3,"sound":"default","category":"transactional","thread_id":"orders",\#
                "collapse_id":"order-17","expiry":"2026-01-01T01:00:00","extra":\#(Self.extra)},\#
                "android":{"title":"Your order shipped","collapse_key":"order-17","notification_tag":"order-17","time_to_live":3540,\#
                "delivery_priority":"high","extra":\#(Self.extra)},\#
                "web":{"title":"Your order shipped","time_to_live":3540,"extra":\#(Self.extra)}}}
                """#)
    }

    @Test func aSilentOneWakesTheAppAndGoesToNoBrowser() throws {
        #expect(
            try text(of: .metadata(), [.ios, .android, .web]) == #"""
                {"audience":{"named_user":"user-42"},"device_types":["ios","android"],"notification":{\#
                "ios":{"content-available":1,"priority":5,"extra":{"type":"metadata","file":"{\"size\":12,\"name\":\"a\"}"}},\#
                "android":{"delivery_priority":"normal","extra":{"type":"metadata","file":"{\"size\":12,\"name\":\"a\"}"}}}}
                """#)
        let refusal = #expect(throws: Refusal.self) { try push(of: .metadata(), [.web]) }
        #expect(refusal?.result.outcome == .rejected(.providerRejected))
        #expect(refusal?.result.detail == "it is silent, and no platform but web is set")
    }

    @Test func aBatchIsAnArrayOfObjects() throws {
        let pushes = try ["a", "b", "c"].enumerated().map {
            try push(of: .orderUpdate(for: $1, number: UInt64($0 + 1)), [.android])
        }
        let texts = pushes.map { String(decoding: $0, as: UTF8.self) }
        #expect(String(decoding: airshipBody(of: pushes), as: UTF8.self) == "[\(texts.joined(separator: ","))]")
        #expect(airshipBody(of: [pushes[0]]) == pushes[0])
        #expect(
            try pushes.map { try JSON.parse($0)["notification"]?["android"]?["extra"]?["id"]?.stringValue }
                == (1...3).map { "019a3c2e-0000-7000-8000-00000000000\($0)" })
    }

    @Test func aTitleAloneIsTheAlert() throws {
        var item = OutgoingDelivery.orderUpdate()
        for body in [nil, ""] as [String?] {
            item.content.body = body
            let notification = try notification(of: item)
            #expect(notification["alert"]?.stringValue == "Your order shipped")
            #expect(notification["ios"]?["title"] == nil && notification["android"]?["title"] == nil)
        }
        (item.content.title, item.content.body) = ("", "Only a body")
        #expect(try notification(of: item)["alert"]?.stringValue == "Only a body")
        #expect(try notification(of: item)["ios"]?["title"] == nil)
    }

    @Test func marketingIsNotUrgent() throws {
        var item = OutgoingDelivery.orderUpdate()
        item.header.category = .marketing
        #expect(try notification(of: item)["android"]?["delivery_priority"]?.stringValue == "normal")
    }

    static let lifetimes: [(Int, Int)] = [(-5, 0), (7, 7), (28 * 86_400 + 1, 28 * 86_400)]

    @Test(arguments: lifetimes)
    func timeToLiveHasBounds(_ seconds: Int, _ expected: Int) throws {
        var item = OutgoingDelivery.orderUpdate()
        item.header.expiresAt = Self.now.adding(.seconds(seconds))
        #expect(try notification(of: item)["android"]?["time_to_live"]?.intValue == expected)
    }

    @Test func aCollapseKeyThatIsNoHeaderBecomesItsDigest() throws {
        var item = OutgoingDelivery.orderUpdate()
        for (key, expected) in [
            (String(repeating: "k", count: 64), String(repeating: "k", count: 64)),
            (String(repeating: "k", count: 65), "f39cdc2584758c99cf81c1f41d2572f54e17066afffc9d187aeafe5f7cbe2122"),
            ("ééé", "355b7226e20cb564774ef99442e77ac003100624b42b5a92944f0dad75b126b0"),
        ] {
            item.content.collapseKey = key
            #expect(try notification(of: item)["ios"]?["collapse_id"]?.stringValue == expected)
            #expect(try notification(of: item)["android"]?["collapse_key"]?.stringValue == expected)
            #expect(try notification(of: item)["android"]?["notification_tag"]?.stringValue == expected)
        }
    }

    @Test func aPushWithoutTextsIsRefused() {
        var item = OutgoingDelivery.orderUpdate()
        for (title, body) in [(nil, nil), ("", nil), (nil, ""), ("", "")] as [(String?, String?)] {
            (item.content.title, item.content.body) = (title, body)
            let refusal = #expect(throws: Refusal.self) { try push(of: item) }
            #expect(refusal?.result.outcome == .rejected(.contentMissing))
        }
    }

    /// The object for Android is larger than that for iOS if there is a collapse key, and smaller otherwise. No limit of the web is known.
    @Test func aPlatformThatCannotTakeTheDataIsLeftOut() throws {
        let platforms: [AirshipConfiguration.Platform] = [.ios, .android, .web]
        for (key, leftOut) in [(String(repeating: "k", count: 64), "android"), (nil, "ios")] as [(String?, String)] {
            var item = OutgoingDelivery.orderUpdate()
            item.content.collapseKey = key
            item.badge = 3
            /// The size of an object with the shortest texts: title and alert are "Y…", in quotes.
            func size(_ platform: AirshipConfiguration.Platform) throws -> Int {
                var shortest = item
                (shortest.content.title, shortest.content.body) = ("Y", nil)
                return try #require(try notification(of: shortest, [platform])[platform.rawValue]).serializedBytes.count + 6
            }
            let (ios, android) = (try size(.ios), try size(.android))
            // One platform takes the shortest texts exactly, the other is over its limit.
            let spare = 4_096 - min(ios, android)
            item.content.data = "{\"orderId\":\"17\(String(repeating: "y", count: spare))\"}"
            let fitted = try airshipPush(of: item, platforms: platforms, now: Self.now)
            let json = try JSON.parse(fitted.message)
            let kept = platforms.map(\.rawValue).filter { $0 != leftOut }
            #expect(json["device_types"]?.arrayValue?.map(\.stringValue) == kept)
            #expect(Set(json["notification"]?.objectValue?.keys ?? []) == Set(kept + ["alert"]))
            #expect(fitted.note?.hasPrefix("the platform \(leftOut) was left out: the notification for ") == true)
            #expect(throws: Refusal.self) { try push(of: item, platforms.filter { $0.rawValue == leftOut }) }
        }
        var item = OutgoingDelivery.orderUpdate()
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_096))\"}"
        let refusal = #expect(throws: Refusal.self) { try push(of: item, [.ios, .android]) }
        #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
        #expect(try JSON.parse(push(of: item, platforms))["device_types"]?.arrayValue?.map(\.stringValue) == ["web"])
    }

    /// The alert counts as it is sent, in JSON.
    @Test(arguments: [(AirshipConfiguration.Platform.ios, "Apple"), (.android, "Google")])
    func alertAndObjectOfAPlatformHaveAtMost4096Bytes(_ platform: AirshipConfiguration.Platform, _ service: String) throws {
        var item = OutgoingDelivery.orderUpdate()
        item.content.body = "y"
        let rest = 4_096 - 2 - (try #require(try notification(of: item, [platform])[platform.rawValue]?.serializedBytes.count))
        for (text, bytes) in [("y", 1), ("\"", 2)] {
            item.content.body = String(repeating: text, count: rest / bytes)
            #expect(try notification(of: item, [platform])["alert"]?.stringValue == item.body)
            item.content.body = String(repeating: text, count: rest / bytes + 1)
            let fitted = try airshipPush(of: item, platforms: [platform], now: Self.now)
            let alert = try JSON.parse(fitted.message)["notification"]?["alert"]
            #expect(alert?.stringValue?.hasSuffix("\(text)…") == true && (alert?.serializedBytes.count ?? 0) - 2 <= rest)
            #expect(fitted.note?.hasPrefix("\(service) takes 4096 bytes for the notification for ") == true)
        }
        item.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_096))\"}"
        let refusal = #expect(throws: Refusal.self) { try push(of: item, [platform]) }
        #expect(refusal?.result.outcome == .rejected(.payloadTooLarge))
        #expect(refusal?.result.detail?.hasSuffix(" bytes; \(service) takes 4096") == true)
        #expect(throws: Never.self) { try push(of: item, [.web]) }
    }
}

extension AirshipConfiguration {
    /// A configuration with an app key and a master secret, unless the settings say otherwise.
    static func test(_ settings: [String: String] = [:]) throws(ProviderConfigurationError) -> AirshipConfiguration {
        let complete = ["appKey": "env:KEY", "masterSecret": "env:SECRET"].merging(settings) { _, given in given }
        return try AirshipConfiguration(
            ProviderSettings(
                peopleBinding(kind: "airship", complete), declared: AirshipProviderFactory.settings, environment: peopleEnvironment))
    }
}
