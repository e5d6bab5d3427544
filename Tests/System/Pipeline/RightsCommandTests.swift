import Foundation
import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Commands give the roles of PostgreSQL their rights, and say which ones they could not give.
@Suite struct RightsCommandTests {
    @Test func lostRightsAreToldAndGivenAgain() async throws {
        try await withOwnSystem { system in
            let lose: SQL = "revoke usage on schema tidings_ops from tidings_ops_read"
            let lost = "tidings_ops_read lacks 1 right: usage on schema tidings_ops"
            _ = try await system.query(lose)
            let doctor = try await system.tidings("doctor")
            #expect(doctor.exitCode == 1 && doctor.output.contains("✗ rights: \(lost)"), "\(doctor.output)")
            #expect(doctor.output.contains("runs tidings db grant"), "\(doctor.output)")
            let plan = try await system.tidings("db", "plan")
            #expect(plan.exitCode == 0 && plan.output.hasPrefix("-- rights: \(lost)\n"), "\(plan.output)\(plan.errors)")
            #expect(plan.output.contains("grant usage on schema tidings_ops to tidings_ops_read"), "\(plan.output)")

            let migrated = try await system.tidings("db", "migrate")
            #expect(migrated.exitCode == 0 && migrated.errors.contains("rights were missing and were given"), "\(migrated.errors)")
            let idle = try await system.tidings("db", "migrate")
            #expect(idle.exitCode == 0 && idle.errors.contains("nothing to do"), "\(idle.errors)")

            _ = try await system.query(lose)
            let granted = try await system.tidings("db", "grant")
            #expect(granted.exitCode == 0 && granted.output == "every role has its rights\n", "\(granted.output)\(granted.errors)")
            let again = try await system.tidings("db", "grant", "-o", "json")
            #expect(again.exitCode == 0 && again.output == "[]\n", "\(again.output)\(again.errors)")
            let well = try await system.tidings("doctor")
            #expect(well.output.contains("✓ rights: ") && !well.output.contains("✗ rights"), "\(well.output)")
        }
    }

    /// The roles exist, because another database of the server has them. The owner gives their rights, and may not become a member.
    @Test func anOwnerWithoutCREATEROLEGivesRightsToRolesThatExist() async throws {
        try await withOwnSystem { system in
            let owner = "tidings_owner_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create role \(unsafe: owner) login password 'secret'")
            _ = try await system.query("create database \(unsafe: owner) owner \(unsafe: owner)")
            let environment = try Self.environment(of: system, user: owner, database: owner)
            let migrated = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(migrated.exitCode == 0 && migrated.errors.contains("schema "), "\(migrated.errors)")
            #expect(migrated.errors.contains("note: \(owner) is no member of tidings_app"), "\(migrated.errors)")
            let doctor = try await CommandLineTests.run(["doctor"], environment)
            #expect(doctor.output.contains("✓ rights: ") && doctor.output.contains("! rights: \(owner)"), "\(doctor.output)")

            _ = try await system.query("grant tidings_app to \(unsafe: owner)")
            let granted = try await CommandLineTests.run(["db", "grant"], environment)
            #expect(granted.exitCode == 0 && granted.errors.isEmpty, "\(granted.errors)")
            _ = try await system.query("drop database \(unsafe: owner) with (force)")
            _ = try await system.query("drop role \(unsafe: owner)")
        }
    }

    /// An administrator made the database and one of the schemas. The user may create nothing, until the administrator runs what the command
    /// prints. Afterwards the user needs no right to create any more.
    @Test func theRightToCreateIsNamedAndNeededOnce() async throws {
        try await withOwnSystem { system in
            let owner = "tidings_owner_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create role \(unsafe: owner) login password 'secret'")
            _ = try await system.query("create database \(unsafe: owner)")
            var url = try #require(URLComponents(string: system.databaseURL))
            url.path = "/" + owner
            let database = try #require(url.string)
            _ = try await TestSystem.query("create schema tidings_ops", at: database)
            let environment = try Self.environment(of: system, user: owner, database: owner)
            let statements = ["grant create on database \(owner) to \(owner);", "alter schema tidings_ops owner to \(owner);"]

            let plan = try await CommandLineTests.run(["db", "plan", "--short"], environment)
            let first = statements.map { "-- first, an administrator of PostgreSQL runs: \($0)\n" }.joined()
            #expect(plan.exitCode == 0 && plan.output.hasPrefix(first), "\(plan.output)\(plan.errors)")
            #expect(plan.output.contains("-- \(Migration.latest) "), "\(plan.output)\(plan.errors)")
            let refused = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(refused.exitCode == 77 && refused.errors.contains(statements.joined(separator: " ")), "\(refused.errors)")
            let isUntouched = try await TestSystem.query("select to_regnamespace('tidings') is null", at: database)
            #expect(try isUntouched.rows[0].decode(Bool.self))

            for statement in statements { _ = try await TestSystem.query(SQL(unsafeSQL: statement), at: database) }
            let migrated = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(migrated.exitCode == 0 && migrated.errors.contains("schema "), "\(migrated.errors)")
            _ = try await system.query("revoke create on database \(unsafe: owner) from \(unsafe: owner)")
            let idle = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(idle.exitCode == 0 && idle.errors.contains("nothing to do"), "\(idle.errors)")
            _ = try await system.query("drop database \(unsafe: owner) with (force)")
            _ = try await system.query("drop role \(unsafe: owner)")
        }
    }

    /// A login of the processes owns nothing, so it may give nothing.
    @Test func onlyTheOwnerGives() async throws {
        try await withOwnSystem { system in
            let worker = "tidings_worker_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create role \(unsafe: worker) login password 'secret' in role tidings_run")
            let result = try await CommandLineTests.run(["db", "grant"], try Self.environment(of: system, user: worker))
            #expect(result.exitCode == 77 && result.output.isEmpty && result.errors.contains("permission denied"), "\(result.errors)")
            #expect(result.errors.contains("log in as the owner of the schema"), "\(result.errors)")
            _ = try await system.query("drop role \(unsafe: worker)")
        }
    }

    @Test func anOlderBinaryGivesNothing() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("insert into tidings.migrations (number, name) values (999, 'from the future')")
            let result = try await system.tidings("db", "grant")
            #expect(result.exitCode == 78 && result.errors.contains("nothing was granted"), "\(result.errors)")
        }
    }

    private static func environment(
        of system: TestSystem, user: String, database: String? = nil
    ) throws -> [String: String] {
        var url = try #require(URLComponents(string: system.databaseURL))
        (url.user, url.password) = (user, "secret")
        if let database { url.path = "/" + database }
        return system.environment.merging(["TIDINGS_DATABASE_URL": try #require(url.string)]) { $1 }
    }
}
