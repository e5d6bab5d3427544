import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A push is sent by the providers of the person's market. The configuration alone decides this.
@Suite struct PushTests {
    @Test func everyMarketIsServedByItsOwnProviders() async throws {
        try await withPushMarkets { pipeline, markets in
            let system = pipeline.system
            #expect(try await system.tidings("recipient", "set", "carol", "--market", "ca").exitCode == 0)
            #expect(try await system.tidings("recipient", "set", "maria", "--market", "mx").exitCode == 0)
            try await pipeline.register("maria", "token-of-maria")

            for person in ["uma", "carol", "maria"] { await pipeline.publish(event(id: "to-\(person)", to: person)) }

            #expect(
                try await pipeline.byProvider(of: "to-uma") == ["braze sent accepted", "dmp sent accepted", "inbox delivered delivered"])
            #expect(try await pipeline.byProvider(of: "to-carol") == ["airship sent accepted", "inbox delivered delivered"])
            #expect(
                try await pipeline.byProvider(of: "to-maria") == ["dmp sent accepted", "fcm sent accepted", "inbox delivered delivered"])
            let messages = try markets.accepted(below: "/fcm/v1/")
            #expect(messages.count == 1 && messages[0].contains("token-of-maria") && messages[0].contains("A title"))
            let counts = try ["/braze/", "/airship/", "/ok/dmp"].map { try markets.accepted(below: $0).count }
            #expect(counts == [1, 1, 2])
            try await pipeline.expectSound()
        }
    }

    /// A phone whose app writes its token in capitals and then in small letters is one device. Its next person takes it over in any
    /// spelling.
    @Test func aTokenInAnyCaseGetsOnePush() async throws {
        try await withPushMarkets { pipeline, markets in
            for person in ["ann", "bob"] {
                #expect(try await pipeline.system.tidings("recipient", "set", person, "--market", "eu").exitCode == 0)
            }
            for token in ["C0FFEE01", "c0ffee01"] { try await pipeline.register("ann", token, platform: "ios") }
            await pipeline.publish(event(id: "first", to: "ann"))
            #expect(try await pipeline.outcome(of: "first").filter { $0 == Ended("push", "sent", "accepted") }.count == 1)
            #expect(try markets.requests(below: "/3/device/").map(\.path) == ["/3/device/c0ffee01"])

            try await pipeline.register("bob", "C0FFEE01", platform: "ios")
            await pipeline.publish(event(id: "late", to: "ann"))
            #expect(try await pipeline.outcome(of: "late").contains(Ended("push", "suppressed", "noDevice")))
            #expect(try markets.requests(below: "/3/device/").count == 1)
            try await pipeline.expectSound()
        }
    }

    /// A device in another market than its owner's is served by that market's providers.
    @Test func aDeviceMayBeInAMarketOfItsOwn() async throws {
        try await withPushMarkets { pipeline, _ in
            try await pipeline.register("traveller", "a-token", "--market", "mx")
            await pipeline.publish(event(id: "abroad", to: "traveller"))
            let abroad = try await pipeline.byProvider(of: "abroad")
            #expect(abroad.contains("fcm sent accepted"))
        }
    }

    /// A push held for quiet hours goes to the devices that exist when the quiet hours end. The new phone gets it. The replaced phone does
    /// not.
    @Test func aReplacedPhoneGetsWhatQuietHoursHeld() async throws {
        try await withPushMarkets { pipeline, markets in
            let system = pipeline.system
            #expect(try await system.tidings("recipient", "set", "sleeper", "--market", "mx").exitCode == 0)
            try await pipeline.register("sleeper", "evening-token")
            try await pipeline.setQuietHours(of: "sleeper")
            await pipeline.publish(
                event(id: "held", type: "social", to: "sleeper", data: #""channels":["push","inApp"]"#), key: "social.social")
            #expect(try await pipeline.held("held") == [Ended("inApp", "held", "quietHours"), Ended("push", "held", "quietHours")])

            let old = try await system.query("select device_id from tidings_ops.devices").rows[0].decode(String.self)
            #expect(try await system.tidings("device", "remove", old).exitCode == 0)
            for token in ["morning-token", "tablet-token"] { try await pipeline.register("sleeper", token) }
            try await pipeline.shiftClock(by: "1 hour")
            #expect(
                try await pipeline.byProvider(of: "held") == [
                    "dmp sent accepted", "fcm sent accepted", "fcm sent accepted", "inbox delivered delivered",
                ])
            let sent = try markets.accepted(below: "/fcm/v1/")
            #expect(sent.count == 2)
            for token in ["morning-token", "tablet-token"] { #expect(sent.contains { $0.contains(token) }, "\(sent)") }
            try await pipeline.expectSound()
        }
    }

    /// The image of an intent waits with it in the database and reaches both platforms. Intake refuses a URL that is not `https`.
    @Test func anImageReachesBothPlatforms() async throws {
        let image = "https://img.example/17.png"
        try await withPushMarkets { pipeline, markets in
            try await pipeline.register("sleeper", "a-token", "--market", "mx")
            try await pipeline.register("sleeper", "746573742d31", "--platform", "ios", "--market", "eu")
            try await pipeline.setQuietHours(of: "sleeper")
            for (id, url) in [("held", image), ("refused", "http://img.example/17.png")] {
                await pipeline.publish(
                    event(id: id, type: "social", to: "sleeper", data: #""channels":["push"],"imageURL":"\#(url)""#), key: "social.social")
            }
            _ = try await pipeline.held("held")
            try await pipeline.shiftClock(by: "1 hour")
            _ = try await pipeline.outcome(of: "held")
            let android = try JSON.parse(try #require(markets.accepted(below: "/fcm/v1/").first))
            #expect(android["message"]?["android"]?["notification"]?["image"]?.stringValue == image)
            let ios = try JSON.parse(try #require(markets.accepted(below: "/3/device/").first))
            #expect(ios["imageURL"]?.stringValue == image && ios["aps"]?["mutable-content"]?.intValue == 1)
            let refused = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where pointer = '/data/imageURL'"
            ) { $0 == 1 }
            #expect(refused)
            try await pipeline.expectSound()
        }
    }

    /// Apple takes 4,096 bytes, also over Firebase. The phone shows the start of a long body, and the inbox has the whole body.
    @Test func aLongBodyIsShortenedForThePhoneAlone() async throws {
        try await withPushMarkets { pipeline, markets in
            try await pipeline.register("reader", "a-token", platform: "ios", "--provider", "fcm", "--market", "mx")
            let body = String(repeating: "Ä", count: 4_000)
            await pipeline.publish(event(id: "long", to: "reader", data: #""body":"\#(body)""#))
            let ends = try await pipeline.byProvider(of: "long")
            #expect(ends.contains("fcm sent accepted") && ends.contains("inbox delivered delivered"), "\(ends)")
            let message = try JSON.parse(try #require(markets.accepted(below: "/fcm/v1/").first))["message"]
            let payload = try #require(message?["apns"]?["payload"])
            let shown = try #require(payload["aps"]?["alert"]?["body"]?.stringValue)
            #expect(shown.hasSuffix("Ä…") && (4_090...4_096).contains(payload.serializedBytes.count))
            let whole = try await pipeline.system.count("select count(*) from tidings.inbox where body = \(body)")
            #expect(whole == 1)
            let why = try await pipeline.system.tidings("why", "long").output
            #expect(why.contains("Apple takes 4096 bytes for the payload for iOS: the body was shortened from 8000 to "), "\(why)")
            try await pipeline.expectSound()
        }
    }

    /// A push that may not be shown is not sent, and the inbox still gets the notification. A silent push needs no permission.
    @Test func permissionCountsForWhatShows() async throws {
        try await withPushMarkets { pipeline, markets in
            try await pipeline.register("quiet", "a-token", "--market", "mx", "--permission", "denied")
            await pipeline.publish(event(id: "shows", to: "quiet"))
            await pipeline.publish(
                event(id: "silent", type: "metadata", to: "quiet", data: #""data":{"file":{"fileId":"7","key":"k"}}"#),
                key: "system.metadata")
            let visible = try await pipeline.outcome(of: "shows")
            #expect(visible.contains(Ended("push", "suppressed", "permissionDenied")))
            #expect(visible.contains(Ended("inApp", "delivered", "delivered")))
            let silent = try await pipeline.byProvider(of: "silent")
            #expect(silent.contains("fcm sent accepted"))
            let sent = try markets.accepted(below: "/fcm/v1/")
            #expect(sent.count == 1 && !sent[0].contains("A title"), "\(sent)")
        }
    }

    /// An unregistered token retires its own device only. The reason of the next delivery says why it was not sent.
    @Test(arguments: [
        ("fcm", "android", "mx", gone: "test:gone-1", good: "good-1"),
        // "test+gone" and "good token", in hexadecimal.
        ("apns", "ios", "eu", gone: "746573742b676f6e65", good: "676f6f6420746f6b656e"),
    ])
    func aGoneTokenRetiresItsDeviceAlone(
        _ provider: String, _ platform: String, _ market: String, _ gone: String, _ good: String
    ) async throws {
        try await withPushMarkets { pipeline, _ in
            #expect(try await pipeline.system.tidings("recipient", "set", "owner", "--market", market).exitCode == 0)
            for token in [gone, good] { try await pipeline.register("owner", token, platform: platform) }
            await pipeline.publish(event(id: "first", to: "owner"))
            let first = try await pipeline.byProvider(of: "first")
            #expect(first.contains("\(provider) failed endpointGone") && first.contains("\(provider) sent accepted"), "\(first)")
            await pipeline.publish(event(id: "second", to: "owner"))
            let second = try await pipeline.byProvider(of: "second")
            #expect(second.contains("\(provider) sent accepted") && !second.contains { $0.contains("endpointGone") }, "\(second)")
            #expect(try await pipeline.devices(of: "owner") == ["\(gone.suffix(8)) gone", "\(good.suffix(8)) active"].sorted())
        }
    }

    /// APNs reports when it found a token to be invalid. A registration after that time is newer and counts.
    @Test func aTokenRegisteredSinceItWasGoneStays() async throws {
        try await withPushMarkets { pipeline, markets in
            #expect(try await pipeline.system.tidings("recipient", "set", "owner", "--market", "eu").exitCode == 0)
            try await pipeline.register("owner", "aabbccdd", platform: "ios")
            func refuse(since: Date) async throws {
                let milliseconds = Int(since.timeIntervalSince1970 * 1_000)
                try await markets.behave(
                    #"{"path":"/3/device/aabbccdd","then":410,"body":"{\"reason\":\"Unregistered\",\"timestamp\":\#(milliseconds)}"}"#)
            }
            try await refuse(since: Date(timeIntervalSinceNow: -3_600))
            await pipeline.publish(event(id: "early", to: "owner"))
            #expect(try await pipeline.byProvider(of: "early").contains("apns failed endpointGone"))
            #expect(try await pipeline.devices(of: "owner") == ["aabbccdd active"])

            try await refuse(since: Date(timeIntervalSinceNow: 3_600))
            await pipeline.publish(event(id: "late", to: "owner"))
            #expect(try await pipeline.byProvider(of: "late").contains("apns failed endpointGone"))
            #expect(try await pipeline.devices(of: "owner") == ["aabbccdd gone"])
        }
    }

    /// A provider with missing credentials fails its own deliveries, with the reason. The other providers work. Once the credentials exist,
    /// the provider uses them.
    @Test func aProviderWithoutCredentialsHoldsUpNobody() async throws {
        try await withPushMarkets(lackingSecretOf: "braze") { pipeline, markets in
            await pipeline.publish(event(id: "early", to: "uma"))
            #expect(
                try await pipeline.byProvider(of: "early") == [
                    "braze failed misconfigured", "dmp sent accepted", "inbox delivered delivered",
                ])
            let why = try await pipeline.system.tidings("why", try await pipeline.notificationID(of: "early"))
            #expect(why.output.contains("apiKey") && why.output.contains("is missing"), "\(why.output)")
            let doctor = try await pipeline.system.tidings("doctor")
            #expect(doctor.output.contains("· secrets: provider braze, setting apiKey"), "a note: the roles may have it. \(doctor.output)")

            try markets.write("a-key", asSecretOf: "braze")
            var tries = 0
            let works = try await eventually {
                tries += 1
                await pipeline.publish(event(id: "later-\(tries)", to: "uma"))
                return try await pipeline.byProvider(of: "later-\(tries)").contains("braze sent accepted")
            }
            #expect(works, "\(pipeline.roles.errorsSoFar)")
        }
    }
}

extension Pipeline {
    /// The end of each token with the device's state, sorted.
    fileprivate func devices(of person: String) async throws -> [String] {
        try #require(try await json("device", "list", person).arrayValue)
            .map { "\($0["token_end"]?.stringValue ?? "") \($0["state"]?.stringValue ?? "")" }.sorted()
    }
}
