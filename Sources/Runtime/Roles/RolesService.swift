import Glibc
import Logging
import ServiceLifecycle
import TidingsAMQP
import TidingsCatalogue
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsStore

/// One or more roles in one process, as a service. A graceful shutdown stops their intake, lets them finish their work, and closes.
///
/// The description lists the roles only: service-lifecycle logs it, and a log must not hold the secrets of the environment.
package struct RolesService: Service, CustomStringConvertible {
    /// The time between two heartbeats. `tidings_ops.workers` reports a process as lost when six of them are missing.
    static let heartbeatInterval = Duration.seconds(5)

    /// The longest time of a stop. It is longer than a provider's deadline, so that calls that are out can end.
    package static let drainLimit = Duration.seconds(25)

    /// The longest time of the last heartbeat.
    static let farewell = Duration.seconds(1)

    private let runtime: Runtime
    private let router: RouterRole?
    private let deliver: DeliverRole?
    private let release: ReleaseRole?
    private let added: [any AddedRole]
    private let identity: WorkerIdentity
    private let deadline: StopDeadline?
    private let pulse = Pulse()
    package let description: String

    /// - Parameters:
    ///   - added: roles of other targets, such as the API.
    ///   - deadline: ends the process if the stop takes too long. Nil if the process has more to stop than its roles.
    package init(_ roles: [Role], added: [any AddedRole] = [], runtime: Runtime, deadline: StopDeadline? = nil) throws {
        self.runtime = runtime
        self.deadline = deadline
        self.added = added
        let names = roles.map(\.name) + added.map(\.name)
        description = names.joined(separator: ", ")
        identity = WorkerIdentity(
            role: names.count == 1 ? names[0] : "all", host: Self.hostName(), pid: getpid(), version: TidingsVersion.current,
            instance: String(UInt32.random(in: 0...UInt32.max), radix: 36))
        router = roles.contains(.router) ? try RouterRole(runtime) : nil
        release = roles.contains(.release) ? try ReleaseRole(runtime) : nil
        let channels = roles.reduce(into: Set<Channel>()) { if case .deliver(let some) = $1 { $0.formUnion(some) } }
        deliver = channels.isEmpty ? nil : DeliverRole(runtime, channels: channels, worker: identity.id)
    }

    func run() async throws {
        if let address = runtime.metricsListen {
            // Listen before the first heartbeat: a process that cannot listen ends without having counted as a caller of its providers.
            let server = HealthServer(address: address, metrics: runtime.metrics, readiness: runtime.readiness, logger: runtime.logger)
            try await server.run { try await runRoles() }
        } else {
            try await runRoles()
        }
        // Tell the other callers of its providers that there is one caller less. If this heartbeat fails, the callers find out when no more
        // heartbeats arrive.
        try? await beat(within: Self.farewell, isLast: true)
        await runtime.close()
    }

    private func runRoles() async throws {
        try await beat()
        await runtime.tellDistrust(isRouter: router != nil, isReleaser: release != nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Not a child of the group: the group waits for its roles to end. Cancelled below, when the roles have ended.
            let chores = Task {
                await withDiscardingTaskGroup { group in
                    // All run until the task is cancelled. No look must wait for a chore that hangs.
                    group.addTask { await self.chores() }
                    group.addTask { await self.watchDatabase() }
                    group.addTask { await self.watchProgress() }
                    group.addTask { await runtime.timelineWatch(of: identity.id).run() }
                    group.addTask { await ConnectionSpread(runtime, of: identity).run() }
                }
            }
            // A task for each role, until the role is stopped; the group awaits all.
            if let router { group.addTask { try await router.run() } }
            if let deliver { group.addTask { try await deliver.run() } }
            if let release { group.addTask { await release.run() } }
            for role in added { group.addTask { try await role.run() } }
            defer { chores.cancel() }
            try await withGracefulShutdownHandler {
                do {
                    while try await group.next() != nil {}
                } catch {
                    runtime.logger.error("a role cannot go on, stopping all roles of this process", metadata: ["error": "\(error)"])
                    await stop(exitCode: EXIT_FAILURE)
                    while await group.nextResult() != nil {}
                    throw error
                }
            } onGracefulShutdown: {
                // The handler cannot await. The stop ends the roles, and the loop above awaits the roles.
                Task { await self.stop(exitCode: EXIT_SUCCESS) }
            }
        }
    }

    private func stop(exitCode: Int32) async {
        deadline?.begin(exitCode: exitCode)
        runtime.readiness.drain()
        runtime.logger.notice("stopping: intake ends, and work that has begun is finished")
        for role in added { await role.stop() }
        await router?.stop()
        await deliver?.stop()
        release?.stop()
    }

    /// Writes a line to the log when the database stops answering this process, and one when it answers again.
    private func watchDatabase() async {
        var outage = DatabaseOutage()
        while !Task.isCancelled {
            let (answeredAt, failure) = runtime.readiness.database
            outage.look(answeredAt: answeredAt)?.log(to: runtime.logger, failure: failure)
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: DatabaseOutage.interval)
        }
    }

    /// Looks every second whether work stands still, and logs each kind of such work once. Without this look a supervisor that asks seldom
    /// would take the process for one that was stopped (``Liveness/longestGap``).
    private func watchProgress() async {
        var told: Set<String> = []
        while !Task.isCancelled {
            let standing = runtime.readiness.standstills()
            for one in standing where !told.contains(one.kind) {
                runtime.logger.error("work stands still, and /health/live says no", metadata: ["work": "\(one.kind)"])
            }
            told = Set(standing.map(\.kind))
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: Liveness.interval)
        }
    }

    /// Sends heartbeats, and follows the active catalogue. Both go on by themselves: while commits wait for a standby, a pause is followed all
    /// the same.
    private func chores() async {
        await withDiscardingTaskGroup { group in
            // Each loop ends when the task is cancelled, and the group awaits both.
            group.addTask { await self.sendHeartbeats() }
            group.addTask { await self.followRules() }
        }
    }

    private func sendHeartbeats() async {
        var isFailing = false
        while !Task.isCancelled {
            if pulse.isDue(runtime.readiness.obstacles()) {
                do {
                    try await runtime.readiness.liveness.progress.during("heartbeat") {
                        await mayHang(.heartbeat)
                        try await beat()
                    }
                    if isFailing { runtime.logger.notice("heartbeats are recorded again") }
                    isFailing = false
                } catch {
                    if !isFailing {
                        runtime.logger.warning("a heartbeat cannot be recorded, trying again", metadata: ["error": "\(error)"])
                    }
                    isFailing = true
                }
            }
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: isFailing ? Pulse.retryInterval : CatalogueSource.refreshInterval)
        }
    }

    private func followRules() async {
        var (reminder, pauses) = (Reminder(), PauseWatch())
        var followed = runtime.catalogues.current.catalogue.hash
        while !Task.isCancelled {
            runtime.zoneWatch.look()
            do {
                try await runtime.catalogues.refresh()
                runtime.readiness.databaseAnswered()
                reminder = Reminder()
                let active = runtime.catalogues.current.catalogue
                if active.hash != followed {
                    try await follow(active)
                    followed = active.hash
                    runtime.logger.notice("another catalogue is active", metadata: ["hash": "\(followed)"])
                    // Beat now, so that other processes learn the new providers at once. Beat again soon, to learn theirs.
                    try await beat()
                    pulse.hasten(by: CatalogueSource.refreshInterval)
                }
            } catch {
                runtime.logger.log(
                    level: reminder.isDue() ? .warning : .debug, "cannot reach the database or broker for chores",
                    metadata: ["error": "\(error)"])
            }
            for change in pauses.follow(runtime.catalogues.pauses) { change.log(to: runtime.logger) }
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: CatalogueSource.refreshInterval)
        }
    }

    /// Makes this process work by a catalogue. If a step fails, the next turn tries again, until all steps have succeeded.
    private func follow(_ catalogue: Catalogue) async throws {
        let declared: Result<Void, any Error>
        do { declared = .success(try await runtime.declareTopology(waitsForBusyBroker: false)) } catch { declared = .failure(error) }
        // Change the lines even if the broker was away just now: a consumer declares a missing queue itself.
        try await deliver?.follow(catalogue)
        try declared.get()
    }

    /// - Parameter limit: the longest time of the heartbeat; nil for the database's own limit.
    private func beat(within limit: Duration? = nil, isLast: Bool = false) async throws {
        let yielding = runtime.balance.yielding()
        runtime.metrics.bulkPause.set(Int((yielding?.pause ?? .zero) / .milliseconds(1)))
        let obstacles = runtime.readiness.obstacles()
        let callers = try await runtime.store.upkeep.heartbeat(
            identity, handled: runtime.metrics.handled, yielding: yielding, providers: deliver?.providers ?? [],
            catalogue: deliver?.followed ?? runtime.catalogues.current.catalogue.hash, obstacles: obstacles,
            brokerUser: runtime.amqp.user, isLast: isLast, deadline: limit)
        pulse.sent(obstacles)
        runtime.readiness.commits.committed()
        deliver?.share(with: callers)
        runtime.readiness.databaseAnswered()
    }

    package static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
