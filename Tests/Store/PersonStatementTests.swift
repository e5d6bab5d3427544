import Foundation
import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Statements for one person run with the rights of that person.
@Suite struct PersonStatementTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    /// The hint comes with the page, of the same moment and over the same connection.
    @Test func aPageTellsOfDeniedNotifications() async throws {
        try await StoreScene.with { scene in
            func hint(_ person: RecipientKey) async throws -> Bool {
                try await scene.store.inbox.page(of: person, limit: 1, from: .offset(0)).deniesNotifications
            }
            #expect(try await !hint(Self.ann), "without devices there is no hint")
            func register(_ token: String, _ permission: Permission) async throws {
                let settings = DeviceSettings(permission: permission)
                _ = try await scene.store.recipients.register(token: DeviceToken(token), of: "ann", tenant: "default", settings)
            }
            for token in ["phone-1", "phone-2"] { try await register(token, .denied) }
            #expect(try await hint(Self.ann))
            for other in [Self.bob, RecipientKey(tenant: "other", id: "ann")] { #expect(try await !hint(other)) }
            try await register("phone-2", .authorized)
            #expect(try await !hint(Self.ann))
        }
    }

    /// The earlier person of a device can do nothing with it any more.
    @Test func aMovedDeviceObeysItsPresentPerson() async throws {
        try await StoreScene.with { scene in
            let store = scene.store
            let device = try await store.recipients.register(token: DeviceToken("phone"), of: "ann", tenant: "default", DeviceSettings())
                .deviceID
            #expect(try await scene.plan(of: device, owner: "ann") != nil)
            let moved = try await store.recipients.register(token: DeviceToken("phone"), of: "bob", tenant: "default", DeviceSettings())
            #expect(moved.deviceID == device && moved.movedFrom == "ann")
            for (owner, isOwner) in [("ann", false), ("bob", true)] {
                let denied = DeviceSettings(permission: .denied)
                let person = StoreScene.person(owner)
                #expect(try await store.recipients.hasDevice(device, of: person) == isOwner, "\(owner)")
                let token = try await store.recipients.token(of: device, tenant: "default", owner: owner)?.text
                #expect(token == (isOwner ? "phone" : nil), "\(owner)")
                let plan = try await scene.plan(of: device, owner: owner)
                #expect((plan != nil) == isOwner, "\(owner)")
                let confirmed = try await store.localPlans.acknowledge(of: device, tenant: "default", owner: owner, version: 0)
                #expect(confirmed == (isOwner ? .confirmed : .noDevice), "\(owner)")
                let isChanged = try await store.recipients.change(device: device, tenant: "default", owner: owner, token: nil, denied)
                #expect(isChanged == isOwner, "\(owner)")
                let hasNewToken = try await store.recipients.change(
                    device: device, tenant: "default", owner: owner, token: DeviceToken("phone-of-\(owner)"), DeviceSettings())
                #expect(hasNewToken == isOwner, "\(owner)")
                #expect(try await store.recipients.unregister(device: device, tenant: "default", owner: owner) == isOwner, "\(owner)")
            }
            let row = try await scene.system.query("select recipient_id || ' ' || address || ' ' || permission from tidings.endpoints").rows
            #expect(try row.map { try $0.decode(String.self) } == ["bob phone-of-bob denied"])
        }
    }

    /// The earlier person still sees the own notification in the plan of the device. A change by that person finds no device, and does not
    /// fail.
    @Test func aMovedDeviceWithAPlanIsNotThatOfItsEarlierPerson() async throws {
        try await StoreScene.with { scene in
            let store = scene.store
            let device = try await store.recipients.register(token: DeviceToken("phone"), of: "ann", tenant: "default", DeviceSettings())
                .deviceID
            _ = try await scene.system.query(
                """
                insert into tidings.local_requests (tenant, device_id, notification_id, ordinal, recipient_id, type, content, expires_at,
                    accepted_at, planned_at, in_plan, version)
                values ('default', \(device), gen_random_uuid(), 0, 'ann', 't', '{}', tidings.clock() + interval '1 day', tidings.clock(),
                    tidings.clock(), true, 1)
                """)
            _ = try await store.recipients.register(token: DeviceToken("phone"), of: "bob", tenant: "default", DeviceSettings())
            _ = try await scene.system.query("delete from tidings.local_wakes")
            for owner in ["ann", "bob"] {
                let denied = DeviceSettings(permission: .denied)
                let isChanged = try await store.recipients.change(device: device, tenant: "default", owner: owner, token: nil, denied)
                #expect(isChanged == (owner == "bob"), "\(owner)")
                #expect(try await scene.count("select count(*) from tidings.local_wakes") == (isChanged ? 1 : 0), "\(owner)")
            }
        }
    }

    @Test func theNewsOfOneAreThoseOfMany() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.deliver(3, to: Self.ann)
            _ = try await scene.deliver(2, to: Self.bob)
            _ = try await scene.store.inbox.mark(.read, notification: ids[0], of: Self.ann)
            for known in [InboxWatcher.Known.nothing, .position(1), .entry(ids[1]), .unclear] {
                let watcher = InboxWatcher(Self.ann, known: known)
                #expect(try await scene.store.inbox.news(of: [watcher]) == [scene.store.inbox.news(of: watcher)], "\(known)")
            }
            let nobody = try await scene.store.inbox.news(of: InboxWatcher(StoreScene.person("nobody")))
            #expect(nobody.position == 0 && nobody.counts == InboxCounts(total: 0, unread: 0))
        }
    }

    /// Two people register the same token again and again. It stays one device, and no registration fails.
    @Test func aTokenThatTwoPeopleRegisterStaysOneDevice() async throws {
        try await StoreScene.with { scene in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let person = number.isMultiple(of: 2) ? "ann" : "bob"
                        _ = try await scene.store.recipients.register(
                            token: DeviceToken("phone"), of: person, tenant: "default", DeviceSettings())
                    }
                    group.addTask {
                        let own = try await scene.store.recipients.register(
                            token: DeviceToken("of-\(number)"), of: "cy", tenant: "default", DeviceSettings())
                        _ = try await scene.store.recipients.change(
                            device: own.deviceID, tenant: "default", owner: "cy", token: DeviceToken("phone"), DeviceSettings())
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await scene.count("select count(*) from tidings.endpoints where address = 'phone'") == 1)
        }
    }

    /// The market and the webhook are no rights of a person, and a command changes them all the same.
    @Test func anOperatorChangesMoreThanAPerson() async throws {
        try await StoreScene.with { scene in
            var changes = RecipientChanges()
            changes.timeZone = "Europe/Paris"
            changes.market = .some("home")
            changes.webhook = .some(WebhookEndpoint(url: "https://example.com/hook", secrets: ["whsec_c2VjcmV0"]))
            try await scene.store.recipients.change("ann", tenant: "default", changes)
            let row = try await scene.store.recipients.row("ann", tenant: "default")
            #expect(row?["time_zone"]?.stringValue == "Europe/Paris" && row?["market"]?.stringValue == "home")
            #expect(row?["endpoints"]?.arrayValue?.first?["secrets"]?.intValue == 1)
            changes = RecipientChanges()
            changes.market = .some(nil)
            changes.webhook = .some(nil)
            try await scene.store.recipients.change("ann", tenant: "default", changes)
            let later = try await scene.store.recipients.row("ann", tenant: "default")
            #expect(later?["market"]?.isNull == true && later?["endpoints"]?.arrayValue?.isEmpty == true)
            #expect(try await scene.store.recipients.preferences(of: Self.ann).timeZone == "Europe/Paris")
        }
    }

    /// A login may begin with another role. The process then has the rights of that role again, and not those of the login.
    @Test func theProcessHasItsRightsAgain() async throws {
        try await StoreScene.with { scene in
            let login = "tidings_login_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await scene.system.query("create role \(unsafe: login) login noinherit password 'secret' in role tidings_run")
            _ = try await scene.system.query("alter role \(unsafe: login) set role = 'tidings_run'")
            var url = try #require(URLComponents(string: scene.system.databaseURL))
            (url.user, url.password) = (login, "secret")
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: try #require(url.string)))
            let role: SQL = "select current_user::text"
            let answers = try await connection.pipeline([
                "begin", role, Store.beginPerson(Self.ann), role, Store.endPerson, role, "commit", role,
            ])
            await connection.close()
            let roles = try [1, 3, 5, 7].map { try answers[$0].rows[0].decode(String.self) }
            #expect(roles == ["tidings_run", "tidings_app", "tidings_run", "tidings_run"])
            _ = try await scene.system.query("drop role \(unsafe: login)")
        }
    }
}

extension StoreScene {
    /// The version of a device's plan. Nil if the owner has no such device.
    fileprivate func plan(of device: String, owner: String) async throws -> Int64? {
        try await store.localPlans.sync(of: device, tenant: "default", owner: owner, since: nil, catalogue: catalogue, zones: zones)?
            .version
    }
}
