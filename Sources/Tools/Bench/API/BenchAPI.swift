import NIOCore
import NIOHTTP1
import PrivateServers
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore

/// The process with the role `api` of a measurement, and credentials for it.
struct BenchAPI: Sendable {
    let program: PrivateProgram
    let server: LoopbackServer
    /// A key that may send intents.
    let key: String
    private let signer: DevelopmentSigner

    /// Connections beside those of the streams.
    private static let otherConnections = 1_000
    /// More than any measurement sends. A bound of the API must not stop it.
    private static let requestsPerSecond = "100000"
    /// The longest wait for the address of a process that runs.
    private static let startLimit = Duration.seconds(60)
    /// The pause between two looks for the address. A listening socket signals nobody.
    private static let look = Duration.milliseconds(50)
    /// Longer than any measurement.
    private static let tokenLifetime = Duration.seconds(7 * 86_400)

    /// Starts the role as an operator would, with bounds that the measurement does not meet. Returns when it listens.
    static func start(on system: BenchSystem, streams: Int) async throws -> BenchAPI {
        guard let servers = system.servers else { throw Failure(.usage, "--api needs servers of its own") }
        let port = try await servers.keptPort(for: "api")
        let signer = try DevelopmentSigner(preparing: servers.layout.home)
        let connections = "\(streams + otherConnections)"
        let programs = try await system.start(
            ["api"],
            with: [
                APISettings.listenName: "127.0.0.1:\(port)", APISettings.tokenKeysName: signer.keysFile,
                APISettings.tokenIssuerName: DevelopmentSigner.issuer, APISettings.tokenAudienceName: DevelopmentSigner.audience,
                APISettings.tokenAlgorithmsName: "", APISettings.originsName: "", APISettings.proxiesName: "",
                APISettings.tokenLifetimeName: "\(tokenLifetime.components.seconds)s", APISettings.tokenTenantsName: "",
                APISettings.connectionsName: connections, APISettings.connectionsPerAddressName: connections,
                APISettings.requestsPerPersonName: requestsPerSecond, APISettings.requestsPerBackendName: requestsPerSecond,
                APISettings.requestsPerTenantName: requestsPerSecond, APISettings.stopDelayName: "0s", Settings.metricsListenName: "",
            ])
        guard let program = programs.first else { throw Failure(.config, "the role api cannot be started") }
        do {
            let server = LoopbackServer(port: Int(port))
            try await awaitAddress(of: server, log: "\(servers.layout.logFolder)/api.log")
            return BenchAPI(program: program, server: server, key: try await makeKey(in: system.store), signer: signer)
        } catch {
            await system.stop(programs)
            throw error
        }
    }

    func token(for recipient: String) -> String {
        signer.token(for: recipient, tenant: Intent.defaultTenant, validFor: Self.tokenLifetime)
    }

    private static func awaitAddress(of server: LoopbackServer, log: String) async throws {
        let deadline = ContinuousClock.now + startLimit
        while true {
            do {
                try await server.connect { IdleHandler() }.close().get()
                return
            } catch {
                guard ContinuousClock.now < deadline else {
                    throw Failure(.timedOut, "the API does not listen: \(error)", hint: "see \(log)")
                }
                // Poll: the address is the sign.
                try await Task.sleep(for: look)
            }
        }
    }

    private static func makeKey(in store: Store) async throws -> String {
        let name = "bench-\(RandomIdentifier.make())"
        let made = try await store.keys.create(
            name: name, tenant: Intent.defaultTenant, scopes: [.intentsWrite], lifetime: nil, by: "tidings bench")
        guard let made else { throw Failure(.bad, "a key for the API cannot be made") }
        return made.text.revealed
    }
}

/// A connection that sends nothing.
private final class IdleHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
}
