import ArgumentParser
package import Logging
package import ServiceLifecycle
import TidingsCatalogue
import TidingsCore
import TidingsServer
import TidingsStore
import UnixSignals

/// Runs roles against the servers that the environment names.
struct RunCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a role: router, deliver <channel…>, release, api, or all of them.",
        discussion: """
            Reads TIDINGS_AMQP_URL and TIDINGS_DATABASE_URL. SIGTERM and SIGINT stop intake, finish what is in work and exit 0.
            Any number of processes may run the same role. The API is part of all if TIDINGS_API_LISTEN is set.
            """)

    enum RoleName: String, ExpressibleByArgument, CaseIterable { case router, deliver, release, api, all }

    @Argument(help: "router, deliver, release, api or all.") var role: RoleName
    @Argument(help: "For deliver: the channels, such as inApp webhook; none means every channel.") var channels: [String] = []

    mutating func validate() throws {
        guard role == .deliver || channels.isEmpty else { throw ValidationError("only deliver takes channels") }
        for name in channels where Channel(rawValue: name) == nil {
            throw ValidationError("unknown channel \(name): it is one of \(Channel.allCases.map(\.rawValue).joined(separator: ", "))")
        }
    }

    mutating func run(in context: CommandContext) async throws {
        let logger = Logger(label: role.rawValue)
        let settings = try Settings.read()
        let api = try apiSettings(settings)
        let runtime = try await Runtime(
            settings: settings, providers: context.providers, modules: context.modules, logger: logger,
            applicationName: api == nil ? "tidings" : Store.apiApplicationName, keepsBuiltInCatalogue: role != .api)
        let added: [any AddedRole] = if let api { [try await self.api(api, runtime, in: context)] } else { [] }
        let service = try RolesService(roles, added: added, runtime: runtime, deadline: StopDeadline(logger: logger))
        // Say so only now: the settings of a role may still be wrong above.
        logger.notice("running", metadata: ["catalogue": "\(runtime.catalogues.current.catalogue.hash)"])
        try await runServices([service], logger: logger)
    }

    /// The API: for `api` always, for `all` if it has an address. Nil for a process without it.
    private func apiSettings(_ settings: Settings) throws -> APISettings? {
        guard role == .api || role == .all else { return nil }
        return try APISettings(environment: settings.environment, standardListen: role == .api ? APISettings.standardListen : nil)
    }

    private func api(_ settings: APISettings, _ runtime: Runtime, in context: CommandContext) async throws -> any AddedRole {
        guard let api = context.api else { throw Failure(.config, "this binary has no API", hint: "build it with the trait API") }
        return try await api.make(runtime, APIOptions(settings: settings))
    }

    private var roles: [Role] {
        let chosen = Set(channels.compactMap(Channel.init(rawValue:)))
        return switch role {
        case .router: [.router]
        case .deliver: [.deliver(chosen.isEmpty ? Set(Channel.allCases) : chosen)]
        case .release: [.release]
        case .api: []
        case .all: Role.all
        }
    }
}

/// Runs services until SIGTERM or SIGINT, then stops them gracefully. After ``RolesService/drainLimit`` the services are cancelled.
package func runServices(_ services: [any Service], logger: Logger) async throws {
    var configuration = ServiceGroupConfiguration(
        services: services.map {
            .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup, failureTerminationBehavior: .gracefullyShutdownGroup)
        },
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = RolesService.drainLimit
    try await ServiceGroup(configuration: configuration).run()
}
