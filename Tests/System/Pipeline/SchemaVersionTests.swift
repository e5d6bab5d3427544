import Foundation
import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The number of the schema decides whether a binary may use a database.
@Suite struct SchemaVersionTests {
    /// A role of the previous release starts beside the next one, runs and stops, and its commands answer. A step that removes something
    /// excludes older binaries, and names the binary that is needed.
    @Test func aBinaryStartsOnANewerSchemaUnlessAStepExcludesIt() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("update tidings.reason_codes set meaning = 'Of the newer binary.' where code = 'delivered'")
            _ = try await system.query("insert into tidings.migrations (number, name) values (999, 'from the future')")
            let roles = try await Pipeline.startRoles(of: system)
            let send = ["send", "orderUpdate", "--to", "reader", "--title", "T", "--channel", "inApp", "--wait", Pipeline.waitLimit]
            for arguments in [send, ["status"]] {
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 0, "\(arguments): \(result.output)\(result.errors)")
            }
            for command in ["migrate", "plan"] {
                let result = try await CommandLineTests.run(["db", command], system.environment)
                #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
                let answer = command == "plan" ? result.output : result.errors
                #expect(answer.contains("schema 999 is newer than this binary") && answer.contains("nothing was changed"), "\(result)")
            }
            let kept = try await system.count("select count(*) from tidings.reason_codes where meaning = 'Of the newer binary.'")
            #expect(kept == 1, "the older binary's migrator changes nothing")
            let doctor = try await CommandLineTests.run(["doctor", "-o", "json"], system.environment)
            #expect(doctor.output.contains("schemaNewer"), "\(doctor.output)")
            roles.signal(SIGTERM)
            let ended = await roles.finish()
            #expect(ended.exitCode == 0, "\(ended.errors)")

            _ = try await system.query(
                "insert into tidings.migrations (number, name, oldest_binary_schema) values (1000, 'takes away', 998)")
            for arguments in [["run", "all"], ["status"], ["why", "one"]] {
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 78 && result.output.isEmpty, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("1000 takes away excludes binaries before schema 998"), "\(result.errors)")
                #expect(result.errors.contains("use the newer binary"), "\(result.errors)")
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

    /// The export would end in the middle, with the error of the server.
    @Test func anExportRefusesADatabaseWithoutTheTablesOfAModule() async throws {
        try await withOwnSystem { system in
            let part = try #require(TestSystem.parts.first)
            for table in part.tableNames { _ = try await system.query("drop table tidings.\(unsafe: table) cascade") }
            let result = try await CommandLineTests.run(["recipient", "export", "ada"], system.environment)
            #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.errors)")
            #expect(result.errors.contains("lacks the tables of the module \(part.module): run tidings db migrate"), "\(result.errors)")
        }
    }

    /// Each step records the oldest binary that it allows, in its own transaction.
    @Test func theDatabaseNamesTheOldestBinary() async throws {
        let oldest = try #require(Migration.all.compactMap(\.oldestBinarySchema).max())
        #expect(Migration.all.allSatisfy { $0.kind == .expand || $0.oldestBinarySchema != nil }, "a contract step excludes somebody")
        try await withOwnSystem { system in
            let row = try await system.query(
                "select version, oldest_binary_schema, required_by like oldest_binary_schema || ' %' from tidings_ops.schema_version"
            ).rows[0].decode((Int32, Int32, Bool).self)
            #expect(row.0 == Int32(Migration.latest) && row.1 == Int32(oldest) && row.2, "\(row)")
            _ = try await system.query("delete from tidings.migrations where number = (select max(number) from tidings.migrations)")
            let old = try await CommandLineTests.run(["status"], system.environment)
            #expect(old.exitCode == 78 && old.errors.contains("schema 0, this binary needs \(Migration.latest)"), "\(old.errors)")
        }
    }

    /// A step may need a table that a long transaction uses. Meanwhile everybody else can use the table.
    @Test func migratingHoldsUpNobody() async throws {
        try await withOwnSystem { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            let reader = try await PostgresConnection.connect(configuration)
            _ = try await reader.query("begin")
            _ = try await reader.query("select count(*) from tidings.workers")

            let step = Migration(number: 1_000, name: "test", kind: .expand, sql: "alter table tidings.workers add column test integer")
            async let applied = Migrator(configuration, parts: [], steps: Migration.all + [step]).migrate()
            for _ in 0..<2 {
                let waits = try await system.eventually(
                    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
                ) { $0 > 0 }
                #expect(waits)
                // Stands behind the step that waits, which gives way.
                #expect(try await system.count("select count(*) from tidings.workers") == 0)
            }
            _ = try await reader.query("commit")
            await reader.close()
            #expect(try await applied.steps.map(\.number) == [1_000])
            #expect(try await system.count("select count(*) from tidings.workers where test = 1") == 0)
        }
    }

    /// Development versions before the first release numbered their steps from 1 to 30.
    @Test func aDatabaseOfADevelopmentVersionIsRefused() async throws {
        try await withOwnSystem { system in
            _ = try await system.query("delete from tidings.migrations")
            _ = try await system.query("insert into tidings.migrations (number, name, oldest_binary_schema) values (30, 'feedback', 25)")
            for arguments in [["db", "migrate"], ["db", "plan"], ["status"], ["run", "all"]] {
                // An early one: its view has no column for the oldest binary.
                if arguments == ["status"] {
                    _ = try await system.query("drop view tidings_ops.schema_version")
                    _ = try await system.query("create view tidings_ops.schema_version as select 30 as version")
                }
                let result = try await CommandLineTests.run(arguments, system.environment)
                #expect(result.exitCode == 78, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("schema 30 of a version before the first release"), "\(arguments): \(result.errors)")
                #expect(result.errors.split(separator: "\n").count == 1, "\(arguments): \(result.errors)")
            }
        }
    }

    /// Otherwise the server would go on with the step and its locks, for example an index that takes an hour.
    @Test func theStatementOfAKilledMigratorEnds() async throws {
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

    /// Something of another program has a name of the schema.
    @Test func aFailedStepSaysWhyAndChangesNothing() async throws {
        try await withOwnSystem { system in
            let name = "tidings_taken_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await system.query("create database \(unsafe: name)")
            var url = try #require(URLComponents(string: system.databaseURL))
            url.path = "/" + name
            let database = try #require(url.string)
            _ = try await TestSystem.query("create schema tidings_ops", at: database)
            _ = try await TestSystem.query("create view tidings_ops.schema_version as select 1 as version", at: database)
            let environment = system.environment.merging(["TIDINGS_DATABASE_URL": database]) { $1 }
            let result = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.errors)")
            #expect(result.errors.contains(#"42P07: relation "schema_version" already exists"#), "\(result.errors)")
            #expect(result.errors.contains("remove the cause"), "\(result.errors)")
            let isUntouched = try await TestSystem.query("select to_regclass('tidings.clock_offset') is null", at: database)
            #expect(try isUntouched.rows[0].decode(Bool.self))

            _ = try await TestSystem.query("drop view tidings_ops.schema_version", at: database)
            let again = try await CommandLineTests.run(["db", "migrate"], environment)
            #expect(again.exitCode == 0, "\(again.errors)")
            _ = try await system.query("drop database \(unsafe: name) with (force)")
        }
    }

    /// Two migrations start at the same time on an empty database. Each step is applied once.
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
            #expect(plan.output.contains("-- \(Migration.latest) baseline") && plan.output.contains("create table tidings.notifications"))
            let short = try await CommandLineTests.run(["db", "plan", "--short"], own)
            let all = try await system.count("select count(*) from tidings.migrations")
            #expect(short.output.split(separator: "\n").count == all + TestSystem.parts.count)

            async let first = CommandLineTests.run(["db", "migrate"], own)
            async let second = CommandLineTests.run(["db", "migrate"], own)
            for result in [try await first, try await second] { #expect(result.exitCode == 0, "\(result.errors)") }

            let after = try await CommandLineTests.run(["db", "plan"], own)
            #expect(after.exitCode == 0 && after.output.hasSuffix(": nothing to do\n"), "\(after.output)\(after.errors)")
            #expect(try await CommandLineTests.run(["notification", "list"], own).exitCode == 0)
            _ = try await system.query("drop database \(unsafe: name) with (force)")
        }
    }
}
