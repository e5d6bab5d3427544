import Logging
import Synchronization
import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsPipeline
import TidingsProvider
import TidingsStore

/// The deliver role: a delivery line for each provider of its channels.
///
/// When another catalogue becomes active, only the lines that it changes are replaced. An old line finishes its packs while the new line
/// already runs.
///
/// All processes that call a provider divide its limits equally. This role uses the share of one process.
final class DeliverRole: Sendable {
    private let runtime: Runtime
    private let channels: Set<Channel>
    private let worker: String
    /// Shared by all lines of the process, also by the lines of the next catalogue.
    private let budget = PackBudget()
    private let breakers: BreakerLog

    private struct State {
        var isStopping = false
        /// True when ``run()`` has ended: no call is out any more.
        var hasEnded = false
        /// The lines by their providers' names.
        var lines: [String: Line] = [:]
        /// The hash of the catalogue that the lines run by; nil before the first.
        var followed: String?
        /// The callers of each provider, as of the last heartbeat.
        var callers = ProviderCallers()
        /// The first error that ended a line.
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let gates: SendGates
    /// The lines that are to be started. The stream ends at the stop.
    private let starting: AsyncStream<Line>
    private let start: AsyncStream<Line>.Continuation

    init(_ runtime: Runtime, channels: Set<Channel>, worker: String) {
        self.runtime = runtime
        self.channels = channels
        self.worker = worker
        breakers = BreakerLog(runtime.logger)
        gates = SendGates(report: breakers.report)
        (starting, start) = AsyncStream.makeStream()
    }

    /// Runs until ``stop()``. Throws if the catalogue has no provider for the channels, or if a line ended with an error.
    func run() async throws {
        defer { state.withLock { $0.hasEnded = true } }
        try await follow(runtime.catalogues.current.catalogue)
        guard !state.withLock(\.lines.isEmpty) else {
            throw Failure(.config, "the catalogue has no provider for \(channels.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        await withDiscardingTaskGroup { group in
            // A task for each line, until its consumers are stopped; the group awaits all.
            for await line in starting { group.addTask { await self.run(line) } }
        }
        if let failure = state.withLock(\.failure) { throw failure }
    }

    private func run(_ line: Line) async {
        do {
            try await line.run(worker: worker, gates: gates, budget: budget)
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            await stop()
        }
    }

    func stop() async {
        let lines = state.withLock { state in
            state.isStopping = true
            return state.lines.values
        }
        start.finish()
        for line in lines { await line.stop() }
    }

    /// Replaces the lines that a catalogue changes. All other lines go on. Does nothing if the role already follows this catalogue.
    func follow(_ catalogue: Catalogue) async throws {
        guard state.withLock({ !$0.isStopping && $0.followed != catalogue.hash }) else { return }
        let running = state.withLock(\.lines)
        let plans = LinePlan.all(of: catalogue, channels: channels)
        let lines = try plans.map { plan in
            if let same = running[plan.binding.name], same.plan == plan { return same }
            return try Line(plan, runtime: runtime)
        }
        let limits = Dictionary(lines.flatMap(\.called).map { ($0.name, $0.limits) }) { first, _ in first }
        // Until a process has reported which providers it calls, it counts as a caller of every provider.
        let (anybody, ofEach) = state.withLock { ($0.callers.ofAny, $0.callers.ofEach) }
        gates.admit(limits, among: anybody, now: runtime.store.clock.now())
        gates.divide(among: ofEach, now: runtime.store.clock.now())
        gates.keep(only: Set(limits.keys))
        let isStopping = state.withLock { state in
            guard !state.isStopping else { return true }
            state.lines = Dictionary(lines.map { ($0.plan.binding.name, $0) }) { first, _ in first }
            state.followed = catalogue.hash
            return false
        }
        guard !isStopping else { return }
        for line in lines where running[line.plan.binding.name] !== line { start.yield(line) }
        for line in running.values where !lines.contains(where: { $0 === line }) { await line.stop() }
        if lines.isEmpty {
            runtime.logger.error("the active catalogue has no provider for the channels of this process: it delivers nothing")
        }
    }

    /// The hash of the catalogue that the lines run by; nil before the first.
    var followed: String? { state.withLock(\.followed) }

    // MARK: Shares

    /// The names of the providers that this process calls; none when the role has ended.
    var providers: [String] {
        let lines = state.withLock { $0.hasEnded ? [] : Array($0.lines.values) }
        return Set(lines.flatMap(\.called).map(\.name)).sorted()
    }

    func share(with callers: ProviderCallers) {
        let before = state.withLock { state in
            defer { state.callers = callers }
            return state.callers
        }
        gates.divide(among: callers.ofEach, now: runtime.store.clock.now())
        for (provider, count) in callers.ofEach.sorted(by: { $0.key < $1.key }) where count != before.ofEach[provider, default: 1] {
            runtime.logger.notice(
                "a provider's rate and concurrency are divided among its callers",
                metadata: ["provider": "\(provider)", "callers": "\(count)"])
        }
    }
}

/// The plan of a line. If two catalogues have equal plans for a line, the line goes on.
private struct LinePlan: Equatable {
    let binding: ProviderBinding
    /// The providers that wake apps, for a line that plans local notifications. Empty for any other line.
    let carriers: [ProviderBinding]

    static func all(of catalogue: Catalogue, channels: Set<Channel>) -> [LinePlan] {
        catalogue.providers.values.filter { channels.contains($0.channel) }.sorted { $0.name < $1.name }.map { binding in
            LinePlan(binding: binding, carriers: binding.kind == ProviderBinding.localPlanKind ? catalogue.pushCarriers : [])
        }
    }
}

/// A delivery line: one provider, with a consumer and a worker for each lane.
private final class Line: Sendable {
    let plan: LinePlan
    private let lanes: [(lane: Lane, consumer: AMQPConsumer)]
    private let runtime: Runtime
    private let provider: (any Provider)?
    /// The providers that wake apps, for a line that plans local notifications. Nil for any other line.
    private let carriers: [any Provider]?
    private let meters: DeliveryMeters
    private let calls: CallMeters?
    private let stopping = StopFlag()

    init(_ plan: LinePlan, runtime: Runtime) throws {
        let binding = plan.binding
        self.plan = plan
        self.runtime = runtime
        provider =
            ProviderBinding.ownKinds.contains(binding.kind)
            ? nil
            : ConfiguredProvider(binding, registry: runtime.providers, environment: runtime.settings.environment, logger: runtime.logger)
        carriers = binding.kind == ProviderBinding.localPlanKind ? plan.carriers.map(runtime.carrier) : nil
        meters = DeliveryMeters(runtime.metrics, channel: binding.channel, provider: binding.name)
        calls = provider.map { CallMeters(runtime.metrics, provider: $0.name) }
        let pace = PackReceiver.pace(atRate: provider?.limits.requestsPerSecond)
        lanes = try Lane.allCases.map { lane in
            let queue = QueueNames.deliver(channel: binding.channel, provider: binding.name, lane: lane)
            return (lane, try runtime.consumer(of: queue, prefetch: pace.prefetch, batch: pace.batch))
        }
    }

    var called: [any Provider] { [provider].compactMap(\.self) + (carriers ?? []) }

    /// Ends the intake. ``run(worker:gates:budget:)`` returns when the packs in work are finished.
    func stop() async {
        stopping.raise()
        for (_, consumer) in lanes { await consumer.stop() }
    }

    /// Runs until ``stop()``. Throws if a consumer cannot go on.
    ///
    /// - Parameter gates: the gates of all providers that are ``called``, shared with other lines.
    func run(worker: String, gates: SendGates, budget: PackBudget) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A task for each consumer and one for the work, until the consumers are stopped; the group awaits all.
            for (_, consumer) in lanes { group.addTask { try await consumer.run() } }
            group.addTask { await self.deliver(worker: worker, gates: gates, budget: budget) }
            try await group.waitForAll()
        }
        for (_, consumer) in lanes { await consumer.close() }
        for provider in called { await provider.close() }
    }

    private func deliver(worker: String, gates: SendGates, budget: PackBudget) async {
        await withDiscardingTaskGroup { group in
            if let carriers {
                let waker = LocalPlanWaker(
                    store: runtime.store, catalogues: runtime.catalogues, carriers: carriers, gates: gates, logger: runtime.logger)
                // Runs beside the worker, which waits for packs. Cancelled below, when the worker has ended.
                group.addTask { await waker.run() }
            }
            await work(worker: worker, gate: provider.flatMap { gates[$0.name] }, budget: budget)
            // The worker has ended, so stop the waker. The waker of another process, or of the next start, takes the wakes that are still
            // stored.
            group.cancelAll()
        }
    }

    private func work(worker: String, gate: SendGate?, budget: PackBudget) async {
        await withDiscardingTaskGroup { group in
            // A worker for each lane: urgent packs never wait behind bulk packs.
            // Each worker ends when its consumer is stopped; the group awaits all.
            for (lane, consumer) in lanes {
                let store = runtime.store(of: lane)
                let receiver = PackReceiver(
                    store: store, consumer: consumer, lane: lane, balance: runtime.balance, stop: stopping,
                    progress: runtime.readiness.liveness.progress, logger: runtime.logger)
                if let provider, let calls {
                    // No gate: the provider left the catalogue before its line began.
                    guard let gate else { continue }
                    let worker = ProviderWorker(
                        store: store, catalogues: runtime.catalogues, provider: provider, gate: gate, budget: budget,
                        receiver: receiver, meters: meters, calls: calls, worker: worker, logger: runtime.logger)
                    group.addTask { await worker.run() }
                } else if carriers != nil {
                    let worker = LocalPlanWorker(
                        store: store, catalogues: runtime.catalogues, receiver: receiver, meters: meters, logger: runtime.logger)
                    group.addTask { await worker.run() }
                } else {
                    let worker = InboxWorker(
                        store: store, catalogues: runtime.catalogues, receiver: receiver, signals: runtime.signals, meters: meters,
                        logger: runtime.logger)
                    group.addTask { await worker.run() }
                }
            }
        }
    }
}

extension Runtime {
    /// Makes a separate instance of a provider that pushes to devices, to wake apps with.
    fileprivate func carrier(_ binding: ProviderBinding) -> any Provider {
        ConfiguredProvider(binding, registry: providers, environment: settings.environment, logger: logger)
    }
}
