import Testing
import TidingsPostgres
import TidingsTestSupport

/// The database of a binary that did not have the module.
@Suite struct AbsentTablesTests {
    @Test func noRoleStartsBeforeAMigrationMakesTheTables() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("drop table tidings.likes, tidings.liked_people, tidings.matches, tidings.unblurs cascade")
            let fault = "the database lacks the tables of the module likes: run tidings db migrate"
            let refused = try await CommandLineTests.run(["run", "all"], system.environment)
            #expect(refused.exitCode == 78 && refused.errors.contains(fault), "\(refused.errors)")
            let doctor = try await system.tidings("doctor")
            #expect(doctor.exitCode == 1 && doctor.output.contains(fault), "\(doctor.output)")

            let migrated = try await system.tidings("db", "migrate")
            #expect(migrated.exitCode == 0 && migrated.errors.contains("the tables of the module likes"), "\(migrated.errors)")
            let idle = try await system.tidings("db", "plan")
            #expect(idle.exitCode == 0 && idle.output.hasSuffix(": nothing to do\n"), "\(idle.output)\(idle.errors)")
        }
    }

    @Test func aMigrationNamesTheTablesThatAreMissingBesideOthers() async throws {
        try await withTestSystem(usesBroker: false) { system in
            _ = try await system.query("drop table tidings.matches, tidings.unblurs cascade")
            let fault = "only some tables of the module likes: it has liked_people, likes and lacks matches, unblurs"
            for command in ["migrate", "plan", "grant"] {
                let refused = try await system.tidings("db", command)
                #expect(refused.exitCode == 78 && refused.errors.contains(fault), "\(command): \(refused.errors)")
            }
            _ = try await system.query("drop table tidings.liked_people, tidings.likes cascade")
            let migrated = try await system.tidings("db", "migrate")
            #expect(migrated.exitCode == 0 && migrated.errors.contains("the tables of the module likes"), "\(migrated.errors)")
        }
    }
}
