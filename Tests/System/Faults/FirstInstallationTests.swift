import Foundation
import PrivateServers
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// The first installation on a server that has none of the roles yet, by an owner who may not create roles.
    @Suite struct FirstInstallationTests {
        private static let roles = ["tidings_run", "tidings_run_api", "tidings_ops_read", "tidings_produce", "tidings_app"]

        @Test func anOwnerWithoutCREATEROLEIsToldWhatIsMissing() async throws {
            try await withPrivateServers { servers, _ in
                func administrate(_ sql: SQL) async throws { _ = try await TestSystem.query(sql, at: servers.databaseURL) }
                try await administrate("create role owner1 login password 'secret'")
                try await administrate("create database prod owner owner1")

                // The step is done and its rights are not: no success. The second time nothing is to do, and the rights are still missing.
                for isFirst in [true, false] {
                    let migrated = try await Self.tidings(["db", "migrate"], as: "owner1", servers)
                    #expect(migrated.exitCode == 1 && migrated.output.isEmpty, "\(migrated.errors)")
                    #expect(migrated.errors.contains(" baseline\nschema ") == isFirst, "\(migrated.errors)")
                    #expect(!migrated.errors.contains("nothing to do") && migrated.errors.contains("CREATEROLE"), "\(migrated.errors)")
                    #expect(migrated.errors.contains("tidings db grant"), "\(migrated.errors)")
                    #expect(Self.statements(in: migrated.errors).count == Self.roles.count + 1, "\(migrated.errors)")
                }
                let doctor = try await Self.tidings(["doctor"], as: "owner1", servers)
                #expect(doctor.exitCode == 1, "\(doctor.output)")
                #expect(
                    doctor.output.contains("✗ rights: the roles \(Self.roles.joined(separator: ", ")) do not exist"), "\(doctor.output)")
                let refused = try await Self.tidings(["db", "grant", "-o", "json"], as: "owner1", servers)
                let rows = try JSON.parse(refused.output).arrayValue ?? []
                #expect(refused.exitCode == 1 && rows.map { $0["role"]?.stringValue } == Self.roles, "\(refused.output)\(refused.errors)")
                #expect(rows.allSatisfy { $0["kind"] == "role" }, "\(refused.output)")

                // The administrator runs exactly the statements that the command printed.
                for statement in Self.statements(in: refused.errors) { try await administrate(SQL(unsafeSQL: statement)) }
                let halfway = try await Self.tidings(["doctor"], as: "owner1", servers)
                #expect(halfway.output.contains("✗ rights: tidings_run lacks "), "\(halfway.output)")
                let granted = try await Self.tidings(["db", "grant"], as: "owner1", servers)
                #expect(granted.exitCode == 0 && granted.errors.isEmpty, "\(granted.output)\(granted.errors)")
                let idle = try await Self.tidings(["db", "migrate"], as: "owner1", servers)
                #expect(idle.exitCode == 0 && idle.errors.contains("nothing to do"), "\(idle.errors)")

                try await administrate("create role oncall login password 'secret' in role tidings_ops_read")
                let list = try await Self.tidings(["notification", "list", "-o", "json"], as: "oncall", servers)
                #expect(list.exitCode == 0 && list.output == "[]\n", "\(list.errors)")
            }
        }

        /// The statements for the administrator, as they are printed.
        private static func statements(in errors: String) -> [String] {
            errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasSuffix(";") }
        }

        private static func tidings(
            _ arguments: [String], as user: String, _ servers: PrivateServers
        ) async throws -> TestProcess.Result {
            var url = try #require(URLComponents(string: servers.databaseURL))
            (url.user, url.password, url.path) = (user, "secret", "/prod")
            let environment = ProcessInfo.processInfo.environment.merging(
                ["TIDINGS_AMQP_URL": servers.amqpURL, "TIDINGS_DATABASE_URL": try #require(url.string)]) { $1 }
            return try await TestProcess([TestSystem.binary] + arguments, environment: environment).finish()
        }
    }
}
