import ArgumentParser
import TidingsServer
import TidingsStore

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "The schema and its audit.", subcommands: [Plan.self, Migrate.self, Verify.self, SQLText.self])

    struct Plan: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "plan", abstract: "The migrations to apply, with their SQL.")
        @Flag(help: "Names only.") var short = false

        mutating func run(in context: CommandContext) async throws {
            let migrator = Migrator(try Settings.read(needsBroker: false).database)
            let plan = try await migrator.plan()
            if plan.steps.isEmpty { Output.data("-- " + Self.nothingToDo(at: plan.version)) }
            for migration in plan.steps {
                Output.data("-- \(migration.number) \(migration.name) (\(Self.kind(of: migration)))")
                if !short { Output.data(migration.sql) }
            }
        }

        /// The kind of a migration. If the migration excludes older binaries, the text also names the oldest schema whose binaries may
        /// start.
        static func kind(of migration: Migration) -> String {
            migration.kind.rawValue + (migration.oldestBinarySchema.map { ", binaries from schema \($0) on" } ?? "")
        }

        static func nothingToDo(at version: Int) -> String {
            version > Migration.latest
                ? "schema \(version) is newer than this binary, which knows \(Migration.latest): nothing was changed"
                : "schema \(version): nothing to do"
        }
    }

    struct Migrate: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate", abstract: "Apply the missing migrations. If two processes migrate at once, one waits for the other.")

        mutating func run(in context: CommandContext) async throws {
            let migrator = Migrator(try Settings.read(needsBroker: false).database)
            let result = try await migrator.migrate { Output.note("\($0.number) \($0.name)") }
            Output.note(result.steps.isEmpty ? Plan.nothingToDo(at: result.version) : "schema \(result.version)")
        }
    }

    struct Verify: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Audit row by row that every delivery is in exactly one place. Reads everything; exit 1 when something is wrong.")
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let format = output.format
            try await withStore { store, _ in
                let problems = try await store.audit { Output.note("\($0) notifications compared") } + (try await store.unaccounted())
                Output.faults(problems, as: format, sound: "every delivery is in exactly one place, and the sums agree")
                if !problems.isEmpty { throw Failure(.bad, "\(problems.count) problems") }
            }
        }
    }

    struct SQLText: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "sql", abstract: "The SQL of the migrations, for review.")
        @Argument(help: "Only this number.") var number: Int?

        mutating func run(in context: CommandContext) async throws {
            if let number, !Migration.all.contains(where: { $0.number == number }) {
                throw Failure(
                    .data, "there is no migration \(number)", hint: "the latest is \(Migration.latest); without a number, all are printed")
            }
            for migration in Migration.all where number == nil || number == migration.number {
                Output.data("-- \(migration.number) \(migration.name) (\(Plan.kind(of: migration)))\n\(migration.sql)")
            }
        }
    }
}
