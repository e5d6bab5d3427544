import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The identity of a token, and not its text, says which row is meant.
@Suite struct DeviceIdentityTests {
    private static func token(_ keys: String) throws -> DeviceToken {
        try DeviceToken("https://push.test/1+\(keys)", identity: "https://push.test/1")
    }

    /// The form in which Web Push stores the subscription of a browser.
    private static let subscription = #"{"endpoint":"https://push.test/1","keys":{"p256dh":"first","auth":"second"}}"#

    @Test func newKeysUpdateTheRowOfTheirEndpoint() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.register(Self.token("first"), of: "ada")
            let second = try await scene.register(Self.token("second"), of: "ada")
            #expect(second.deviceID == first.deviceID && second.movedFrom == nil)
            let moved = try await scene.register(Self.token("third"), of: "bob")
            #expect(moved.deviceID == first.deviceID && moved.movedFrom == "ada")
            #expect(try await scene.rows() == ["bob https://push.test/1+third https://push.test/1"])
        }
    }

    /// A token whose identity is its text, such as one of FCM, is another device in another case.
    @Test func aTokenWithoutAnIdentityOfItsOwnIsItsText() async throws {
        try await StoreScene.with { scene in
            let small = try await scene.register(try DeviceToken("fcm:abc"), of: "ada")
            #expect(try await scene.register(try DeviceToken("fcm:ABC"), of: "ada").deviceID != small.deviceID)
            #expect(try await scene.register(try DeviceToken("fcm:abc"), of: "ada").deviceID == small.deviceID)
            #expect(try await scene.rows() == ["ada fcm:ABC -", "ada fcm:abc -"])
        }
    }

    /// The token moves to the changed device, and the device that had the identity is deleted.
    @Test func aChangedTokenTakesItsIdentityAlong() async throws {
        try await StoreScene.with { scene in
            let old = try await scene.register(try DeviceToken("phone"), of: "ada").deviceID
            _ = try await scene.register(Self.token("first"), of: "bob")
            let isFound = try await scene.store.recipients.change(
                device: old, tenant: "default", token: Self.token("second"), DeviceSettings())
            #expect(isFound)
            #expect(try await scene.rows() == ["ada https://push.test/1+second https://push.test/1"])
            // Without a token the identity stays, and with another token it goes.
            #expect(
                try await scene.store.recipients.change(device: old, tenant: "default", token: nil, DeviceSettings(permission: .denied)))
            #expect(try await scene.register(Self.token("third"), of: "ada").deviceID == old)
            #expect(try await scene.store.recipients.change(device: old, tenant: "default", token: DeviceToken("phone"), DeviceSettings()))
            #expect(try await scene.rows() == ["ada phone -"])
            let stranger = try await scene.store.recipients.change(
                device: old, tenant: "default", owner: "bob", token: Self.token("first"), DeviceSettings())
            #expect(!stranger)
        }
    }

    @Test func theIssuerOfAKnownTokenIsFound() async throws {
        try await StoreScene.with { scene in
            let web = DeviceSettings(platform: .web)
            let device = try await scene.store.recipients.register(token: Self.token("first"), of: "ada", tenant: "default", web).deviceID
            #expect(try await scene.store.recipients.issuer(ofTokens: ["x", "https://push.test/1"], tenant: "default") == "webpush")
            #expect(try await scene.store.recipients.issuer(ofTokens: ["https://push.test/1"], tenant: "other") == nil)
            #expect(try await scene.store.recipients.issuer(ofTokens: ["x"], tenant: "default") == nil)
            #expect(try await scene.store.recipients.issuer(ofTokens: [], tenant: "default") == nil)
            let stored = try await scene.store.recipients.token(of: device, tenant: "default", owner: "ada")
            #expect(stored?.issuer == "webpush" && stored?.text == "https://push.test/1+first")
            #expect(try await scene.store.recipients.token(of: device, tenant: "default", owner: "bob") == nil)
        }
    }

    /// If the app names another platform, or none, the browser would get a plan that it never shows.
    @Test func theTokenOfABrowserMakesADeviceOfTheWeb() async throws {
        try await StoreScene.with { scene in
            let subscription = try DeviceToken("https://push.test/1+first", identity: "https://push.test/1", platform: .web)
            let named = DeviceSettings(platform: .ios, provider: "webpush")
            _ = try await scene.store.recipients.register(token: subscription, of: "ada", tenant: "default", named)
            #expect(try await scene.platforms(of: "ada") == [.web])
            let phone = try await scene.register(DeviceToken("phone"), of: "bob").deviceID
            #expect(try await scene.platforms(of: "bob") == [.ios])
            let unnamed = DeviceSettings(provider: "webpush")
            #expect(try await scene.store.recipients.change(device: phone, tenant: "default", token: subscription, unnamed))
            #expect(try await scene.platforms(of: "bob") == [.web])
            #expect(try await scene.platforms(of: "ada") == [])
        }
    }

    /// Earlier versions stored a browser without a platform of its own as `ios`. It would get a plan that it never shows.
    @Test func aBrowserThatIsStoredAsAPhoneIsReadAsABrowser() async throws {
        try await StoreScene.with { scene in
            for (id, channel, address) in [
                ("browser", "push", Self.subscription), ("phone", "push", #"{"token":"phone"}"#), ("mail", "email", Self.subscription),
            ] { try await scene.insert(id, channel: channel, address: address, platform: "ios") }
            let facts = try await scene.facts(of: "ada")
            let platforms = Dictionary(uniqueKeysWithValues: facts.endpoints.map { ($0.id, $0.platform) })
            #expect(platforms == ["browser": .web, "phone": .ios, "mail": .ios])
            #expect(facts.endpoints.filter { $0.serves(.local) }.map(\.id) == ["phone"])
        }
    }

    /// The app of a browser may name any platform. The token of the browser knows better.
    @Test func aBrowserThatKeepsItsTokenKeepsItsPlatform() async throws {
        try await StoreScene.with { scene in
            let subscription = try DeviceToken(Self.subscription, identity: "https://push.test/1", platform: .web)
            let browser = try await scene.register(subscription, of: "ada").deviceID
            try await scene.change(browser, to: nil, DeviceSettings(platform: .ios))
            #expect(try await scene.stored(of: "ada") == ["web"])
            _ = try await scene.system.query("update tidings.endpoints set platform = 'ios'")
            try await scene.change(browser, to: nil, DeviceSettings(permission: .denied))
            #expect(try await scene.stored(of: "ada") == ["web"])
            let phone = try await scene.register(DeviceToken("phone"), of: "bob").deviceID
            try await scene.change(phone, to: nil, DeviceSettings(platform: .android))
            #expect(try await scene.stored(of: "bob") == ["android"])
        }
    }

    /// A device that gets a token of another kind has the platform of a new device with that token.
    @Test func aBrowserThatGetsTheTokenOfAPhoneIsAPhone() async throws {
        try await StoreScene.with { scene in
            let subscription = try DeviceToken(Self.subscription, identity: "https://push.test/1", platform: .web)
            let device = try await scene.register(subscription, of: "ada").deviceID
            _ = try await scene.register(DeviceToken("new"), of: "bob")
            let new = try await scene.stored(of: "bob")
            try await scene.change(device, to: DeviceToken("phone"), DeviceSettings())
            #expect(try await scene.stored(of: "ada") == new)
            try await scene.change(device, to: subscription, DeviceSettings(platform: .ios))
            #expect(try await scene.stored(of: "ada") == ["web"])
            try await scene.change(device, to: DeviceToken("phone"), DeviceSettings(platform: .android))
            #expect(try await scene.stored(of: "ada") == ["android"])
            // A phone that gets another token keeps its platform.
            try await scene.change(device, to: DeviceToken("another"), DeviceSettings())
            #expect(try await scene.stored(of: "ada") == ["android"])
        }
    }

    /// A provider that gets no platform writes the parts of all platforms.
    @Test func aWakeKeepsAPlatformThatThisVersionDoesNotKnow() async throws {
        try await StoreScene.with { scene in
            for (id, address, platform) in [("browser", Self.subscription, "ios"), ("watch", "watch", "watch"), ("phone", "phone", "ios")] {
                try await scene.insert(id, channel: "push", address: address, platform: platform)
                _ = try await scene.system.query(
                    "insert into tidings.local_wakes (tenant, device_id, due_at) values ('default', \(id), tidings.clock())")
            }
            let devices = try await scene.store.localPlans.takeWakes(limit: 9)
            let words = Dictionary(uniqueKeysWithValues: devices.map { ($0.endpoint.id, $0.platform) })
            #expect(words == ["browser": "web", "watch": "watch", "phone": "ios"])
            let known = Dictionary(uniqueKeysWithValues: devices.map { ($0.endpoint.id, $0.endpoint.platform) })
            #expect(known == ["browser": .web, "watch": nil, "phone": .ios])
        }
    }

    @Test func aDeviceIsFoundByTheIdentityOfItsToken() async throws {
        try await StoreScene.with { scene in
            let device = try await scene.register(Self.token("first"), of: "ada").deviceID
            let found = try await scene.store.operations.find("written otherwise", tokens: ["https://push.test/1", "written otherwise"])
            #expect(found.map(\.id) == [device])
        }
    }
}

extension StoreScene {
    fileprivate func register(_ token: DeviceToken, of person: String) async throws -> RegisteredDevice {
        try await store.recipients.register(token: token, of: person, tenant: "default", DeviceSettings())
    }

    /// The platforms of the person's devices, as routing sees them.
    fileprivate func platforms(of person: String) async throws -> [DevicePlatform?] {
        try await facts(of: person).endpoints.map(\.platform)
    }

    fileprivate func facts(of person: String) async throws -> RecipientFacts {
        try await store.recipients.facts(of: person, tenant: "default", zones: zones, around: Timestamp(seconds: 1_790_000_000))
    }

    /// Changes a device, which must be there.
    fileprivate func change(_ device: String, to token: DeviceToken?, _ settings: DeviceSettings) async throws {
        let isFound = try await store.recipients.change(device: device, tenant: "default", token: token, settings)
        try #require(isFound)
    }

    /// The words of the platforms of the person's devices, as they are stored.
    fileprivate func stored(of person: String) async throws -> [String] {
        try await system.query("select platform from tidings.endpoints where recipient_id = \(person)").rows.map {
            try $0.decode(String.self)
        }
    }

    /// Stores an endpoint of Ada, as another version wrote it.
    fileprivate func insert(_ id: String, channel: String, address: String, platform: String) async throws {
        let statements: [SQL] = [
            "insert into tidings.recipients (tenant, id, changed_at) values ('default', 'ada', tidings.clock()) on conflict do nothing",
            """
            insert into tidings.endpoints (tenant, recipient_id, id, channel, provider, address, platform, changed_at, registered_at)
            values ('default', 'ada', \(id), \(channel), 'webpush', \(address), \(platform), tidings.clock(), tidings.clock())
            """,
        ]
        for statement in statements { _ = try await system.query(statement) }
    }

    /// The person, the address and the identity of each device.
    fileprivate func rows() async throws -> [String] {
        let sql: SQL = """
            select concat_ws(' ', recipient_id, address, coalesce(token_identity, '-')) from tidings.endpoints order by address collate "C"
            """
        return try await system.query(sql).rows.map { try $0.decode(String.self) }
    }
}
