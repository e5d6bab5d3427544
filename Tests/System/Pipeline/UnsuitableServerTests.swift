import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A database on which statements would store or select wrong rows is refused before the first change, and named by `tidings doctor`.
@Suite struct UnsuitableServerTests {
    @Test(arguments: ["SQL_ASCII", "LATIN1"])
    func aDatabaseOfAnotherEncodingIsRefused(encoding: String) async throws {
        try await withOwnSystem { system in
            let name = "tidings_encoding_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query(
                """
                create database \(unsafe: name) template template0 encoding '\(unsafe: encoding)' lc_collate 'C' lc_ctype 'C'
                """)
            var url = try #require(URLComponents(string: system.databaseURL))
            url.path = "/" + name
            let database = try #require(url.string)
            let environment = system.environment.merging(["TIDINGS_DATABASE_URL": database]) { $1 }
            for command in ["plan", "migrate"] {
                let result = try await CommandLineTests.run(["db", command], environment)
                #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.output)\(result.errors)")
                #expect(result.errors.contains("the database has the encoding \(encoding), and Tidings needs UTF8"), "\(result.errors)")
                #expect(result.errors.contains("template template0 encoding 'UTF8'"), "\(result.errors)")
            }
            let isUntouched = try await TestSystem.query("select to_regnamespace('tidings') is null", at: database)
            #expect(try isUntouched.rows[0].decode(Bool.self))
            let doctor = try await CommandLineTests.run(["doctor"], environment)
            #expect(doctor.exitCode == 1, "\(doctor.output)")
            #expect(doctor.output.contains("✗ database: the database has the encoding \(encoding)"), "\(doctor.output)")
            _ = try await system.query("drop database \(unsafe: name) with (force)")
        }
    }

    /// Nothing fails while `jit` is on, but people wait.
    @Test func compiledStatementsAreNoted() async throws {
        try await withOwnSystem { system in
            let name = try await system.query("select current_database()").rows[0].decode(String.self)
            for (setting, isNoted) in [("on", true), ("off", false)] {
                _ = try await system.query("alter database \(unsafe: name) set jit = \(unsafe: setting)")
                let doctor = try await system.tidings("doctor", "-o", "json")
                #expect(doctor.output.contains(#""jitOn""#) == isNoted, "\(setting): \(doctor.output)")
            }
        }
    }

    /// A setting may change after the migration.
    @Test func escapesInLiteralsAreNamed() async throws {
        try await withOwnSystem { system in
            let name = try await system.query("select current_database()").rows[0].decode(String.self)
            _ = try await system.query("alter database \(unsafe: name) set standard_conforming_strings = off")
            let migrated = try await system.tidings("db", "migrate")
            #expect(migrated.exitCode == 78 && migrated.errors.contains("standard_conforming_strings is off"), "\(migrated.errors)")
            let doctor = try await system.tidings("doctor", "-o", "json")
            #expect(doctor.exitCode == 1 && doctor.output.contains(#""stringsNotStandard""#), "\(doctor.output)")
        }
    }
}
