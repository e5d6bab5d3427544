import Glibc
import PrivateServers
import TidingsAMQP
import TidingsCommands
import TidingsCore
import TidingsServer

/// A program that makes both servers do the same durable work without any logic. Its rate is the most that the machine can do in this way.
///
/// The program runs three times at once, as `fill N`, `route N 200` and `deliver N×deliveries 400`. Its figure is N divided by the wall
/// time that `deliver` prints.
///
/// The program logs in to the broker as guest on 127.0.0.1. It finds both servers by `AMQP_PORT` and `PGCONN`.
struct FloorProgram: Sendable {
    let path: String

    /// Variables by the program's name; the environment overrides them.
    /// `floor_full` writes all rows (M=446) in packs of 50. Any other program takes one message for each delivery.
    private var defaults: [String: String] {
        path.hasSuffix("floor_full") ? ["M": "446", "PACK": "50"] : ["PACK": "1"]
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    init(path: String) throws {
        guard access(path, X_OK) == 0, let absolute = realpath(path, nil) else {
            throw Failure(.data, "\(path) is not a program that can be run", hint: "gcc -O2 -w -o floor floor.c -lrabbitmq -lpq")
        }
        self.path = String(cString: absolute)
        free(absolute)
    }

    /// The wait before `deliver` starts. By then `route` has made the tables, but it signals nobody.
    private static let headStart = Duration.milliseconds(200)

    /// Runs the program once. Returns intents per second.
    func run(intents: Int, deliveries: Int, on settings: Settings, within limit: Duration) async throws -> Double {
        var environment = defaults.merging(settings.environment) { $1 }
        environment["F"] = "\(deliveries)"
        environment["AMQP_PORT"] = "\(try settings.amqp.port)"
        environment["PGCONN"] = settings.environment["TIDINGS_DATABASE_URL"]
        let variables = environment
        @Sendable func output(_ arguments: [String]) async throws -> String {
            do {
                return try await PrivateProgram.output(of: path, arguments, environment: variables, within: limit)
            } catch {
                throw Failure(
                    .bad, "\(name) \(arguments[0]): \(error)", hint: "it logs in as guest; bench --private makes a broker with that user")
            }
        }
        async let filled = output(["fill", "\(intents)"])
        async let routed = output(["route", "\(intents)", "200"])
        // Time itself is awaited: the other two programs signal nothing.
        try await Task.sleep(for: Self.headStart)
        let said = try await output(["deliver", "\(intents * deliveries)", "400"])
        _ = try await (filled, routed)
        let wall = said.split(separator: " ").first { $0.hasPrefix("wall=") }.flatMap { Double($0.dropFirst(5).prefix { $0 != "s" }) }
        guard let wall, wall > 0 else { throw Failure(.bad, "\(name) printed no wall time: \(said)") }
        return Double(intents) / wall
    }
}
