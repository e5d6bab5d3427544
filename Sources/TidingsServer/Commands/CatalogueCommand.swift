import ArgumentParser
import TidingsAMQP
import TidingsCore
import TidingsProvider
import TidingsStore
import TidingsWire

struct CatalogueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Types, categories, markets and providers.",
        subcommands: [Check.self, Apply.self, Show.self, Diff.self])

    struct Check: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check a file: every problem with its place. Needs no server.")
        @Argument(help: "A YAML file, or - for standard input.") var file: String
        @Flag(help: .strictCatalogue) var strict = false

        mutating func run(in context: CommandContext) async throws {
            let catalogue = try await readCatalogue(file, context, Settings.processEnvironment(), strict: strict)
            Output.note("\(file): \(catalogue.types.count) types, hash \(catalogue.hash.prefix(16))")
        }
    }

    struct Apply: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract:
                "Check a file, store it, declare its queues where they are missing and make it the active one. A bad file never replaces a good one."
        )
        @Argument(help: "A YAML file, or - for standard input.") var file: String
        @Flag(help: .strictCatalogue) var strict = false

        mutating func run(in context: CommandContext) async throws {
            let (file, strict) = (file, strict)
            try await withStore { store, settings in
                let catalogue = try await readCatalogue(file, context, settings.environment, strict: strict)
                let control = AMQPControl(configuration: settings.amqp, connectionName: "tidings catalogue apply")
                do {
                    try await Topology(of: catalogue).declareOrFind(on: control)
                    await control.close()
                } catch {
                    await control.close()
                    throw error
                }
                try await store.activate(catalogue)
                Output.note("active: \(catalogue.types.count) types, hash \(catalogue.hash.prefix(16)); roles follow within a second")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "The active catalogue as YAML; the built-in one where no server is configured.")
        @Flag(help: "The built-in one, whatever is active.") var builtIn = false

        mutating func run(in context: CommandContext) async throws {
            guard !builtIn, (try? Settings.read()) != nil else {
                return Output.data(CatalogueFile.print(CatalogueFile.sealed(.builtIn)))
            }
            try await withStore { store, _ in Output.data(CatalogueFile.print(try await CatalogueSource(store).current.catalogue)) }
        }
    }

    struct Diff: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "How a file differs from the active catalogue, first in words, then line by line. Exit 1 when it does.")
        @Argument(help: "A YAML file, or - for standard input.") var file: String

        mutating func run(in context: CommandContext) async throws {
            let file = file
            try await withStore { store, settings in
                let new = try await readCatalogue(file, context, settings.environment)
                let old = try await CatalogueSource(store).current.catalogue
                let lines = LineDifference.lines(from: CatalogueFile.print(old), to: CatalogueFile.print(new))
                for sentence in CatalogueDifference(from: old, to: new).sentences { Output.data(sentence) }
                if !lines.isEmpty { Output.data("") }
                for line in lines { Output.data(line) }
                if !lines.isEmpty { throw Failure(.bad, "the file differs from the active catalogue") }
            }
        }
    }
}

extension ArgumentHelp {
    fileprivate static let strictCatalogue: ArgumentHelp = "Also refuse what is only missing here, such as a secret that the roles have."
}

/// Parses and compiles a catalogue, and makes each of its providers once; throws a ``Failure`` that lists every problem.
///
/// - Parameter strict: takes for a problem, too, what the environment or a file is to give and is not here. Otherwise it is a note: it may be where
///   the roles run, and a provider that lacks it ends its own deliveries as misconfigured and nobody else's.
func readCatalogue(
    _ file: String, _ context: CommandContext, _ environment: [String: String], strict: Bool = false
) async throws -> Catalogue {
    guard let bytes = readBytes(file) else { throw Failure(.data, "cannot read \(file)") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(.data, "\(file) is not UTF-8") }
    do {
        let compiled = try CompiledCatalogue(CatalogueFile.sealed(CatalogueFile.parse(yaml: text)))
        let problems = await context.providers.problems(of: compiled.catalogue, environment: environment)
        let mistakes = problems.filter { strict || !$0.isMissing }
        guard mistakes.isEmpty else { throw Failure(.data, mistakes.map(\.description).joined(separator: "\n  ")) }
        for problem in problems { Output.note("note: here, \(problem); where the roles lack it too, its deliveries end as misconfigured") }
        return compiled.catalogue
    } catch let error as CatalogueProblems {
        throw Failure(.data, "\(file): " + error.problems.map { "\($0.path): \($0.message)" }.joined(separator: "\n  "))
    }
}

/// Two texts line by line: what is only in the old with `-`, only in the new with `+`.
enum LineDifference {
    static func lines(from old: String, to new: String) -> [String] {
        let (before, after) = (
            old.split(separator: "\n", omittingEmptySubsequences: false), new.split(separator: "\n", omittingEmptySubsequences: false)
        )
        return after.difference(from: before).map { change in
            switch change {
            case .remove(let offset, let line, _): (offset, 0, "- \(line)")
            case .insert(let offset, let line, _): (offset, 1, "+ \(line)")
            }
        }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }
}
