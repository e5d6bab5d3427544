public import ArgumentParser
import Glibc
import Logging
import PrivateServers
import ServiceLifecycle
import TidingsCatalogue
public import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore
import TidingsTimeZones

/// Runs private servers and every role in one process.
public struct DevCommand: TidingsCommand, Sendable {
    public static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Start private PostgreSQL and RabbitMQ servers and every role, with no configuration.",
        discussion: """
            Data and ports lie under --home and are kept between starts. When everything listens, the file env there has every address, and
            commands run in the same folder find these servers by themselves.
            Webhooks to loopback addresses are allowed here; elsewhere they are refused by default. Ctrl-C stops everything.
            """)

    @Flag(help: "Delete the data of earlier starts first.") var fresh = false
    @Flag(help: "Only the servers and the schema: no role runs.") var serversOnly = false
    @Option(help: .hidden) var testHosts = 0
    @Option(help: "The folder of the data, the logs and the file of URLs.") var home = DevelopmentHome.defaultPath

    public init() {}

    public mutating func run(in context: CommandContext) async throws {
        // Check first: without zone data no role can run, and the servers would start for nothing.
        if !serversOnly { _ = try TimeZoneDatabase.required() }
        try await runServices([DevelopmentSystem(options: self, context: context)], logger: Logger(label: "dev"))
        Output.note("stopped")
    }
}

/// Both servers and the roles on them, as one service. After a stop, none of their processes stays, even if the stop comes during the
/// start.
private struct DevelopmentSystem: Service, CustomStringConvertible {
    let description = "development system"
    let options: DevCommand
    let context: CommandContext

    func run() async throws {
        let servers: PrivateServers
        do {
            servers = try await cancelWhenGracefulShutdown {
                try await PrivateServers.start(home: options.home, fresh: options.fresh) { Output.note($0) }
            }
        } catch PrivateServersError.cancelled {
            return
        } catch {
            throw Failure(.config, "\(error)")
        }
        do {
            try await serve(servers)
        } catch {
            try? await servers.stop()
            throw error
        }
        do {
            try await servers.stop()
        } catch {
            throw Failure(.bad, "\(error)")
        }
    }

    private func serve(_ servers: PrivateServers) async throws {
        var environment = Settings.processEnvironment()
        environment["TIDINGS_AMQP_URL"] = servers.amqpURL
        environment["TIDINGS_DATABASE_URL"] = servers.databaseURL
        if let api = context.api, !options.serversOnly { try prepare(api, &environment) }
        let settings = try Settings(environment: environment)
        try await context.migrator(settings).migrate { Output.note("schema \($0.number): \($0.name)") }
        if options.testHosts > 0 { try await servers.prepareTestHosts(options.testHosts) }
        if options.serversOnly {
            try await announce(servers)
            try await whileTheyRun(servers) { try await gracefulShutdown() }
        } else {
            try await DevelopmentCatalogue.applyOnce(settings)
            let runtime = try await Runtime(
                settings: settings, providers: context.providers, modules: context.modules, logger: Logger(label: "dev"))
            let api = try await api(runtime, servers)
            if api.isEmpty { try await announce(servers) }
            try await whileTheyRun(servers) { try await RolesService(Role.all, added: api, runtime: runtime).run() }
        }
    }

    /// Writes the file of URLs, and says so. Prints no URL with a password: scripts keep this line in a log.
    private func announce(_ servers: PrivateServers, _ lines: [String] = []) async throws {
        try await servers.announce(lines)
        Output.note("ready: psql after `set -a; . \(servers.layout.environmentFile); set +a`")
    }

    /// Makes the key that signs tokens, unless the environment names keys of its own.
    private func prepare(_ api: APIRoleMaker, _ environment: inout [String: String]) throws {
        guard environment[APISettings.tokenKeysName, default: ""].isEmpty else { return }
        environment[APISettings.tokenKeysName] = try DevelopmentSigner(preparing: options.home).keysFile
        environment[APISettings.tokenIssuerName] = DevelopmentSigner.issuer
        environment[APISettings.tokenAudienceName] = DevelopmentSigner.audience
    }

    /// The API on the port of the last start, unless the environment names an address. The API listens last, so it announces everything.
    private func api(_ runtime: Runtime, _ servers: PrivateServers) async throws -> [any AddedRole] {
        let environment = runtime.settings.environment
        guard let api = context.api else { return [] }
        var standard: String?
        if environment[APISettings.listenName, default: ""].isEmpty {
            let port = try await servers.keptPort(for: "api")
            standard = "127.0.0.1:\(port)"
        }
        guard let settings = try APISettings(environment: environment, standardListen: standard) else { return [] }
        try settings.requireThisMachine()
        let home = options.home
        let options = APIOptions(settings: settings, isDevelopment: true) { url in
            var lines = ["TIDINGS_API_URL=\(url)"]
            do {
                lines.append("TIDINGS_API_KEY=\(try await DevelopmentKey.prepare(home: home, in: runtime.store))")
            } catch {
                Output.note("the key of the API cannot be written: \(error)")
            }
            do {
                try await announce(servers, lines)
                Output.note("API ready on \(url), demo page on \(url)/demo; tidings token <recipient> prints a token")
            } catch {
                Output.note("the addresses cannot be written: \(error)")
            }
        }
        return [try await api.make(runtime, options)]
    }

    /// Runs `body`. If one of the servers ends by itself meanwhile, everything stops as if asked to, and this function throws.
    /// Nothing else would report the end of the server.
    private func whileTheyRun(_ servers: PrivateServers, _ body: () async throws -> Void) async throws {
        let ended = try await withThrowingTaskGroup(of: String?.self) { group -> String? in
            group.addTask { await Self.firstToEnd(of: servers) }
            do {
                try await body()
            } catch {
                group.cancelAll()
                // A role may notice the end of a server first. Report the server: the role's error says less.
                if let ended = await Self.firstToEnd(of: servers, within: Self.endPatience) { return ended }
                throw error
            }
            group.cancelAll()
            return try await group.next() ?? nil
        }
        if let ended { throw Failure(.unavailable, "\(ended) ended by itself", hint: "its log is in \(servers.layout.logFolder)") }
    }

    /// Waits until a server ends by itself, then asks this process to stop. Returns the server's name; nil if cancelled.
    private static func firstToEnd(of servers: PrivateServers) async -> String? {
        while !Task.isCancelled {
            try? await Task.sleep(for: lookEvery)
            guard let name = await servers.endedByItself() else { continue }
            kill(getpid(), SIGTERM)
            return name
        }
        return nil
    }

    /// Returns the name of a server that has ended by itself. Looks for a while: a server's connections are gone before its process is.
    private static func firstToEnd(of servers: PrivateServers, within patience: Duration) async -> String? {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if let name = await servers.endedByItself() { return name }
            try? await Task.sleep(for: lookOften)
        }
        return nil
    }

    /// The longest time to look for an ended server, before a role's own failure is reported. A killed server is reaped within
    /// milliseconds.
    private static let endPatience = Duration.seconds(2)
    /// The pause between two looks while the report of a failure waits.
    private static let lookOften = Duration.milliseconds(50)

    /// The pause between two looks at whether both servers still run.
    private static let lookEvery = Duration.seconds(1)
}

/// The first catalogue of `tidings dev`: the built-in catalogue, but with webhooks to the own machine allowed.
enum DevelopmentCatalogue {
    static func applyOnce(_ settings: Settings) async throws {
        let store = Store(settings.database, size: 1, name: "tidings dev")
        try await store.open()
        if try await store.catalogues.activeHash() == nil {
            var catalogue = Catalogue.ofBinary
            for (name, provider) in catalogue.providers where provider.kind == "webhook" {
                catalogue.providers[name]?.settings.merge(
                    ["allowHTTP": "true", "allowedPorts": "any", "allowedNetworks": "127.0.0.0/8,::1/128"]) { $1 }
            }
            try await store.catalogues.activate(CatalogueFile.sealed(catalogue), by: .start(by: "tidings dev"), builtIn: .ofBinary)
        }
        await store.close()
    }
}
