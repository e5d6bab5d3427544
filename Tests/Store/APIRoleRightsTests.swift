import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The role of processes that only serve the API: the database itself bounds what a stranger gains who breaks into such a process.
@Suite struct APIRoleRightsTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    /// A session whose login is the role itself.
    private static func session(of scene: StoreScene) async throws -> PostgresConnection {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
        try await connection.execute(script: "set session authorization tidings_run_api")
        return connection
    }

    @Test func theRoleMayDoNothingElse() async throws {
        try await StoreScene.with { scene in
            let connection = try await Self.session(of: scene)
            for statement in Self.secrets + Self.content + Self.rulesAndWork + Self.schema {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            await connection.close()
        }
    }

    private static let secrets = [
        "select time_zone from tidings.endpoints", "select * from tidings.endpoints",
        "update tidings.endpoints set address = 'x'", "insert into tidings.endpoints default values", "select 1 from tidings_ops.devices",
        "select secrets from tidings.addresses", "select * from tidings.addresses", "update tidings.addresses set secrets = '{}'",
        "update tidings.addresses set value = 'x'", "insert into tidings.addresses (id) values ('webhook')",
        "insert into tidings.api_keys default values", "update tidings.api_keys set scopes = '{}'",
        "update tidings.api_keys set secret_hash = secret_hash", "delete from tidings.api_keys", "delete from tidings.erasure_key",
    ]
    private static let content = [
        "select title from tidings.notifications", "select body from tidings.notifications", "select data from tidings.notifications",
        "select title from tidings.inbox", "select data from tidings.inbox", "select 1 from tidings.rejected", "select 1 from tidings.dead",
        "select 1 from tidings.engagement", "select time_zone from tidings.recipients",
        "select 1 from tidings_ops.inbox", "select 1 from tidings_ops.rejected", "select tidings_ops.find('x')",
        "select 1 from tidings.own_notifications",
    ]
    private static let rulesAndWork = [
        "insert into tidings.catalogues default values", "delete from tidings.active_catalogue", "delete from tidings.pauses",
        "insert into tidings.pauses default values", "insert into tidings.packs default values", "insert into tidings.due default values",
        "insert into tidings.notifications default values", "delete from tidings.notifications", "delete from tidings.inbox",
        "update tidings.recipients set market = 'x'", "select tidings.expire_partitions('1 day')",
        "update tidings.inbox set read_at = null", "update tidings.inboxes set unread = 0",
        "insert into tidings.local_plans default values",
    ]
    private static let schema = [
        "truncate tidings.api_keys", "drop table tidings.api_keys", "alter table tidings.inbox disable row level security",
        "create table tidings.mine (id bigint)", "create role tidings_mine", "set role tidings_run", "set role tidings_ops_read",
    ]

    /// A URL of a webhook says where other processes call. Its id is its kind, and the role may set no id.
    @Test func theRoleStoresNoWebhook() async throws {
        try await StoreScene.with { scene in
            let connection = try await Self.session(of: scene)
            for (kind, state) in [("webhook", "23514"), ("email", nil)] as [(String, String?)] {
                var refusal: PostgresError?
                do throws(PostgresError) {
                    _ = try await connection.query(
                        """
                        insert into tidings.addresses (tenant, recipient_id, kind, value, identity, source, created_at, changed_at)
                        values ('default', 'ann', \(kind), 'x', 'x', 'tests', tidings.clock(), tidings.clock())
                        """)
                } catch {
                    refusal = error
                }
                #expect(refusal?.sqlState == state, "\(kind)")
            }
            await connection.close()
        }
    }

    @Test func theRoleOwnsNothing() async throws {
        try await StoreScene.with { scene in
            let owned: SQL = """
                select count(*) from pg_shdepend
                where refclassid = 'pg_authid'::regclass and refobjid = to_regrole('tidings_run_api') and deptype = 'o'
                """
            let objects = try await scene.count(owned)
            #expect(objects == 0)
            let powers: SQL = """
                select count(*) from pg_roles where rolname = 'tidings_run_api'
                    and (rolsuper or rolinherit or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls or rolcanlogin)
                """
            let roles = try await scene.count(powers)
            #expect(roles == 0)
        }
    }

    /// The conditions are wrong, as if a programmer had forgotten them. Afterwards the process has its own rights again.
    @Test func aFaultyStatementFindsOnlyThePersonsOwnRows() async throws {
        try await StoreScene.with { scene in
            let foreign = try await scene.deliver(to: Self.ann)
            let own = try await scene.deliver(to: Self.bob)
            for person in ["ann", "bob"] {
                let token = try DeviceToken("phone-of-\(person)")
                _ = try await scene.store.recipients.register(token: token, of: person, tenant: "default", DeviceSettings())
            }
            let connection = try await Self.session(of: scene)
            let role: SQL = "select current_user::text"
            let answers = try await connection.pipeline([
                "begin", Store.beginPerson(Self.bob), role,
                "select notification_id from tidings.inbox where recipient_id = 'ann' or title is not null or true",
                "update tidings.inbox set read_at = tidings.clock() where true", "select address from tidings.endpoints",
                "delete from tidings.endpoints where recipient_id = 'ann'", Store.endPerson, role, "commit",
            ])
            await connection.close()
            #expect(try [2, 8].map { try answers[$0].rows[0].decode(String.self) } == ["tidings_app", "tidings_run_api"])
            #expect(try answers[3].rows.map { try $0.decode(NotificationID.self) } == [own] && answers[4].affectedRows == 1)
            #expect(try answers[5].rows.map { try $0.decode(String.self) } == ["phone-of-bob"] && answers[6].affectedRows == 0)
            #expect(try await scene.store.inbox.item(foreign, of: Self.ann)?.counts == InboxCounts(total: 1, unread: 1))
        }
    }
}
