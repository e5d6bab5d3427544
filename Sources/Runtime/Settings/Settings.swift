import Glibc
public import TidingsAMQP
public import TidingsPostgres

/// The addresses of the servers and the settings of a process. They are read once, at the start: first from the environment, then from
/// `.tidings/env`, which a running `tidings dev` wrote.
public struct Settings: Sendable, CustomStringConvertible {
    /// Nil if TIDINGS_AMQP_URL is not set and the command does not need the broker.
    private let broker: AMQPConfiguration?
    public var database: PostgresConfiguration
    /// Every variable that was found. Providers read their secrets from these variables by name.
    public var environment: [String: String]

    /// The servers without their passwords. The environment is left out, because it holds secrets.
    public var description: String { "\(broker.map { "\($0)" } ?? "no broker"), \(database)" }

    /// The address of the broker. Throws a ``Failure`` with exit code 78 if TIDINGS_AMQP_URL is not set.
    /// A command that only reads needs no broker.
    public var amqp: AMQPConfiguration {
        get throws {
            guard let broker else { throw Self.missing([Self.amqpName]) }
            return broker
        }
    }

    /// Whether TIDINGS_AMQP_URL is set. It may be missing for a command that only reads.
    package var hasBroker: Bool { broker != nil }

    /// The time for which notifications are kept after their day: 30 days.
    public static let retention = Duration.seconds(30 * 86_400)

    /// The broker for a command that a user waits for. A role tries to connect without an end.
    /// A command fails after three attempts in a row, which takes less than a second if nothing listens.
    public var amqpOfCommand: AMQPConfiguration {
        get throws {
            var configuration = try amqp
            configuration.reconnect.maximumAttempts = 3
            return configuration
        }
    }

    /// Reads the two URLs. If one is missing or wrong, throws a ``Failure`` with exit code 78 that says what to do.
    ///
    /// - Parameter needsBroker: false for a command that may run without TIDINGS_AMQP_URL. ``amqp`` throws then.
    public static func read(home: String = DevelopmentHome.defaultPath, needsBroker: Bool = true) throws -> Settings {
        let environment = try DevelopmentHome(path: home).environment(over: Self.processEnvironment())
        return try Settings(environment: environment, needsBroker: needsBroker)
    }

    package init(environment: [String: String], needsBroker: Bool = true) throws {
        let (amqpURL, found) = (environment[Self.amqpName], environment[Self.databaseName])
        guard let databaseURL = found, amqpURL != nil || !needsBroker else {
            throw Self.missing([Self.amqpName, Self.databaseName].filter { environment[$0] == nil })
        }
        do {
            broker = try amqpURL.map { url in try AMQPConfiguration(url: url) }
        } catch {
            throw Failure(.config, "\(Self.amqpName): \(error)", hint: "amqp://user:password@host:5672/vhost")
        }
        do {
            database = try PostgresConfiguration(url: databaseURL)
        } catch {
            throw Failure(.config, "\(Self.databaseName): \(error.message)", hint: "postgres://user:password@host:5432/database")
        }
        self.environment = environment
    }

    static let (amqpName, databaseName) = ("TIDINGS_AMQP_URL", "TIDINGS_DATABASE_URL")

    private static func missing(_ names: [String]) -> Failure {
        Failure(
            .config, names.count == 1 ? "\(names[0]) is not set" : "no servers are configured",
            hint: "start `tidings dev` in this folder, or set \(names.joined(separator: " and "))")
    }

    /// The process's own environment.
    package static func processEnvironment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
            next += 1
        }
        return variables
    }
}
