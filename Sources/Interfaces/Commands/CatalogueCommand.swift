import ArgumentParser
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Types, categories, markets and providers.",
        subcommands: [Check.self, Apply.self, Show.self, Diff.self, History.self, Rollback.self])

    struct Check: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check a file: every problem with its place. Needs no server.",
            discussion: """
                A {{placeholder}} of a title, body or deepLink must be declared by its type's schema. Warnings, such as a placeholder that may be
                empty, are printed on standard error. Exit 65 for a problem.
                """)
        @Argument(help: "A YAML file, or - for standard input.") var file: String
        @Flag(help: .strictCatalogue) var strict = false
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let verdict = await CatalogueVerdict.of(
                try readCatalogueFile(file), context, Settings.processEnvironment(), isStrict: strict)
            guard output.format == .text else {
                Output.one(verdict.json(of: file), as: output.format)
                if !verdict.problems.isEmpty { throw Failure(.data, "\(file) has \(verdict.problems.count) problems") }
                return
            }
            let catalogue = try verdict.accepted(from: file)
            Output.note("\(file): \(catalogue.types.count) types, hash \(catalogue.hash.prefix(16))")
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "A catalogue as YAML: the active one, or an earlier one by its hash.",
            discussion: """
                Standard error names the catalogue. Without a configured server it is the built-in catalogue, not a server's own. If you
                apply a file that was made from the built-in catalogue, the file replaces the active one.
                """)
        @Argument(help: "The beginning of a hash, as `tidings catalogue history` prints it.") var hash: String?
        @Flag(help: "Show the built-in catalogue, not the active one.") var builtIn = false

        mutating func run(in context: CommandContext) async throws {
            guard !builtIn || hash == nil else { throw Failure(.usage, "--built-in takes no hash") }
            if builtIn { return Self.show(CatalogueFile.print(CatalogueFile.sealed(.ofBinary)), "the built-in catalogue") }
            let environment = try DevelopmentHome(path: DevelopmentHome.defaultPath).environment(over: Settings.processEnvironment())
            // With one address alone, or a wrong one, fail: a user would take the built-in catalogue for the servers' own.
            if hash == nil, environment["TIDINGS_DATABASE_URL"] == nil, environment["TIDINGS_AMQP_URL"] == nil {
                return Self.show(
                    CatalogueFile.print(CatalogueFile.sealed(.ofBinary)), "the built-in catalogue; no servers are configured")
            }
            let prefix = try hash.map(CatalogueHash.checked)
            try await withStore { store, _ in
                guard let kept = try await KeptCatalogue(beginning: prefix, in: store) else {
                    return Self.show(
                        CatalogueFile.print(CatalogueFile.sealed(.ofBinary)), "the built-in catalogue; none was applied to this database")
                }
                Self.show(kept.yaml, kept.description)
            }
        }

        private static func show(_ yaml: String, _ description: String) {
            Output.note(description)
            Output.data(CatalogueFile.shown(yaml))
        }
    }

    struct Diff: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "How a file differs from the active catalogue, and whether that breaks producers. Exit 1 when it differs.",
            discussion: "Prints the changes in words, then what breaks for producers, then the changed lines with their context.")
        @Argument(help: "A YAML file, or - for standard input.") var file: String
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (file, format) = (file, output.format)
            try await withStore { store, settings in
                let new = try await readCatalogue(file, context, settings.environment)
                let (old, name) = try await Self.active(in: store)
                let difference = CatalogueComparison(from: old, name, to: new, file)
                difference.print(as: format)
                if difference.differs { throw Failure(.bad, "the file differs from the active catalogue") }
            }
        }

        private static func active(in store: Store) async throws -> (Catalogue, String) {
            guard let kept = try await KeptCatalogue(beginning: nil, in: store) else {
                return (CatalogueFile.sealed(.ofBinary), "the built-in catalogue")
            }
            do {
                return (try CatalogueFile.parse(yaml: kept.yaml), "active \(kept.hash.prefix(16))")
            } catch {
                throw Failure(.config, "the active catalogue cannot be read by this binary: \(error)", hint: "use the newer binary")
            }
        }
    }
}

extension ArgumentHelp {
    static let strictCatalogue: ArgumentHelp = "Also refuse if something is missing only here, such as a secret that the roles have."
}

/// The hash of a catalogue, or its beginning, as a user types it.
enum CatalogueHash {
    /// The fewest digits. A shorter beginning soon names more than one catalogue.
    private static let shortest = 6

    /// Returns the hash in lower case. Throws a ``Failure`` with exit code 65 if no hash can begin like this.
    static func checked(_ text: String) throws -> String {
        let hash = text.lowercased()
        guard (shortest...64).contains(hash.utf8.count), hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
            throw Failure(
                .data, "\(Table.cell(.string(text))) is no hash of a catalogue: \(shortest) to 64 digits of 0-9 and a-f",
                hint: "tidings catalogue history")
        }
        return hash
    }
}

/// A catalogue that the database keeps.
struct KeptCatalogue: Sendable, CustomStringConvertible {
    let hash: String
    let yaml: String
    private let isActive: Bool
    /// The time of the last activation as PostgreSQL writes it. Nil if the catalogue was never active. ``author`` too.
    private let activatedAt: String?
    private let author: String?
    /// Nil also if the author gave none.
    private let reason: String?

    init(_ row: JSON) throws(ReportError) {
        hash = try row.column("hash")
        yaml = try row.column("yaml")
        isActive = try row.column("active")
        activatedAt = try row.column("activated_at")
        author = try row.column("author")
        reason = try row.column("reason")
    }

    /// Reads the catalogue whose hash begins with `prefix`. Without a prefix, reads the active catalogue; nil while none is active.
    /// Throws a ``Failure`` with exit code 1 if no catalogue, or more than one, has a hash with this beginning.
    init?(beginning prefix: String?, in store: Store) async throws {
        let rows = try await store.catalogues.kept(beginning: prefix)
        if let prefix, rows.count != 1 {
            let what = rows.isEmpty ? "no catalogue that is kept has" : "more than one catalogue has"
            throw Failure(.bad, "\(what) a hash that begins with \(prefix)", hint: "tidings catalogue history")
        }
        guard let row = rows.first else { return nil }
        try self.init(row)
    }

    /// The catalogue's hash and its place in the history, in one line.
    var description: String {
        let name = "catalogue \(hash.prefix(16))"
        guard let activatedAt else { return "\(name), never applied" }
        let reason = reason.map { ": \($0)" } ?? ""
        let since = isActive ? "active since" : "not active, last made active"
        return "\(name), \(since) \(activatedAt) by \(author ?? "unknown")" + Table.plain(.string(reason))
    }
}
