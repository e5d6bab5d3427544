import Testing
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// Rights of the roles of PostgreSQL that are missing, and that can be given again.
@Suite struct MissingRightsTests {
    /// The list of the check is the list of the scripts: `grants.sql` and the modules give each wanted right and no other.
    @Test func theCheckKnowsExactlyTheGrants() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let differences = try await system.query(
                """
                \(Grants.wanted(with: TestSystem.parts)), granted as (
                    select 'schema' as kind, n.oid as id, a.grantee, a.privilege_type, null::text as attribute
                    from pg_namespace n cross join lateral aclexplode(n.nspacl) a
                    union all
                    select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid, a.grantee, a.privilege_type, null
                    from pg_class c cross join lateral aclexplode(c.relacl) a where not c.relispartition
                    union all
                    select 'column', t.attrelid, a.grantee, a.privilege_type, t.attname::text
                    from pg_attribute t join pg_class c on c.oid = t.attrelid cross join lateral aclexplode(t.attacl) a
                    where not c.relispartition
                    union all
                    select 'function', p.oid, a.grantee, a.privilege_type, null from pg_proc p cross join lateral aclexplode(p.proacl) a
                ), given as (
                    select r.name as role, g.kind, g.id, lower(g.privilege_type) as privilege, g.attribute
                    from granted g join roles r on r.id = g.grantee
                ), listed as (
                    select role, kind, id, privilege, attribute from wanted where kind not in ('policy', 'membership')
                )
                select 'given, not listed: ' || concat_ws(' ', d.role, d.kind, d.id, d.privilege, d.attribute)
                from (select * from given except select * from listed) d
                union all
                select 'listed, not given: ' || concat_ws(' ', d.role, d.kind, d.id, d.privilege, d.attribute)
                from (select * from listed except select * from given) d
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(differences.isEmpty)
            let missing = try await Self.missing(in: system)
            #expect(missing.isEmpty && missing.owner != nil && !missing.ownerLacksApp, "\(missing)")
        }
    }

    /// The lost right, and the sentence about it.
    static let losses: [(SQL, String)] = [
        ("revoke usage on schema tidings_api from tidings_run", "tidings_run lacks 1 right: usage on schema tidings_api"),
        ("revoke select on tidings.packs from tidings_run", "tidings_run lacks 1 right: select on tidings.packs"),
        ("revoke usage on sequence tidings.dead_id_seq from tidings_run", "tidings_run lacks 1 right: usage on tidings.dead_id_seq"),
        (
            "revoke execute on function tidings_ops.find(text) from tidings_ops_read",
            "tidings_ops_read lacks 1 right: execute on tidings_ops.find"
        ),
        (
            "revoke select on tidings_ops.deliveries from tidings_ops_read",
            "tidings_ops_read lacks 1 right: select on tidings_ops.deliveries"
        ),
        ("revoke usage on schema tidings_api from tidings_produce", "tidings_produce lacks 1 right: usage on schema tidings_api"),
        ("revoke update (read_at) on tidings.inbox from tidings_app", "tidings_app lacks 1 right: update (read_at) on tidings.inbox"),
        ("drop policy person on tidings.inboxes", "tidings_app lacks 1 right: policy on tidings.inboxes"),
        ("drop policy person on tidings.endpoints", "tidings_app lacks 1 right: policy on tidings.endpoints"),
        ("drop policy pipeline on tidings.inbox", "tidings_run lacks 1 right: policy on tidings.inbox"),
        (
            "revoke update (last_used_at) on tidings.api_keys from tidings_run_api",
            "tidings_run_api lacks 1 right: update (last_used_at) on tidings.api_keys"
        ),
        ("drop policy api on tidings.recipients", "tidings_run_api lacks 1 right: policy on tidings.recipients"),
    ]

    @Test func aLostRightIsNamedAndGivenAgain() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let migrator = Migrator(try PostgresConfiguration(url: system.databaseURL), parts: TestSystem.parts)
            for (loss, sentence) in Self.losses {
                _ = try await system.query(loss)
                let missing = try await Self.missing(in: system)
                #expect(missing.sentences == [sentence] && missing.statements.isEmpty, "\(loss): \(missing)")
                #expect(try await migrator.grant().isEmpty, "\(loss)")
            }
            _ = try await system.query("revoke all on all tables in schema tidings_ops from tidings_ops_read")
            let result = try await migrator.migrate()
            #expect(result.steps.isEmpty && result.hasGranted && result.missing?.isEmpty == true, "\(result)")
            #expect(try await !migrator.migrate().hasGranted)
        }
    }

    /// A binary whose schema is newer than that of the database, or older, does not know the rights of that schema.
    @Test func rightsOfAnotherSchemaAreNotGiven() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let migrator = Migrator(try PostgresConfiguration(url: system.databaseURL), parts: TestSystem.parts)
            _ = try await system.query("insert into tidings.migrations (number, name) values (999, 'from the future')")
            await #expect(throws: StoreError.rightsOfNewerSchema(found: 999, known: Migration.latest)) { try await migrator.grant() }
            _ = try await system.query("delete from tidings.migrations")
            await #expect(throws: StoreError.schemaTooOld(found: 0, needed: Migration.latest)) { try await migrator.grant() }
        }
    }

    @Test func anAdministratorGetsTheStatements() {
        let absent = Grants.roles.map { MissingRight(role: $0, kind: .role, object: $0, right: "role") }
        var missing = Self.missing(absent)
        #expect(
            missing.sentences == ["the roles tidings_run, tidings_run_api, tidings_ops_read, tidings_produce, tidings_app do not exist"])
        #expect(
            missing.statements == [
                "create role tidings_run nologin;", "create role tidings_run_api nologin noinherit;",
                "create role tidings_ops_read nologin;", "create role tidings_produce nologin;", "create role tidings_app nologin;",
                "grant tidings_app to tidings_run, tidings_run_api;",
            ])
        missing = Self.missing(absent.filter { $0.role == "tidings_ops_read" })
        #expect(missing.sentences == ["the role tidings_ops_read does not exist"])
        #expect(missing.statements == ["create role tidings_ops_read nologin;"])
        missing = Self.missing(absent.filter { $0.role == "tidings_run_api" })
        #expect(missing.statements == ["create role tidings_run_api nologin noinherit;", "grant tidings_app to tidings_run_api;"])
        missing = Self.missing(
            [MissingRight(role: "tidings_run", kind: .membership, object: "tidings_app", right: "membership")], ownerLacksApp: true)
        #expect(missing.sentences == ["tidings_run is no member of tidings_app"])
        #expect(missing.statements == ["grant tidings_app to tidings_run, owner1;"])
        let rights = ["a", "b", "c", "d"].map { MissingRight(role: "tidings_run", kind: .table, object: "tidings.\($0)", right: "select") }
        missing = Self.missing(rights, ownerLacksApp: true)
        #expect(
            missing.sentences == ["tidings_run lacks 4 rights: select on tidings.a, select on tidings.b, select on tidings.c, …"])
        #expect(missing.statements.isEmpty, "the owner gives these")
    }

    /// A role of the API that inherits has rights of a person outside of the statements of a person. Only an administrator changes that.
    @Test func aRoleOfTheAPIThatInheritsIsNamed() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            func missing() async throws -> MissingRights {
                try await MissingRights(with: TestSystem.parts) { try await connection.query($0) }
            }
            // Roles belong to the whole server, so nothing of this is committed.
            try await connection.execute(script: "begin")
            try await connection.execute(
                script: """
                    do $$ begin
                        alter role tidings_run_api inherit;
                        if current_setting('server_version_num')::integer >= 160000 then
                            execute 'grant tidings_app to tidings_run_api with inherit true';
                        end if;
                    end $$
                    """)
            let heir = try await missing()
            #expect(heir.sentences == ["tidings_run_api inherits the rights of tidings_app"])
            #expect(
                heir.statements == [
                    "alter role tidings_run_api noinherit;", "revoke tidings_app from tidings_run_api;",
                    "grant tidings_app to tidings_run_api;",
                ])
            for statement in heir.statements { try await connection.execute(script: statement) }
            #expect(try await missing().isEmpty)
            try await connection.execute(script: "rollback")
            await connection.close()
        }
    }

    private static func missing(_ rights: [MissingRight], ownerLacksApp: Bool = false) -> MissingRights {
        MissingRights(rights: rights, user: "owner1", userMayCreateRoles: false, owner: "owner1", ownerLacksApp: ownerLacksApp)
    }

    private static func missing(in system: TestSystem) async throws -> MissingRights {
        try await MissingRights(with: TestSystem.parts) { try await system.query($0) }
    }
}
