import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// The schema's number decides whether a binary may touch a database.
@Suite struct SchemaVersionTests {
    @Test func aBinaryRefusesASchemaItDoesNotKnow() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("insert into tidings.migrations (number, name) values (999, 'from the future')")
            for arguments in [["run", "all"], ["status"], ["db", "migrate"]] {
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 78, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("use the newer binary"), "\(arguments): \(result.errors)")
            }
        }
    }

    @Test func aBinaryRefusesASchemaThatIsTooOld() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("delete from tidings.migrations where number = (select max(number) from tidings.migrations)")
            for arguments in [["run", "all"], ["status"]] {
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 78, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("tidings db migrate"), "\(arguments): \(result.errors)")
            }
        }
    }

    /// A step that needs a table which a long transaction uses lets everybody else use it meanwhile.
    @Test func migratingHoldsUpNobody() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("alter table tidings.workers drop column providers cascade, drop column catalogue")
            _ = try await system.query("create index on tidings.notifications (tenant, recipient_id, id)")
            _ = try await system.query("drop table tidings.idempotency_recent, tidings.key_move cascade")
            _ = try await system.query("drop function tidings.refuse_claim cascade")
            _ = try await system.query("delete from tidings.migrations where number >= 14")
            let reader = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            _ = try await reader.query("begin")
            _ = try await reader.query("select count(*) from tidings.workers")

            let migrating = try system.start("db", "migrate")
            for _ in 0..<2 {
                let waits = try await system.eventually(
                    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
                ) { $0 > 0 }
                #expect(waits, "\(migrating.errorsSoFar)")
                // Stands behind the step that waits, which gives way.
                #expect(try await system.count("select count(*) from tidings.workers") == 0)
            }
            _ = try await reader.query("commit")
            await reader.close()
            let result = await migrating.finish()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try await system.count("select count(*) from tidings_ops.workers where 'x' = any(providers)") == 0)
        }
    }

    /// Its server would else go on with the step, an index of an hour perhaps, with the locks of it.
    @Test func whatAKilledMigratorAskedForEnds() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("delete from tidings.migrations where number = (select max(number) from tidings.migrations)")
            _ = try await system.query(
                "create function hang() returns event_trigger language plpgsql as $$ begin perform pg_sleep(600); end $$")
            _ = try await system.query("create event trigger hang on ddl_command_start execute function hang()")
            let hanging: SQL = "select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
            let migrating = try system.start("db", "migrate")
            #expect(try await system.eventually(hanging) { $0 == 1 }, "\(migrating.errorsSoFar)")
            migrating.signal(SIGKILL)
            _ = await migrating.finish()
            #expect(try await system.eventually(hanging) { $0 == 0 }, "the step goes on")
        }
    }

    /// Two at once on an empty database: each step is applied once.
    @Test func planShowsAndMigrateAppliesWhatIsMissing() async throws {
        try await withOwnSystem { system in
            let name = "tidings_empty_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create database \(unsafe: name)")
            var url = try #require(URLComponents(string: system.databaseURL))
            url.path = "/" + name
            var environment = system.environment
            environment["TIDINGS_DATABASE_URL"] = url.string
            let own = environment

            let plan = try await CommandLineTests.run(["db", "plan"], own)
            #expect(plan.exitCode == 0)
            #expect(plan.output.contains("-- 1 tables") && plan.output.contains("create table tidings.notifications"))
            let short = try await CommandLineTests.run(["db", "plan", "--short"], own)
            let all = try await system.count("select count(*) from tidings.migrations")
            #expect(short.output.split(separator: "\n").count == all)

            async let first = CommandLineTests.run(["db", "migrate"], own)
            async let second = CommandLineTests.run(["db", "migrate"], own)
            for result in [try await first, try await second] { #expect(result.exitCode == 0, "\(result.errors)") }

            let after = try await CommandLineTests.run(["db", "plan"], own)
            #expect(after.exitCode == 0 && after.output.isEmpty && after.errors.contains("nothing to do"))
            #expect(try await CommandLineTests.run(["status"], own).exitCode == 0)
            _ = try await system.query("drop database \(unsafe: name) with (force)")
        }
    }
}
