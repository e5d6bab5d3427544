import Glibc
import Logging
import ServiceLifecycle
import TidingsCatalogue
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsStore

/// Some roles in one process, as a service: a graceful shutdown stops their intake, lets them finish what they hold, and closes.
///
/// Describes itself by its roles: service-lifecycle logs services, and the environment with its secrets must not be in there.
package struct RolesService: Service, CustomStringConvertible {
    /// Between two heartbeats; `tidings_ops.workers` calls a process lost after six of them are missing.
    static let heartbeatInterval = Duration.seconds(5)

    /// What a stop may take. Longer than a provider's deadline, so that what is out comes back.
    package static let drainLimit = Duration.seconds(25)

    /// How long the last heartbeat may take.
    static let farewell = Duration.seconds(1)

    private let runtime: Runtime
    private let router: RouterRole?
    private let deliver: DeliverRole?
    private let release: ReleaseRole?
    private let identity: WorkerIdentity
    private let deadline: StopDeadline?
    package let description: String

    /// - Parameter deadline: ends the process when the stop takes too long; nil where the process has more to stop than its roles.
    package init(_ roles: [Role], runtime: Runtime, deadline: StopDeadline? = nil) throws {
        self.runtime = runtime
        self.deadline = deadline
        description = roles.map(\.name).joined(separator: ", ")
        identity = WorkerIdentity(
            role: roles.count == 1 ? roles[0].name : "all", host: Self.hostName(), pid: getpid(), version: TidingsVersion.current,
            instance: String(UInt32.random(in: 0...UInt32.max), radix: 36))
        router = roles.contains(.router) ? try RouterRole(runtime) : nil
        release = roles.contains(.release) ? try ReleaseRole(runtime) : nil
        let channels = roles.reduce(into: Set<Channel>()) { if case .deliver(let some) = $1 { $0.formUnion(some) } }
        deliver = channels.isEmpty ? nil : DeliverRole(runtime, channels: channels, worker: identity.id)
    }

    func run() async throws {
        if let address = runtime.metricsListen {
            // Listens before the first heartbeat: a process that cannot, and ends, has not counted as another caller of its providers.
            let server = HealthServer(address: address, metrics: runtime.metrics, readiness: runtime.readiness, logger: runtime.logger)
            try await server.run { try await runRoles() }
        } else {
            try await runRoles()
        }
        // Tells the other callers of its providers that there is one less. If it does not come through, they find out when no more come.
        try? await beat(within: Self.farewell, isLast: true)
        await runtime.close()
    }

    private func runRoles() async throws {
        try await beat()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // No child of the group, which ends with its roles: this ends with them, cancelled below.
            let chores = Task { await self.chores() }
            // A task for each role, until it is stopped; the group awaits all.
            if let router { group.addTask { try await router.run() } }
            if let deliver { group.addTask { try await deliver.run() } }
            if let release { group.addTask { await release.run() } }
            defer { chores.cancel() }
            try await withGracefulShutdownHandler {
                do {
                    while try await group.next() != nil {}
                } catch {
                    runtime.logger.error("a role cannot go on, stopping all of this process", metadata: ["error": "\(error)"])
                    await stop(exitCode: EXIT_FAILURE)
                    while await group.nextResult() != nil {}
                    throw error
                }
            } onGracefulShutdown: {
                // The handler cannot await. What it stops ends the roles, and those are awaited above.
                Task { await self.stop(exitCode: EXIT_SUCCESS) }
            }
        }
    }

    private func stop(exitCode: Int32) async {
        deadline?.begin(exitCode: exitCode)
        runtime.readiness.drain()
        runtime.logger.notice("stopping: intake ends, what is in work is finished")
        await router?.stop()
        await deliver?.stop()
        release?.stop()
    }

    /// Heartbeats, and following the active catalogue.
    private func chores() async {
        var (sinceHeartbeat, pauses) = (Self.heartbeatInterval, PauseWatch())
        var followed = runtime.catalogues.current.catalogue.hash
        while !Task.isCancelled {
            runtime.zoneWatch.look()
            do {
                if sinceHeartbeat >= Self.heartbeatInterval {
                    sinceHeartbeat = .zero
                    try await beat()
                }
                try await runtime.catalogues.refresh()
                runtime.readiness.databaseAnswered()
                let active = runtime.catalogues.current.catalogue
                if active.hash != followed {
                    try await follow(active)
                    followed = active.hash
                    runtime.logger.notice("another catalogue is active", metadata: ["hash": "\(followed)"])
                    // The others are to know at once whom it calls now, and to be heard soon.
                    try await beat()
                    sinceHeartbeat = Self.heartbeatInterval - CatalogueSource.refreshInterval
                }
            } catch {
                runtime.logger.warning("cannot reach the database or broker for chores", metadata: ["error": "\(error)"])
            }
            for change in pauses.follow(runtime.catalogues.pauses) { change.log(to: runtime.logger) }
            // Time itself is what is waited for. Cancelled when the roles have ended.
            try? await Task.sleep(for: CatalogueSource.refreshInterval)
            sinceHeartbeat += CatalogueSource.refreshInterval
        }
    }

    /// Has this process work by a catalogue. A step that fails is tried again at the next turn, until all have succeeded.
    private func follow(_ catalogue: Catalogue) async throws {
        let declared: Result<Void, any Error>
        do { declared = .success(try await runtime.declareTopology()) } catch { declared = .failure(error) }
        // A consumer declares a queue that it misses by itself, so the lines change even if the broker was away just now.
        try await deliver?.follow(catalogue)
        try declared.get()
    }

    /// - Parameter limit: nil for as long as the database's own.
    private func beat(within limit: Duration? = nil, isLast: Bool = false) async throws {
        let yielding = runtime.balance.yielding()
        runtime.metrics.bulkPause.set(Int((yielding?.pause ?? .zero) / .milliseconds(1)))
        let callers = try await runtime.store.heartbeat(
            identity, handled: runtime.metrics.handled, yielding: yielding, providers: deliver?.providers ?? [],
            catalogue: deliver?.followed ?? runtime.catalogues.current.catalogue.hash, isLast: isLast, deadline: limit)
        deliver?.share(with: callers)
        runtime.readiness.databaseAnswered()
    }

    package static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
