import ArgumentParser
import TidingsStore
import TidingsWire

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "The schema and its audit.", subcommands: [Plan.self, Migrate.self, Verify.self, SQLText.self])

    struct Plan: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "plan", abstract: "What migrate would apply, with its SQL.")
        @Flag(help: "Names only.") var short = false

        mutating func run(in context: CommandContext) async throws {
            let plan = try await Migrator(try Settings.read().database).plan()
            if plan.isEmpty { Output.note("schema \(Migration.latest): nothing to do") }
            for migration in plan {
                Output.data("-- \(migration.number) \(migration.name) (\(migration.kind.rawValue))")
                if !short { Output.data(migration.sql) }
            }
        }
    }

    struct Migrate: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate", abstract: "Apply what is missing. Two at once wait for each other.")

        mutating func run(in context: CommandContext) async throws {
            let applied = try await Migrator(try Settings.read().database).migrate { Output.note("\($0.number) \($0.name)") }
            Output.note("schema \(Migration.latest)" + (applied.isEmpty ? ": nothing to do" : ""))
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
                Output.list(problems, as: format, empty: "every delivery is in exactly one place, and the sums agree")
                if !problems.isEmpty { throw Failure(.bad, "\(problems.count) problems") }
            }
        }
    }

    struct SQLText: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "sql", abstract: "The SQL of the migrations, for review.")
        @Argument(help: "Only this number.") var number: Int?

        mutating func run(in context: CommandContext) async throws {
            for migration in Migration.all where number == nil || number == migration.number {
                Output.data("-- \(migration.number) \(migration.name) (\(migration.kind.rawValue))\n\(migration.sql)")
            }
        }
    }
}
