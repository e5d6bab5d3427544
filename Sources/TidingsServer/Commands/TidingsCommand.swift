public import ArgumentParser
import Glibc
import Logging
import Synchronization
import TidingsStore
import TidingsWire

/// What the executable brings along: which providers are linked, and commands of optional parts.
public struct CommandContext: Sendable {
    public let providers: ProviderRegistry

    public init(providers: ProviderRegistry) {
        self.providers = providers
    }
}

/// A command of ours: it runs with the context, and any error it throws becomes one line and an exit code.
///
/// Each says its `commandName`. A name made from the type costs a search of the whole binary's conformances, for every command at
/// every start: together a quarter of the time `tidings --version` takes.
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
    private static let additional = Mutex<[any ParsableCommand.Type]>([])

    /// Commands of optional parts, set once before parsing.
    static var additionalCommands: [any ParsableCommand.Type] { additional.withLock { $0 } }

    /// Parses the arguments, runs the command and ends the process.
    public static func main(_ context: CommandContext, additional commands: [any ParsableCommand.Type] = []) async -> Never {
        CryptoLibrary.keepUntilTheEnd()
        signal(SIGPIPE, SIG_IGN)
        additional.withLock { $0 = commands }
        do {
            let log = try LogSettings(environment: Settings.processEnvironment())
            LoggingSystem.bootstrap { StandardErrorLog(label: $0, level: log.level, format: log.format) }
            var command = try Root.parseAsRoot()
            if var ours = command as? any TidingsCommand {
                try await ours.run(in: context)
            } else if var another = command as? any AsyncParsableCommand {
                try await another.run()
            } else {
                try command.run()
            }
        } catch let error where Root.exitCode(for: error) == .success || Root.isUsage(error) {
            Root.exit(withError: error)
        } catch {
            let failure = Failure(error)
            Output.note("tidings: \(failure.message)")
            if let hint = failure.hint { Output.note("  \(hint)") }
            exit(failure.code.rawValue)
        }
        exit(0)
    }
}

struct Root: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "tidings",
            abstract:
                "Decides, delivers and explains notifications: producers publish intents to RabbitMQ, every result is a row in PostgreSQL.",
            version: TidingsVersion.current,
            subcommands: [
                DevCommand.self, RunCommand.self, SendCommand.self, WhyCommand.self, SimulateCommand.self, StatusCommand.self,
                FindCommand.self, PauseCommand.self, ResumeCommand.self, NotificationCommand.self, DeliveryCommand.self, DeadCommand.self,
                RejectedCommand.self,
                RecipientCommand.self, DeviceCommand.self, CatalogueCommand.self, DatabaseCommand.self, DoctorCommand.self,
                QueueCommand.self,
                ConfigCommand.self,
                BenchCommand.self,
            ] + TidingsTool.additionalCommands)
    }

    /// Errors of the argument parser itself, which it prints with the usage.
    static func isUsage(_ error: any Error) -> Bool {
        exitCode(for: error) == .validationFailure || error is CleanExit || error is ValidationError
    }
}

/// Options that commands printing data share.
struct OutputOptions: ParsableArguments {
    @Option(name: [.customShort("o"), .customLong("output")], help: "text, json (an array for a list, an object for one) or jsonl.")
    var format = OutputFormat.text
}

/// Opens the store for a command, runs it, and closes.
func withStore<Result: Sendable>(_ body: (Store, Settings) async throws -> Result) async throws -> Result {
    let settings = try Settings.read()
    let store = Store(settings.database, size: 2, name: "tidings cli")
    do {
        try await store.open()
        let result = try await body(store, settings)
        await store.close()
        return result
    } catch {
        await store.close()
        throw error
    }
}
