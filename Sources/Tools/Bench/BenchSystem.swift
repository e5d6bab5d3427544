import Glibc
import PrivateServers
import TidingsAMQP
import TidingsCatalogue
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// The system that a benchmark measures: servers and roles of its own, or the configured ones.
final class BenchSystem: Sendable {
    /// How the roles are spread over processes.
    enum Processes: String, CaseIterable, Sendable {
        /// One process with all roles.
        case one
        /// One process for each role.
        case each
    }

    let settings: Settings
    let store: Store
    /// Nil on configured servers.
    let servers: PrivateServers?

    /// Connections to the database: one each for the totals, the inboxes and the memory, and one to spare.
    static let connections = 4
    /// The longest wait for the row by which a started role reports that it runs.
    private static let startLimit = Duration.seconds(60)
    /// The pause between two looks for these rows. A row signals nobody.
    private static let look = Duration.milliseconds(50)
    /// The pause between two looks at the totals: a hundredth of the shortest run worth measuring.
    private static let lookAtTotals = Duration.milliseconds(20)
    /// The longest wait for a role to finish its work.
    private static let stopPatience = Duration.seconds(30)

    private init(_ settings: Settings, servers: PrivateServers?) async throws {
        self.settings = settings
        self.servers = servers
        store = Store(settings.database, size: Self.connections, name: "tidings bench")
        try await store.open()
    }

    /// Uses the configured servers and the roles that run there. Throws if no router or no deliver role runs.
    static func configured(_ settings: Settings) async throws -> BenchSystem {
        let system = try await BenchSystem(settings, servers: nil)
        do {
            let running = Set(try await system.store.operations.runningWorkers().map(\.role))
            guard running.contains("all") || running.isSuperset(of: ["router", "deliver"]) else {
                throw Failure(
                    .unavailable, "a router or a deliver role is missing on the configured servers",
                    hint: "start them with `tidings run all`, or measure with servers of its own: --private")
            }
            return system
        } catch {
            try? await system.close()
            throw error
        }
    }

    /// Starts private servers. The database is empty unless `keep` keeps the data in `home`. ``use(_:)`` gives the servers a catalogue.
    static func own(home: String, keep: Bool, in context: CommandContext) async throws -> BenchSystem {
        let servers: PrivateServers
        do {
            servers = try await PrivateServers.start(home: home, fresh: !keep) { Output.note($0) }
        } catch {
            throw Failure(.config, "\(error)")
        }
        do {
            // A floor program logs in as guest, and a private broker has no guest.
            if !(try await servers.rabbitmqctl(["list_users"])).contains("guest") {
                _ = try await servers.rabbitmqctl(["add_user", "guest", "guest"])
            }
            _ = try await servers.rabbitmqctl(["set_permissions", "guest", ".*", ".*", ".*"])
            var environment = Settings.processEnvironment()
            environment["TIDINGS_AMQP_URL"] = servers.amqpURL
            environment["TIDINGS_DATABASE_URL"] = servers.databaseURL
            let settings = try Settings(environment: environment)
            try await context.migrator(settings).migrate()
            try await servers.announce()
            return try await BenchSystem(settings, servers: servers)
        } catch {
            try? await servers.stop()
            throw error
        }
    }

    var isPrivate: Bool { servers != nil }

    /// Makes a catalogue the active one, with a provider that accepts at once on every channel that has none.
    func use(_ catalogue: Catalogue) async throws {
        let catalogue = catalogue.withoutGaps
        try await store.catalogues.activate(catalogue, by: .start(by: "tidings bench"), builtIn: .ofBinary)
        // Declare the queues: messages that are published before the roles run must find them.
        let control = try AMQPControl.make(configuration: try settings.amqpOfCommand, connectionName: "tidings bench")
        try await Topology(of: catalogue).declare(on: control)
        await control.close()
    }

    func close() async throws {
        await store.close()
        do { try await servers?.stop() } catch { throw Failure(.bad, "\(error)") }
    }

    // MARK: Roles

    /// Starts the product's own roles, as an operator would. Returns when the roles run.
    func startRoles(_ processes: Processes) async throws -> [PrivateProgram] {
        try await start(processes == .one ? ["all"] : ["router", "deliver", "release"])
    }

    /// Starts a process of this program for each role. Returns when all of them run. Starts none on configured servers.
    ///
    /// - Parameter variables: settings of these processes, which take the place of the same ones in the environment.
    func start(_ roles: [String], with variables: [String: String] = [:]) async throws -> [PrivateProgram] {
        guard let servers, let itself = realpath("/proc/self/exe", nil) else { return [] }
        defer { free(itself) }
        let environment = settings.environment.merging(variables) { $1 }
        var programs: [PrivateProgram] = []
        for role in roles {
            let log = "\(servers.layout.logFolder)/\(role).log"
            programs.append(try await PrivateProgram.start(String(cString: itself), ["run", role], environment: environment, log: log))
        }
        let deadline = ContinuousClock.now + Self.startLimit
        let started = Set(programs.map(\.processID))
        while Set(try await roleProcesses().map(\.processID)).intersection(started) != started {
            guard ContinuousClock.now < deadline else {
                throw Failure(.timedOut, "the roles do not run", hint: "see \(servers.layout.logFolder)")
            }
            // Poll: a role reports by a row that it runs, and a row signals nobody.
            try await Task.sleep(for: Self.look)
        }
        return programs
    }

    func stop(_ programs: [PrivateProgram]) async {
        for program in programs { await program.stop(patience: Self.stopPatience) }
    }

    /// The roles on this machine. A process that has just died may be among them. Its measurement finds nothing in `/proc` and leaves it
    /// out.
    func roleProcesses() async throws -> [(role: String, processID: Int32)] {
        try await store.operations.runningWorkers(on: RolesService.hostName())
    }

    /// Waits until these intents are decided and each of their deliveries has ended. Returns the totals then.
    ///
    /// - Parameter before: the totals before the first of these intents was published.
    func waitForTheEnd(of confirmed: Int, since before: Totals, within limit: Duration) async throws -> Totals {
        let deadline = ContinuousClock.now + limit
        var now = try await store.operations.totals()
        while now.accepted - before.accepted < confirmed || now.planned - before.planned > now.ended - before.ended {
            guard ContinuousClock.now < deadline else {
                throw Failure(
                    .timedOut, "not everything ended within \(limit): \(now.accepted - before.accepted) of \(confirmed) are decided",
                    hint: "tidings status shows what waits; is a router and a deliver role running?")
            }
            // Poll: a change of the totals signals nobody.
            try await Task.sleep(for: Self.lookAtTotals)
            now = try await store.operations.totals()
        }
        return now
    }

    /// The main processes of the servers; nil if the servers may run anywhere.
    var serverProcesses: (broker: [Int32], database: [Int32])? { servers?.processIDs }
}

extension Catalogue {
    /// This catalogue with a provider that accepts at once on every channel for which the default market has none.
    fileprivate var withoutGaps: Catalogue {
        var catalogue = self
        for channel in Channel.allCases where markets[defaultMarket]?.providers[channel]?.isEmpty ?? true {
            let name = "null-\(channel.rawValue)"
            catalogue.providers[name] = ProviderBinding(name: name, channel: channel, kind: "null", addressing: .person)
            catalogue.markets[defaultMarket]?.providers[channel] = [name]
        }
        return CatalogueFile.sealed(catalogue)
    }
}
