import Logging
import Synchronization
import TidingsAMQP
import TidingsCore
import TidingsDelivery
import TidingsProvider
import TidingsStore
import TidingsWire

/// The deliver role: a worker for each provider and lane of its channels. When another catalogue becomes active the workers finish what they
/// hold and start again with its providers. Of what a provider takes it uses the share of one among all processes that call it.
final class DeliverRole: Sendable {
    private let runtime: Runtime
    private let channels: Set<Channel>
    private let worker: String

    private struct State {
        var isStopping = false
        /// Nothing is out any more.
        var hasEnded = false
        var consumers: [AMQPConsumer] = []
        var gates: SendGates?
        /// As of the last heartbeat.
        var callers = ProviderCallers()
    }

    private let state = Mutex(State())

    init(_ runtime: Runtime, channels: Set<Channel>, worker: String) {
        self.runtime = runtime
        self.channels = channels
        self.worker = worker
    }

    /// Runs until ``stop()``.
    func run() async throws {
        defer { state.withLock { $0.hasEnded = true } }
        while !state.withLock(\.isStopping) {
            try await runOnce(runtime.catalogues.current.catalogue)
        }
    }

    func stop() async {
        let consumers = state.withLock { state in
            state.isStopping = true
            return state.consumers
        }
        for consumer in consumers { await consumer.stop() }
    }

    /// The catalogue changed: new queues are declared and the workers start again.
    func restart() async {
        for consumer in state.withLock(\.consumers) { await consumer.stop() }
    }

    // MARK: Shares

    /// The providers that this process calls, by name; none when it has ended.
    var providers: [String] {
        if state.withLock(\.hasEnded) { return [] }
        let catalogue = runtime.catalogues.current.catalogue
        let bindings = bindings(catalogue)
        let called = bindings.filter { !ProviderBinding.ownKinds.contains($0.kind) }
        let carriers = bindings.contains { $0.kind == ProviderBinding.localPlanKind } ? catalogue.pushCarriers : []
        return Set((called + carriers).map(\.name)).sorted()
    }

    func share(with callers: ProviderCallers) {
        let (gates, before) = state.withLock { state in
            defer { state.callers = callers }
            return (state.gates, state.callers)
        }
        gates?.divide(among: callers.ofEach, now: runtime.store.clock.now())
        for (provider, count) in callers.ofEach.sorted(by: { $0.key < $1.key }) where count != before.ofEach[provider, default: 1] {
            runtime.logger.notice(
                "a provider's rate and concurrency are divided among its callers",
                metadata: ["provider": "\(provider)", "callers": "\(count)"])
        }
    }

    // MARK: A catalogue

    private func runOnce(_ catalogue: Catalogue) async throws {
        let lines = try bindings(catalogue).map { try Line($0, runtime: runtime) }
        let consumers = lines.flatMap(\.consumers)
        // Whoever calls others may call these as well, as long as they have not said.
        let gates = SendGates(
            Dictionary(lines.flatMap(\.called).map { ($0.name, $0.limits) }) { first, _ in first },
            among: state.withLock(\.callers.ofAny), now: runtime.store.clock.now())
        let (proceed, callers) = state.withLock { state in
            state.consumers = consumers
            state.gates = gates
            return (!state.isStopping, state.callers)
        }
        gates.divide(among: callers.ofEach, now: runtime.store.clock.now())
        guard proceed, !consumers.isEmpty else {
            throw Failure(.config, "the catalogue has no provider for \(channels.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // A task for each queue and each provider, until the queues' consumers are stopped; the group awaits all.
            for consumer in consumers { group.addTask { try await consumer.run() } }
            for line in lines { group.addTask { await line.run(worker: self.worker, gates: gates) } }
            try await group.waitForAll()
        }
        for consumer in consumers { await consumer.close() }
        for line in lines { await line.close() }
    }

    private func bindings(_ catalogue: Catalogue) -> [ProviderBinding] {
        catalogue.providers.values.filter { channels.contains($0.channel) }.sorted { $0.name < $1.name }
    }
}

/// One provider with a consumer for each lane.
private struct Line: Sendable {
    private let lanes: [(lane: Lane, consumer: AMQPConsumer)]
    private let runtime: Runtime
    private let provider: (any Provider)?
    /// Of a line that plans: by whom apps are woken. Nil for another.
    private let carriers: [any Provider]?
    private let meters: DeliveryMeters
    private let calls: CallMeters?

    init(_ binding: ProviderBinding, runtime: Runtime) throws {
        self.runtime = runtime
        provider =
            ProviderBinding.ownKinds.contains(binding.kind)
            ? nil
            : ConfiguredProvider(binding, registry: runtime.providers, environment: runtime.settings.environment, logger: runtime.logger)
        carriers = binding.kind == ProviderBinding.localPlanKind ? runtime.carriers() : nil
        meters = DeliveryMeters(runtime.metrics, channel: binding.channel, provider: binding.name)
        calls = provider.map { CallMeters(runtime.metrics, provider: $0.name) }
        lanes = try Lane.allCases.map { lane in
            let queue = QueueNames.deliver(channel: binding.channel, provider: binding.name, lane: lane)
            return (lane, try runtime.consumer(of: queue, prefetch: PackIntake.prefetch, batch: PackIntake.batch))
        }
    }

    var consumers: [AMQPConsumer] { lanes.map(\.consumer) }

    var called: [any Provider] { [provider].compactMap(\.self) + (carriers ?? []) }

    /// - Parameter gates: of everybody who is ``called``, and shared with other lines.
    func run(worker: String, gates: SendGates) async {
        await withDiscardingTaskGroup { group in
            if let carriers {
                let waker = LocalPlanWaker(
                    store: runtime.store, catalogues: runtime.catalogues, carriers: carriers, gates: gates, logger: runtime.logger)
                // Beside the worker, which waits for packs; cancelled below, when that has ended.
                group.addTask { await waker.run() }
            }
            await work(worker: worker, gate: provider.flatMap { gates[$0.name] })
            // Wakes go on until the last pack is planned; the ones that wait then are the next worker's.
            group.cancelAll()
        }
    }

    private func work(worker: String, gate: SendGate?) async {
        await withDiscardingTaskGroup { group in
            // A worker for each lane, so that urgent packs never wait behind bulk ones; each ends when its consumer is stopped, and the group awaits all.
            for (lane, consumer) in lanes {
                let store = runtime.store(of: lane)
                let packs = PackIntake(
                    store: store, consumer: consumer, lane: lane, balance: runtime.balance, logger: runtime.logger)
                if let provider, let calls, let gate {
                    let worker = ProviderWorker(
                        store: store, catalogues: runtime.catalogues, provider: provider, gate: gate, packs: packs,
                        meters: meters, calls: calls, worker: worker, logger: runtime.logger)
                    group.addTask { await worker.run() }
                } else if carriers != nil {
                    let worker = LocalPlanWorker(
                        store: store, catalogues: runtime.catalogues, packs: packs, meters: meters, logger: runtime.logger)
                    group.addTask { await worker.run() }
                } else {
                    let worker = InboxWorker(
                        store: store, catalogues: runtime.catalogues, packs: packs, meters: meters, logger: runtime.logger)
                    group.addTask { await worker.run() }
                }
            }
        }
    }

    func close() async {
        for provider in called { await provider.close() }
    }
}

extension Runtime {
    /// A provider of its own for each that pushes to devices, to wake apps with.
    fileprivate func carriers() -> [any Provider] {
        catalogues.current.catalogue.pushCarriers.map {
            ConfiguredProvider($0, registry: providers, environment: settings.environment, logger: logger)
        }
    }
}
