import ArgumentParser
import TidingsAMQP
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

extension CatalogueCommand {
    struct Apply: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply", abstract: "Check a file, declare its queues where they are missing, and make it the active catalogue.",
            discussion: """
                A bad file never replaces a good one. A type, provider or market that the file lacks is listed with the work that waits for
                it. Without --remove it is not removed. Unused types of the built-in catalogue need no --remove.
                """)
        @Argument(help: "A YAML file, or - for standard input.") var file: String
        @Flag(help: .strictCatalogue) var strict = false
        @OptionGroup var change: CatalogueChangeOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (file, strict, waits, format) = (file, strict, change.wait, output.format)
            let change = try change.checked(.apply)
            try await withStore { store, settings in
                let catalogue = try await readCatalogue(file, context, settings.environment, strict: strict)
                try await activate(catalogue, by: change, waits: waits, in: store, settings, as: format)
            }
        }
    }

    struct Rollback: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollback", abstract: "Make an earlier catalogue active again: the one before, or one of the history.",
            discussion: """
                The earlier catalogue is checked as a new file is, and removes nothing without --remove. A second rollback goes further
                back. Decisions that were made in the meantime do not change.
                """)
        @Argument(
            help: "The beginning of a hash, as `tidings catalogue history` prints it; by default the catalogue before the active one.")
        var hash: String?
        @Flag(help: .strictCatalogue) var strict = false
        @OptionGroup var change: CatalogueChangeOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (strict, waits, format) = (strict, change.wait, output.format)
            guard change.reason != nil else { throw Failure(.usage, "--reason is missing: the history shows it to explain the change") }
            let prefix = try hash.map(CatalogueHash.checked)
            let asked = try change.checked(.rollback)
            try await withStore { store, settings in
                var (change, prefix) = (asked, prefix)
                if prefix == nil {
                    let found = try await store.catalogues.before()
                    guard let found, let before = found.before else {
                        throw Failure(.bad, "no catalogue before the active one is known", hint: "tidings catalogue history")
                    }
                    prefix = before
                    // Expect the active catalogue: if somebody applies another meanwhile, the catalogue before it is no longer the wanted
                    // one.
                    change = CatalogueChange(
                        .rollback, author: asked.author, reason: asked.reason, mayRemove: asked.mayRemove, expected: found.active)
                }
                guard let kept = try await KeptCatalogue(beginning: prefix, in: store) else { return }
                let verdict = await CatalogueVerdict.of(kept.yaml, context, settings.environment, isStrict: strict)
                let catalogue = try verdict.accepted(from: "catalogue \(kept.hash.prefix(16))")
                try await activate(catalogue, by: change, waits: waits, in: store, settings, as: format)
            }
        }
    }

    struct History: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "history", abstract: "The catalogues that were active: when, by whom and why.")
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (limit, format) = (list.limit, output.format)
            try await withStore { store, _ in
                let rows = try await store.catalogues.history(limit: limit)
                let shown = try format == .text ? rows.map { try Self.shown($0) } : rows
                Output.list(shown, as: format, empty: "no catalogue was applied; the built-in one is active")
            }
        }

        /// A row of the history for people. The hash is cut to 16 digits, as other commands print it.
        static func shown(_ row: JSON) throws(ReportError) -> JSON {
            var object = JSONObject()
            let hash: String = try row.column("hash")
            object["hash"] = .string(String(hash.prefix(16)))
            for name in ["activated_at", "ended_at", "action", "author", "database_role", "reason"] {
                object[name] = try row.column(name, as: JSON.self)
            }
            return .object(object)
        }
    }

    /// Makes a checked catalogue the active one.
    /// Throws a ``Failure`` with exit code 65 if the catalogue would remove something and the change does not allow it. With `waits`, throws
    /// a failure with exit code 75 if a process does not follow the catalogue soon.
    fileprivate static func activate(
        _ catalogue: Catalogue, by change: CatalogueChange, waits: Bool, in store: Store, _ settings: Settings, as format: OutputFormat
    ) async throws {
        // Compare first: queues declared for a refused catalogue would stay behind. The transaction compares again, and its result counts.
        if !change.mayRemove {
            let lost = try await store.catalogues.lost(by: catalogue, builtIn: .ofBinary)
            guard lost.isEmpty else { throw refusal(lost, of: catalogue, as: format) }
        }
        let control = try AMQPControl.make(configuration: try settings.amqp, connectionName: "tidings catalogue \(change.action.rawValue)")
        do {
            try await Topology(of: catalogue).declareOrFind(on: control)
            await control.close()
        } catch {
            await control.close()
            throw error
        }
        let name = "\(catalogue.types.count) types, hash \(catalogue.hash.prefix(16))"
        let activation = try await store.catalogues.activate(catalogue, by: change, builtIn: .ofBinary)
        switch activation {
        case .activated, .alreadyActive: if waits { try await waitForProcesses(to: catalogue.hash, in: store) }
        case .refused, .unreadable, .overtaken: break
        }
        switch activation {
        case .activated(let replaced, let removals):
            if format != .text { return Output.one(json(catalogue, replaced: replaced, removals), as: format) }
            for removal in removals { Output.note("removed \(removal)") }
            Output.note("active: \(name); \(waits ? "every running process follows it" : "roles follow within a second")")
        case .alreadyActive:
            if format != .text { return Output.one(json(catalogue, replaced: nil, []), as: format) }
            Output.note("active already: \(name)")
        case .refused(let lost): throw refusal(lost, of: catalogue, as: format)
        case .unreadable(let problems):
            throw Failure(
                .config, "this binary cannot read the active catalogue, so it does not know what it would remove: \(problems)",
                hint: "use the newer binary, or replace the active catalogue without a check: --remove")
        case .overtaken(let hash):
            throw Failure(.bad, "catalogue \(hash.prefix(16)) was made active meanwhile", hint: "tidings catalogue history")
        }
    }

    /// The longest wait of `--wait`. A process follows within a second, unless it cannot reach a server.
    private static let followLimit = Duration.seconds(10)
    /// The pause between two looks: a person does not notice so short a delay.
    private static let look = Duration.milliseconds(50)

    private static func waitForProcesses(to hash: String, in store: Store) async throws {
        let deadline = ContinuousClock.now + followLimit
        var behind = try await store.catalogues.processesWithout(hash)
        while !behind.isEmpty {
            guard ContinuousClock.now < deadline else {
                throw Failure(
                    .timedOut, "the catalogue is active, but \(behind.joined(separator: ", ")) did not follow it within \(followLimit)",
                    hint: "tidings status shows whether these processes run; see their logs")
            }
            // Poll: a heartbeat signals nobody.
            try await Task.sleep(for: look)
            behind = try await store.catalogues.processesWithout(hash)
        }
    }

    private static func refusal(_ lost: [CatalogueRemoval], of catalogue: Catalogue, as format: OutputFormat) -> Failure {
        if format != .text {
            var object = json(catalogue, replaced: nil, lost).objectValue ?? JSONObject()
            object["active"] = false
            Output.one(.object(object), as: format)
        }
        return Failure(
            .data, "these entries of the active catalogue would be removed:\n  " + lost.map(\.description).joined(separator: "\n  "),
            hint: "keep these entries in the file (tidings catalogue show prints them), or remove all of them: --remove")
    }

    private static func json(_ catalogue: Catalogue, replaced: String?, _ removals: [CatalogueRemoval]) -> JSON {
        [
            "hash": .string(catalogue.hash), "active": true, "replaced": replaced.map { .string($0) } ?? .null,
            "types": .number(JSONNumber(Int64(catalogue.types.count))), "removals": .array(removals.map(\.json)),
        ]
    }
}

/// The options of every change of the active catalogue.
struct CatalogueChangeOptions: ParsableArguments {
    @Flag(help: "Remove types, providers and markets that the new catalogue lacks, even if something waits for them.") var remove = false
    @Flag(help: "Return when every running process follows the catalogue; exit 75 when one does not within 10 s.") var wait = false
    @Option(help: "The reason for the change, as the history shows it.") var reason: String?
    @OptionGroup var author: PauseAuthor

    /// The longest reason in bytes. A reason stands in a table's cell and is kept for ever.
    private static let longestReason = 500

    /// Throws a ``Failure`` with exit code 65 for a reason or an author that cannot be stored.
    func checked(_ action: CatalogueChange.Action) throws -> CatalogueChange {
        if let reason {
            guard reason.contains(where: { !$0.isWhitespace }), reason.utf8.count <= Self.longestReason, !reason.contains("\0") else {
                throw Failure(.data, "--reason must be a text of 1 to \(Self.longestReason) bytes")
            }
        }
        return CatalogueChange(action, author: try author.checked(), reason: reason, mayRemove: remove)
    }
}
