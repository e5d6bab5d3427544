import Logging
import TidingsAMQP
import TidingsCore
import TidingsHTTPServer
import TidingsJWT
import TidingsModules
import TidingsPipeline
import TidingsProvider
public import TidingsServer
import TidingsStore
import TidingsWaiting
import TidingsWeb

extension APIRoleMaker {
    /// The HTTP API of this package.
    public static let standard = APIRoleMaker(bounds: APIBounds.all) { runtime, options in try await APIRole(runtime, options) }
}

/// The role `api`: serves producers, apps and people over HTTP.
struct APIRole: AddedRole {
    let name = "api"

    /// Every operation of this process.
    let table: OperationTable
    private let options: APIOptions
    private let server: HTTPServer
    private let hub: StreamHub
    private let feed: SignalFeed
    private let publisher: AMQPPublisher
    private let tokenKeys: TokenKeys?
    /// Nil: the API speaks HTTP in clear text.
    private let certificate: CertificateWatch?
    private let logger: Logger
    private let end = OneShot<Void>()

    /// Throws a ``Failure`` with exit code 78 if a setting is wrong.
    init(_ runtime: Runtime, _ options: APIOptions) async throws {
        let (store, settings, logger) = (runtime.store, options.settings, runtime.logger)
        if runtime.metricsListen == nil, !options.isDevelopment {
            logger.notice(
                "health and metrics have no address of their own: clients of the API can keep a supervisor out",
                metadata: ["setting": "\(Settings.metricsListenName)"])
        }
        try await runtime.requireTrustInAPI()
        self.options = options
        self.logger = logger
        let progress = runtime.readiness.liveness.progress
        hub = StreamHub(
            news: StoredNews(store: store, topics: runtime.modules.topics(over: store)), connections: settings.connections,
            metrics: runtime.metrics, progress: progress, logger: logger, signal: { [signals = runtime.signals] in signals.announce($0) })
        feed = try runtime.signalFeed()
        publisher = try runtime.intentPublisher()
        tokenKeys = try await Self.tokenKeys(settings, runtime)
        let certificate = try Self.certificate(settings, logger)
        self.certificate = certificate
        let services = APIServices(
            store: store, catalogues: runtime.catalogues, zones: runtime.zones, deviceTokens: runtime.deviceTokens, hub: hub,
            projections: runtime.modules.projections, logger: logger)
        let submission = IntentSubmission(
            store: store, catalogues: runtime.catalogues, publisher: publisher,
            allowance: options.isDevelopment ? nil : LaneAllowance(metrics: runtime.metrics, now: { store.clock.now() }),
            watch: runtime.readiness.intents, logger: logger)
        let algorithms = try Self.algorithms(settings)
        let persons = tokenKeys.map { keys in
            PersonTokens(
                keys: keys,
                verifier: JWTVerifier(
                    algorithms: algorithms, issuer: settings.tokenIssuer, audience: settings.tokenAudience,
                    longestLifetime: options.isDevelopment ? nil : settings.tokenLifetime),
                tenants: settings.tokenTenants, clock: store.clock)
        }
        let rates = options.isDevelopment ? nil : RateLimits(RateLimits.Rates(settings), now: { store.clock.now() })
        table = OperationTable(
            Self.operations(services, submission, runtime.modules)
                + CallbackOperations(
                    services: services, readers: runtime.callbackReaders(),
                    desk: CallbackDesk(metrics: runtime.metrics, logger: logger)
                ).all
                + EngagementOperations(services: services, metrics: runtime.metrics).all
                + PageOperations(
                    health: HealthPages(metrics: runtime.metrics, readiness: runtime.readiness, isForProxy: true),
                    hasDemo: options.isDevelopment
                ).all)
        let failures = options.isDevelopment ? nil : FailedLogins(now: { store.clock.now() })
        let proxies = try Self.proxies(settings)
        let log = RequestLog(metrics: runtime.metrics, logger: logger)
        let api = APIServer(
            table: table,
            access: AccessControl(persons: persons, keys: KeyCheck(.asking(store, logger: logger)), rates: rates, failures: failures),
            proxies: proxies, room: ByteRoom(metrics: runtime.metrics), requests: options.isDevelopment ? nil : RequestRoom(),
            pause: options.isDevelopment ? nil : RefusalPause(), origins: AllowedOrigins(origins: settings.origins), log: log,
            speaksTLS: certificate != nil, progress: progress, logger: logger)
        var configuration = Self.configuration(settings, proxies: proxies, log: log, logger: logger)
        if !options.isDevelopment {
            let connections = ConnectionRates(connectionsPerAddress: settings.connectionsPerAddress, now: { store.clock.now() })
            configuration.admitsConnection = { connections.admit($0) }
        }
        if let certificate { configuration.session = { certificate.session() } }
        server = HTTPServer(configuration, logger: logger) { await api.answer($0) }
    }

    private static func operations(_ services: APIServices, _ submission: IntentSubmission, _ modules: Modules) -> [Operation] {
        let context = ModuleContext(store: services.store, catalogues: services.catalogues) { services.hub.announce($0, of: $1) }
        let added: [Operation] = modules.operations(in: context)
        return InboxOperations(services: services).all + StreamOperations(services: services).all
            + PreferenceOperations(services: services).all + DeviceOperations(services: services).all
            + IntentOperations(services: services, submission: submission).all + RecipientOperations(services: services).all
            + AddressOperations(services: services).all + ErasureOperations(services: services).all + added
    }

    func run() async throws {
        do {
            try await serve()
            await publisher.close()
        } catch {
            await publisher.close()
            throw error
        }
    }

    private func serve() async throws {
        do {
            try await server.run { port in
                let url = "\(certificate == nil ? "http" : "https")://\(options.settings.listen.description(port: UInt16(clamping: port)))"
                logger.notice("the API listens", metadata: ["address": "\(url)"])
                await options.whenListening(url)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // The streams, the signals for them, and the looks for new keys and certificates. All are ended below.
                    group.addTask { await hub.run() }
                    group.addTask { try await feed.run { event in hub.receive(event) } }
                    if let tokenKeys { group.addTask { await tokenKeys.run() } }
                    if let certificate { group.addTask { await certificate.run() } }
                    await end.value()
                    await letProxiesNotice()
                    hub.drain()
                    await feed.stop()
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        } catch let error as HTTPServerError {
            let listen = options.settings.listen
            throw Failure(
                .config, "\(APISettings.listenName): cannot listen on \(listen.description(port: listen.port)): \(error)",
                hint: "every process needs a port of its own; port 0 takes a free one")
        }
    }

    /// The process is not ready any more. After ``APISettings/stopDelay`` streams are told to reconnect, requests in work are answered, and
    /// new connections are refused.
    func stop() async { end.set(()) }

    /// A proxy sends requests until it has seen that the process is not ready. A connection that is refused would be a request that fails.
    private func letProxiesNotice() async {
        guard !options.isDevelopment else { return }
        // Time itself is awaited. Cancelled if the stop takes too long.
        try? await Task.sleep(for: options.settings.stopDelay)
    }

    private static func configuration(
        _ settings: APISettings, proxies: TrustedProxies, log: RequestLog, logger: Logger
    ) -> HTTPServerConfiguration {
        HTTPServerConfiguration(
            host: settings.listen.hostText, port: Int(settings.listen.port), limits: limits(settings, logger: logger),
            grace: APILimits.grace, connectionGroup: { proxies.connectionGroup(of: $0) }, refusal: { log.refusal($0) })
    }

    private static func limits(_ settings: APISettings, logger: Logger) -> HTTPServerLimits {
        var limits = APILimits.server
        limits.connections = settings.connections
        limits.connectionsPerGroup = settings.connectionsPerAddress
        // Without a descriptor, a connection could not even be refused.
        if let openFiles = OpenFiles.raiseLimit(), openFiles - OpenFiles.reserve < settings.connections {
            limits.connections = max(1, openFiles - OpenFiles.reserve)
            logger.warning(
                "the limit of open files leaves room for fewer connections (ulimit -n, LimitNOFILE)",
                metadata: ["openFiles": "\(openFiles)", "connections": "\(limits.connections)"])
        }
        return limits
    }

    private static func proxies(_ settings: APISettings) throws -> TrustedProxies {
        do throws(NotANetwork) {
            return try TrustedProxies(settings.proxies)
        } catch {
            throw Failure(
                .config, "\(APISettings.proxiesName): \(error.text) is no address and no block of addresses",
                hint: "10.1.2.3 or 10.1.0.0/16 or fd00::/8; the bits after the prefix are zero")
        }
    }

    private static func certificate(_ settings: APISettings, _ logger: Logger) throws -> CertificateWatch? {
        guard let files = settings.certificate else { return nil }
        do {
            return try CertificateWatch(files, logger: logger)
        } catch {
            throw Failure(
                .config, "\(APISettings.certificateName): \(error)",
                hint: "PEM files: the certificate and those of its issuers; and its private key, without a passphrase")
        }
    }

    /// Looks for the keys once. An address that does not answer is no mistake of the settings: the process is not ready until it does.
    private static func tokenKeys(_ settings: APISettings, _ runtime: Runtime) async throws -> TokenKeys? {
        guard let place = settings.tokenKeys else {
            runtime.logger.notice("tokens of people are not accepted: \(APISettings.tokenKeysName) is not set")
            return nil
        }
        do {
            let source = try TokenKeySource.at(place)
            let keys = TokenKeys(source, readiness: runtime.readiness, logger: runtime.logger)
            await keys.look()
            if source.isFile, keys.current == nil {
                // Says what is wrong with the file.
                let bytes = try await source.read()
                let isEmpty = try JSONWebKeySet(bytes).keys.isEmpty
                throw TokenKeysUnreadable(reason: isEmpty ? "the set has no usable key" : "the file was changed meanwhile")
            }
            return keys
        } catch {
            throw Failure(
                .config, "\(APISettings.tokenKeysName): \(ProviderSettings.hidingUserInformation(place)) cannot be used: \(error)",
                hint: "an https address or a file with a JWK Set of public keys: ES256, RS256 or EdDSA")
        }
    }

    private static func algorithms(_ settings: APISettings) throws -> Set<JWTAlgorithm> {
        guard !settings.tokenAlgorithms.isEmpty else { return Set(JWTAlgorithm.allCases) }
        return Set(
            try settings.tokenAlgorithms.map { name in
                guard let algorithm = JWTAlgorithm(rawValue: name) else {
                    throw Failure(
                        .config, "\(APISettings.tokenAlgorithmsName): \(name) is no algorithm that Tidings verifies",
                        hint: JWTAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))
                }
                return algorithm
            })
    }
}
