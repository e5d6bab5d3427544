import Glibc
public import TidingsAMQP
public import TidingsPostgres

/// Where the servers are and how a process runs. Read once, at the edge: the environment first, then what a running `tidings dev` wrote to
/// `.tidings/env`.
public struct Settings: Sendable, CustomStringConvertible {
    /// Nil where TIDINGS_AMQP_URL is not set and nothing asked for it.
    private let broker: AMQPConfiguration?
    public var database: PostgresConfiguration
    /// Every variable that was found, for providers that read their secrets by name.
    public var environment: [String: String]

    /// The servers without their passwords, and nothing of the environment, which holds secrets.
    public var description: String { "\(broker.map { "\($0)" } ?? "no broker"), \(database)" }

    /// Where the broker is. Throws a ``Failure`` with exit code 78 where TIDINGS_AMQP_URL is not set: a command that only reads needs none.
    public var amqp: AMQPConfiguration {
        get throws {
            guard let broker else { throw Self.missing([Self.amqpName]) }
            return broker
        }
    }

    /// False for a command that only reads, where TIDINGS_AMQP_URL is not set.
    package var hasBroker: Bool { broker != nil }

    /// Days that notifications are kept after theirs.
    public static let retention = Duration.seconds(30 * 86_400)

    /// The broker for a command that somebody waits for: where a role goes on trying for as long as it takes, this gives up after three
    /// attempts in a row, within a second when nothing listens.
    public var amqpOfCommand: AMQPConfiguration {
        get throws {
            var configuration = try amqp
            configuration.reconnect.maximumAttempts = 3
            return configuration
        }
    }

    /// Reads the two URLs. Throws a ``Failure`` with exit code 78 that says what to do when one is missing or wrong.
    ///
    /// - Parameter needsBroker: false for a command that may do without TIDINGS_AMQP_URL; ``amqp`` throws there.
    public static func read(home: String = DevelopmentHome.defaultPath, needsBroker: Bool = true) throws -> Settings {
        let environment = DevelopmentHome(path: home).environment(over: Self.processEnvironment())
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

    private static let (amqpName, databaseName) = ("TIDINGS_AMQP_URL", "TIDINGS_DATABASE_URL")

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
