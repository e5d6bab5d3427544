public import ArgumentParser
import Glibc
import Logging
import Synchronization
import TidingsCore
import TidingsJSON
package import TidingsModules
import TidingsPostgres
public import TidingsServer
public import TidingsStore

/// The parts that the executable gives to every command: the providers, modules and roles that are linked.
public struct CommandContext: Sendable {
    public let providers: ProviderRegistry
    package let modules: Modules
    /// The HTTP API. Nil in a binary without it.
    public let api: APIRoleMaker?

    /// - Parameter projections: the projections of a binary of your own. The built-in modules have theirs, and no two have the same name.
    public init(providers: ProviderRegistry, projections: [any Projection] = [], api: APIRoleMaker? = nil) {
        self.providers = providers
        modules = Modules(Modules.builtIn, projections: projections)
        self.api = api
    }

    /// The migrator of the schema, with the tables of the modules.
    package func migrator(_ settings: Settings) -> Migrator { Migrator(settings.database, parts: modules.schemaParts) }
}

/// A command of Tidings. The command runs with the context. Any error that it throws becomes one line and an exit code.
///
/// Each command sets its `commandName`. Without it, the parser makes a name from the type and searches the conformances of the whole binary
/// for it, for every command at every start. Together the searches take a quarter of the time of `tidings --version`.
public protocol TidingsCommand: AsyncParsableCommand {
    mutating func run(in context: CommandContext) async throws
}

extension TidingsCommand {
    public mutating func run() async throws {
        preconditionFailure("commands run through TidingsTool.main")
    }
}

/// The command line tool.
public enum TidingsTool {
    private static let optional = Mutex<(first: [any ParsableCommand.Type], last: [any ParsableCommand.Type])>(([], []))

    /// Commands of optional parts, which stand before and after all others in the help. Set once before parsing.
    static var optionalCommands: (first: [any ParsableCommand.Type], last: [any ParsableCommand.Type]) { optional.withLock { $0 } }

    /// Parses the arguments, runs the command and ends the process.
    ///
    /// - Parameters:
    ///   - first: commands of optional parts that stand before all others in the help, such as `DevCommand` of TidingsDev.
    ///   - additional: commands of optional parts that stand after all others.
    public static func main(
        _ context: CommandContext, first: [any ParsableCommand.Type] = [], additional: [any ParsableCommand.Type] = []
    ) async -> Never {
        // The Swift runtime opens two file descriptors with its first timer, and ends the process if it cannot. Sleep first, so that the
        // runtime gets them before this process opens any. A process without enough descriptors can then still say what is missing.
        try? await Task.sleep(for: .nanoseconds(1))
        signal(SIGPIPE, SIG_IGN)
        optional.withLock { $0 = (first, additional) }
        do {
            let log = try LogSettings(environment: Settings.processEnvironment())
            LoggingSystem.bootstrap { StandardErrorLog(label: $0, level: log.level, format: log.format) }
            try Root.checkNames(in: Array(CommandLine.arguments.dropFirst()))
            var command = try Root.parseAsRoot()
            if var ours = command as? any TidingsCommand {
                try await ours.run(in: context)
            } else if var another = command as? any AsyncParsableCommand {
                try await another.run()
            } else {
                try command.run()
            }
        } catch let error where Root.exitCode(for: error) == .success {
            // The help, the version, or a script for a shell.
            let text = Root.fullMessage(for: error)
            if !text.isEmpty { Output.data(text) }
            ProcessEnd.now(0)
        } catch let error where Root.isUsage(error) {
            Output.note(Root.usageText(of: error))
            ProcessEnd.now(Root.exitCode(for: error).rawValue)
        } catch {
            let failure = Failure(error)
            Output.note("tidings: \(failure.message)")
            if let hint = failure.hint { Output.note("  \(hint)") }
            ProcessEnd.now(failure.code.rawValue)
        }
        ProcessEnd.now(0)
    }
}

struct Root: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        let optional = TidingsTool.optionalCommands
        return CommandConfiguration(
            commandName: "tidings",
            abstract:
                "Decides, delivers and explains notifications: producers publish intents to RabbitMQ, every result is a row in PostgreSQL.",
            version: TidingsVersion.current,
            subcommands: optional.first + [
                RunCommand.self, SendCommand.self, WhyCommand.self, SimulateCommand.self, StatusCommand.self, FindCommand.self,
                PauseCommand.self, ResumeCommand.self, NotificationCommand.self, DeliveryCommand.self, DeadCommand.self,
                RejectedCommand.self, ReconcileCommand.self, RecipientCommand.self, DeviceCommand.self, AddressCommand.self,
                CatalogueCommand.self, DatabaseCommand.self, DoctorCommand.self, QueueCommand.self, ConfigCommand.self, TokenCommand.self,
                KeyCommand.self,
            ] + optional.last)
    }

    /// Throws if the arguments name a command that does not exist. The parser would call the name an unexpected argument. After `help` it
    /// would print the help of the whole tool without an error.
    static func checkNames(in arguments: [String]) throws {
        let isHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = Root.self
        for name in arguments.dropFirst(isHelp ? 1 : 0) {
            if name.hasPrefix("-") {
                // The options of a command follow its name.
                guard isHelp else { return }
                continue
            }
            let configuration = command.configuration
            // A word after a command without subcommands, or with a default subcommand, is an argument of that command.
            guard !configuration.subcommands.isEmpty, configuration.defaultSubcommand == nil else { return }
            guard let next = configuration.subcommands.first(where: { $0.configuration.commandName == name }) else {
                if name == "help" { return }
                throw unknown(name, among: configuration.subcommands.compactMap { $0.configuration.commandName }, isHelp: isHelp)
            }
            command = next
        }
    }

    private static func unknown(_ name: String, among names: [String], isHelp: Bool) -> any Error {
        let problem = "there is no command \(Table.cell(.string(name)))"
        let hint =
            NearestName.of(name, among: names).map { "did you mean \($0)?" }
            ?? (name == "version" ? "tidings --version prints it" : "tidings --help lists the commands")
        // The parser prints a validation error with the usage, as it does for each other mistake in the arguments.
        return isHelp ? Failure(.usage, problem, hint: hint) : ValidationError("\(problem); \(hint)")
    }

    /// The parser's words and the usage, behind the name of the tool like every other error.
    static func usageText(of error: any Error) -> String {
        let (text, label) = (fullMessage(for: error), "Error: ")
        return text.hasPrefix(label) ? "tidings: \(text.dropFirst(label.count))" : text
    }

    /// Whether the error is one of the argument parser, which comes with the usage.
    static func isUsage(_ error: any Error) -> Bool {
        exitCode(for: error) == .validationFailure || error is CleanExit || error is ValidationError
    }
}

extension OutputFormat: ExpressibleByArgument {}

/// The options of every command that prints data.
package struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")], help: "text, json (an array for a list, an object for one result) or jsonl."
    )
    package var format = OutputFormat.text

    package init() {}
}

/// Opens the store for a command, runs the command and closes the store.
/// The command may do without a broker: `settings.amqp` throws if none is configured.
///
/// - Parameters:
///   - limit: the longest wait for a connection, and for each statement, if it is less than the standard.
///   - parts: the parts of modules whose tables the command reads. If one is missing, the error says how to create it.
func withStore<Result: Sendable>(
    within limit: Duration? = nil, requiring parts: [SchemaPart] = [], _ body: (Store, Settings) async throws -> Result
) async throws -> Result {
    let settings = try Settings.read(needsBroker: false)
    var (database, patience) = (settings.database, PostgresPool.standardAcquireTimeout)
    if let limit {
        database.connectTimeout = min(database.connectTimeout, limit)
        database.statementTimeout = min(database.statementTimeout, limit)
        patience = min(patience, limit)
    }
    let store = Store(database, size: 2, name: "tidings cli", acquireTimeout: patience, log: ConnectNote(for: patience).note)
    do {
        let schema = try await store.open()
        try await store.requireTables(of: parts, onSchema: schema)
        let result = try await body(store, settings)
        await store.close()
        return result
    } catch {
        await store.close()
        throw error
    }
}
