import ArgumentParser
import TidingsJSON
import TidingsModules
import TidingsServer
import TidingsStore

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "db", abstract: "The schema, its rights and its audit.",
        subcommands: [Plan.self, Migrate.self, Grant.self, Verify.self, SQLText.self, AcceptTimeline.self])

    struct Plan: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan", abstract: "The migrations to apply and the rights to give, with their SQL.")
        @Flag(help: "Names only.") var short = false

        mutating func run(in context: CommandContext) async throws {
            let plan = try await onSchema { try await context.migrator(try Settings.read(needsBroker: false)).plan() }
            let grants = plan.version > Migration.latest ? [] : plan.missing.sentences
            if plan.steps.isEmpty, plan.parts.isEmpty, grants.isEmpty { return Output.data("-- " + Self.nothingToDo(at: plan.version)) }
            for statement in plan.creationStatements { Output.data("-- first, an administrator of PostgreSQL runs: \(statement)") }
            for migration in plan.steps {
                Output.data("-- \(migration.number) \(migration.name) (\(Self.kind(of: migration)))")
                if !short { Output.data(migration.sql) }
            }
            for part in plan.parts { Output.data(Self.text(of: part, short: short)) }
            for sentence in grants { Output.data("-- rights: \(sentence)") }
            if !short { Output.data(Self.rights(in: context)) }
        }

        /// The SQL of the rights, which comes after every migration.
        static func rights(in context: CommandContext) -> String {
            "-- rights of the roles: this part may run again\n\(MigrationPlan.rights(with: context.modules.schemaParts))"
        }

        /// The tables of a module, which come after every migration.
        static func text(of part: SchemaPart, short: Bool = false) -> String {
            "-- the tables of the module \(part.module)" + (short ? "" : "\n\(part.creation)")
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
            commandName: "migrate", abstract: "Apply the missing migrations, and give the roles of PostgreSQL their rights.",
            discussion: """
                The user must own the schema. The first migration creates it, which needs the right to create in the database. If the \
                user may not create a role or give a right, the command says what an administrator has to run, and exits with 1. If two \
                processes migrate at once, one waits for the other.
                """)

        mutating func run(in context: CommandContext) async throws {
            let migrator = context.migrator(try Settings.read(needsBroker: false))
            let result = try await onSchema { try await migrator.migrate { Output.note("\($0.number) \($0.name)") } }
            if !result.steps.isEmpty {
                Output.note("schema \(result.version)")
            } else if result.hasGranted {
                Output.note("schema \(result.version): rights were missing and were given")
            } else if result.missing?.isEmpty ?? true {
                Output.note(Plan.nothingToDo(at: result.version))
            }
            for part in result.parts { Output.note("the tables of the module \(part.module)") }
            if let note = result.missing?.note { Output.note(note) }
            if let failure = result.missing?.failure { throw failure }
        }
    }

    struct Grant: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Create the roles of PostgreSQL that are missing, and give each role its rights.",
            discussion: """
                The user must own the schema. The command may run at any time and any number of times. It prints the rights that it could \
                not give, says what an administrator has to run, and then exits with 1.
                """)
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let missing = try await onSchema { try await context.migrator(try Settings.read(needsBroker: false)).grant() }
            Output.faults(missing.rights.map(\.json), as: output.format, sound: "every role has its rights")
            if let note = missing.note { Output.note(note) }
            if let failure = missing.failure { throw failure }
        }
    }

    struct Verify: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Audit row by row that every delivery is in exactly one place, and recount every inbox.",
            discussion: "The command reads everything. It exits with 1 if something is wrong.")
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let problems = try await onSchema {
                try await withStore { store, _ in
                    try await store.operations.audit { Output.note("\($0) notifications compared") }
                        + (try await store.operations.auditInboxes { Output.note("\($0) inboxes recounted") })
                        + (try await store.operations.unaccounted())
                }
            }
            Output.faults(
                problems, as: output.format,
                sound: "every delivery is in exactly one place, every inbox has its counts, and the sums agree")
            if !problems.isEmpty { throw Failure(.bad, "\(problems.count) problems") }
        }
    }

    struct SQLText: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "sql", abstract: "The SQL of the migrations and of the rights, for review.")
        @Argument(help: "Only this number.") var number: Int?

        mutating func run(in context: CommandContext) async throws {
            if let number, !Migration.all.contains(where: { $0.number == number }) {
                throw Failure(
                    .data, "there is no migration \(number)", hint: "the latest is \(Migration.latest); without a number, all are printed")
            }
            for migration in Migration.all where number == nil || number == migration.number {
                Output.data("-- \(migration.number) \(migration.name) (\(Plan.kind(of: migration)))\n\(migration.sql)")
            }
            guard number == nil else { return }
            for part in context.modules.schemaParts { Output.data(Plan.text(of: part)) }
            Output.data(Plan.rights(in: context))
        }
    }
}

/// Runs the statements of a `db` command. The failure of a refused statement has the message of the server, and never exit code 1.
private func onSchema<Result: Sendable>(_ statements: () async throws -> Result) async throws -> Result {
    do { return try await statements() } catch { throw Failure.ofSchema(error) }
}

extension MissingRight {
    fileprivate var json: JSON {
        ["role": .string(role), "kind": .string(kind.rawValue), "object": .string(object), "right": .string(right)]
    }
}
