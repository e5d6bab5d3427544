import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The tables get another owner after the migration. Forced row-level security then hides every row from the views of the new owner.
@Suite struct OwnerChangeTests {
    @Test func theNewOwnerIsNamedAndGetsItsPolicies() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let name = "tidings_owners_\(UInt32.random(in: 0...UInt32.max))"
            let (former, later) = ("\(name)_1", "\(name)_2")
            for owner in [former, later] { _ = try await system.query("create role \(unsafe: owner) login password 'secret'") }
            _ = try await system.query("create database \(unsafe: name) owner \(unsafe: former)")
            let database = try Self.url(of: system, database: name)
            func count(_ sql: SQL) async throws -> Int { try await TestSystem.query(sql, at: database).rows[0].decode(Int.self) }
            func missing() async throws -> MissingRights {
                try await MissingRights(with: []) { try await TestSystem.query($0, at: database) }
            }

            let first = Migrator(try PostgresConfiguration(url: Self.url(of: system, database: name, user: former)), parts: [])
            #expect(try await first.migrate().missing?.isEmpty == true)
            _ = try await TestSystem.query(
                """
                insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, data, created_at)
                values ('default', 'ann', '01890000-0000-7000-8000-000000000000', 1, 'orderUpdate', 'transactional', '{}', now())
                """, at: database)
            #expect(try await count("select count(*) from tidings_ops.inbox") == 1)

            _ = try await TestSystem.query("reassign owned by \(unsafe: former) to \(unsafe: later)", at: database)
            #expect(try await count("select count(*) from tidings_ops.inbox") == 0)
            let lost = try await missing()
            let named = ["addresses", "endpoints", "engagement"].map { "policy on tidings.\($0)" }.joined(separator: ", ")
            #expect(lost.sentences == ["\(later) lacks 10 rights: \(named), …"] && lost.statements.isEmpty, "\(lost)")

            let second = Migrator(try PostgresConfiguration(url: Self.url(of: system, database: name, user: later)), parts: [])
            #expect(try await second.grant().isEmpty)
            #expect(try await count("select count(*) from tidings_ops.inbox") == 1)
            let owned: SQL = """
                select count(*) from pg_policy where polname = 'owner' and polroles = array[to_regrole(\(later))::oid]
                """
            #expect(try await count(owned) == 10)

            _ = try await TestSystem.query("drop policy owner on tidings.inbox", at: database)
            #expect(try await missing().sentences == ["\(later) lacks 1 right: policy on tidings.inbox"])
            #expect(try await second.migrate().hasGranted)
            #expect(try await missing().isEmpty)
            _ = try await system.query("drop database \(unsafe: name) with (force)")
            for owner in [former, later] { _ = try await system.query("drop role \(unsafe: owner)") }
        }
    }

    /// The address of a database on the server of the system. Without `user`, as the user of the system.
    private static func url(of system: TestSystem, database: String, user: String? = nil) throws -> String {
        var url = try #require(URLComponents(string: system.databaseURL))
        url.path = "/" + database
        if let user { (url.user, url.password) = (user, "secret") }
        return try #require(url.string)
    }
}
