import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The database itself keeps the settings, devices and local plans of people apart, whatever a statement says.
@Suite struct PersonRightsTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    /// The statements have no condition on the person, or the wrong one, as if a programmer had made a mistake.
    @Test func aFaultyConditionFindsAndChangesOnlyThePersonsOwnRows() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob, RecipientKey(tenant: "other", id: "ann")] { _ = try await scene.populate(person) }
            let before = try await scene.rowsOfOthers()
            let queries: [SQL] = [
                "select id from tidings.recipients", "select id from tidings.endpoints where tenant = 'default' or true",
                "select device_id from tidings.local_plans", "select distinct recipient_id from tidings.local_requests",
                "select distinct recipient_id from tidings.addresses where kind = 'email' or true",
            ]
            let changes: [SQL] = [
                "update tidings.recipients set time_zone = 'Europe/Paris'",
                "update tidings.recipients set time_zone = 'Europe/Paris' where id = 'bob'",
                "update tidings.endpoints set permission = 'denied', gone_at = tidings.clock()",
                "update tidings.local_plans set version = version + 1 where device_id <> 'device-of-ann'",
                "update tidings.local_requests set in_plan = false where recipient_id <> 'ann'",
                "delete from tidings.local_requests where recipient_id <> 'ann'",
                "delete from tidings.endpoints where recipient_id = 'bob'", "delete from tidings.endpoints",
            ]
            var trip = RoundTrip()
            let seen = queries.map { trip.ask(.rows($0) { try $0.decode(String.self) }) }
            let changed = changes.map { trip.ask(.count($0)) }
            let found = try await scene.store.asPerson(Self.ann, trip)
            #expect(try seen.map { try found[$0] } == [["ann"], ["device-of-ann"], ["device-of-ann"], ["ann"], ["ann"]])
            #expect(try changed.map { try found[$0] } == [1, 0, 1, 0, 0, 0, 0, 1])
            #expect(try await scene.rowsOfOthers() == before)
        }
    }

    /// A device that has moved still has notifications of its earlier person. The present one takes them back, and both see them.
    @Test func theNotificationsOfADeviceAreThoseOfBothPeople() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob] { _ = try await scene.populate(person) }
            _ = try await scene.system.query(
                "update tidings.local_requests set recipient_id = 'ann' where device_id = 'device-of-bob'")
            for (person, expected) in [(Self.ann, 3), (Self.bob, 2)] {
                let rows = try await scene.store.asPerson(person, .count("select recipient_id, device_id from tidings.local_requests"))
                #expect(rows == expected, "\(person.id)")
            }
            let plans = try await scene.store.asPerson(
                Self.ann, .rows("select device_id from tidings.local_plans") { try $0.decode(String.self) })
            #expect(plans == ["device-of-ann"])
        }
    }

    @Test func aSessionWithoutAPersonSeesNoRow() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.populate(Self.ann)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app")
            for table in ["recipients", "endpoints", "addresses", "local_plans", "local_requests"] {
                #expect(try await connection.query("select 1 from tidings.\(unsafe: table)").rows.isEmpty, "\(table)")
            }
            await connection.close()
        }
    }

    /// The rights that nothing of a person needs: secrets, rows of others, other owners, and everything of operators.
    private static let forbidden = [
        "update tidings.endpoints set recipient_id = 'ann'", "update tidings.endpoints set channel = 'push'",
        "insert into tidings.endpoints select * from tidings.endpoints",
        """
        insert into tidings.endpoints (tenant, recipient_id, id, channel, address, changed_at)
        values ('default', 'ann', 'webhook-2', 'webhook', 'https://example.com', now())
        """,
        """
        insert into tidings.endpoints (tenant, recipient_id, id, channel, address, changed_at)
        values ('default', 'bob', 'a device', 'push', 'a-token', now())
        """,
        "select secrets from tidings.addresses", "select * from tidings.addresses", "delete from tidings.addresses",
        "update tidings.addresses set consent = 'granted'", "update tidings.addresses set value = 'x'",
        """
        insert into tidings.addresses (tenant, recipient_id, kind, value, identity, source, created_at, changed_at)
        values ('default', 'ann', 'email', 'a@b.example', 'a@b.example', 'me', now(), now())
        """,
        "delete from tidings.recipients", "update tidings.recipients set market = 'home'", "update tidings.recipients set id = 'ann'",
        "insert into tidings.recipients (tenant, id, changed_at) values ('default', 'cy', now())",
        "insert into tidings.recipients (tenant, id, changed_at) values ('other', 'ann', now())",
        "insert into tidings.local_plans (tenant, device_id) values ('default', 'device-of-bob')", "delete from tidings.local_plans",
        "insert into tidings.local_wakes values ('default', 'device-of-bob', now())", "select 1 from tidings.local_wakes",
        "update tidings.local_requests set content = '{}'", "update tidings.local_requests set recipient_id = 'ann'",
        "insert into tidings.local_requests select * from tidings.local_requests", "select reason from tidings.pauses",
        "select 1 from tidings.api_keys", "select 1 from tidings.notifications", "select 1 from tidings.deliveries",
        "select 1 from tidings.packs", "select 1 from tidings.erasure_key", "select 1 from tidings_ops.devices",
        "select tidings_api.enqueue('orderUpdate', 'bob')", "create table tidings.mine ()", "truncate tidings.endpoints",
    ]

    @Test func theRoleMayDoNothingElse() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob] { _ = try await scene.populate(person) }
            var changes = RecipientChanges()
            changes.webhook = .some(WebhookEndpoint(url: "https://example.com/hook", secrets: ["whsec_c2VjcmV0"]))
            try await scene.store.recipients.change("ann", tenant: "default", changes)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app; set tidings.tenant = 'default'; set tidings.recipient = 'ann'")
            for statement in Self.forbidden {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            // The device goes, and the addresses stay.
            #expect(try await connection.query("delete from tidings.endpoints").affectedRows == 1)
            let left = try await connection.query("select kind from tidings.addresses order by 1").rows
            #expect(try left.map { try $0.decode(String.self) } == ["email", "webhook"])
            await connection.close()
        }
    }
}

extension StoreScene {
    /// The rows of everybody but ann of the tenant default, as text.
    fileprivate func rowsOfOthers() async throws -> [String] {
        try await system.query(
            """
            select r::text from tidings.recipients r where (r.tenant, r.id) <> ('default', 'ann')
            union all select e::text from tidings.endpoints e where (e.tenant, e.recipient_id) <> ('default', 'ann')
            union all select a::text from tidings.addresses a where (a.tenant, a.recipient_id) <> ('default', 'ann')
            union all select p::text from tidings.local_plans p where (p.tenant, p.device_id) <> ('default', 'device-of-ann')
            union all select q::text from tidings.local_requests q where (q.tenant, q.recipient_id) <> ('default', 'ann')
            order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }
}
