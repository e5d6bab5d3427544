import Glibc
public import TidingsAMQP
public import TidingsPostgres

/// Where the servers are and how a process runs. Read once, at the edge: the environment first, then what a running `tidings dev` wrote to
/// `.tidings/env`.
public struct Settings: Sendable, CustomStringConvertible {
    public var amqp: AMQPConfiguration
    public var database: PostgresConfiguration
    /// Every variable that was found, for providers that read their secrets by name.
    public var environment: [String: String]

    /// The servers without their passwords, and nothing of the environment, which holds secrets.
    public var description: String { "\(amqp), \(database)" }

    /// Days that notifications are kept after theirs.
    public static let retention = Duration.seconds(30 * 86_400)

    /// The broker for a command that somebody waits for: where a role goes on trying for as long as it takes, this gives up after three
    /// attempts in a row, within a second when nothing listens.
    public var amqpOfCommand: AMQPConfiguration {
        var configuration = amqp
        configuration.reconnect.maximumAttempts = 3
        return configuration
    }

    /// Reads the two URLs. Throws a ``Failure`` with exit code 78 that says what to do when one is missing or wrong.
    public static func read(home: String = DevelopmentHome.defaultPath) throws -> Settings {
        let environment = DevelopmentHome(path: home).environment(over: Self.processEnvironment())
        return try Settings(environment: environment)
    }

    init(environment: [String: String]) throws {
        let (amqpName, databaseName) = ("TIDINGS_AMQP_URL", "TIDINGS_DATABASE_URL")
        guard let amqpURL = environment[amqpName], let databaseURL = environment[databaseName] else {
            let missing = [amqpName, databaseName].filter { environment[$0] == nil }
            throw Failure(
                .config, missing.count == 1 ? "\(missing[0]) is not set" : "no servers are configured",
                hint: "start `tidings dev` in this folder, or set \(missing.joined(separator: " and "))")
        }
        do {
            amqp = try AMQPConfiguration(url: amqpURL)
        } catch {
            throw Failure(.config, "\(amqpName): \(error)", hint: "amqp://user:password@host:5672/vhost")
        }
        do {
            database = try PostgresConfiguration(url: databaseURL)
        } catch {
            throw Failure(.config, "\(databaseName): \(error.message)", hint: "postgres://user:password@host:5432/database")
        }
        self.environment = environment
    }

    /// The process's own environment.
    static func processEnvironment() -> [String: String] {
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
