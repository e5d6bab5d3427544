import Logging
import Synchronization
import TidingsAMQP
import TidingsCore
import TidingsDelivery
import TidingsProvider
import TidingsStore
import TidingsWire

/// The deliver role: a worker for each provider and lane of its channels. When another catalogue becomes active the workers finish what they
/// hold and start again with its providers.
final class DeliverRole: Sendable {
    private let runtime: Runtime
    private let channels: Set<Channel>
    private let worker: String

    private struct State {
        var isStopping = false
        var consumers: [AMQPConsumer] = []
    }

    private let state = Mutex(State())

    init(_ runtime: Runtime, channels: Set<Channel>, worker: String) {
        self.runtime = runtime
        self.channels = channels
        self.worker = worker
    }

    /// Runs until ``stop()``.
    func run() async throws {
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

    private func runOnce(_ catalogue: Catalogue) async throws {
        let lines = try bindings(catalogue).map { try Line($0, runtime: runtime) }
        let consumers = lines.flatMap(\.consumers)
        let proceed = state.withLock { state in
            state.consumers = consumers
            return !state.isStopping
        }
        guard proceed, !consumers.isEmpty else {
            throw Failure(.config, "the catalogue has no provider for \(channels.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for consumer in consumers { group.addTask { try await consumer.run() } }
            for line in lines { group.addTask { await line.run(worker: self.worker) } }
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
    /// Of a line that plans: who wakes the apps.
    private let waker: LocalPlanWaker?
    private let meters: DeliveryMeters
    private let calls: CallMeters?

    init(_ binding: ProviderBinding, runtime: Runtime) throws {
        self.runtime = runtime
        provider =
            ProviderBinding.ownKinds.contains(binding.kind)
            ? nil
            : ConfiguredProvider(binding, registry: runtime.providers, environment: runtime.settings.environment, logger: runtime.logger)
        waker =
            binding.kind == ProviderBinding.localPlanKind
            ? LocalPlanWaker(store: runtime.store, catalogues: runtime.catalogues, carriers: runtime.carriers(), logger: runtime.logger)
            : nil
        meters = DeliveryMeters(runtime.metrics, channel: binding.channel, provider: binding.name)
        calls = provider.map { CallMeters(runtime.metrics, provider: $0.name) }
        lanes = try Lane.allCases.map { lane in
            let queue = QueueNames.deliver(channel: binding.channel, provider: binding.name, lane: lane)
            return (lane, try runtime.consumer(of: queue, prefetch: PackIntake.prefetch, batch: PackIntake.batch))
        }
    }

    var consumers: [AMQPConsumer] { lanes.map(\.consumer) }

    func run(worker: String) async {
        // Both lanes share the provider's bounds.
        let gate = provider.map { SendGate($0.limits, now: runtime.store.clock.now()) }
        await withDiscardingTaskGroup { group in
            // Beside the worker, which waits for packs; cancelled below, when that has ended.
            if let waker { group.addTask { await waker.run() } }
            await work(worker: worker, gate: gate)
            // Wakes go on until the last pack is planned; the ones that wait then are the next worker's.
            group.cancelAll()
        }
    }

    private func work(worker: String, gate: SendGate?) async {
        await withDiscardingTaskGroup { group in
            for (lane, consumer) in lanes {
                let store = runtime.store(of: lane)
                let packs = PackIntake(
                    store: store, consumer: consumer, lane: lane, balance: runtime.balance, logger: runtime.logger)
                if let provider, let calls, let gate {
                    let worker = ProviderWorker(
                        store: store, catalogues: runtime.catalogues, provider: provider, gate: gate, packs: packs,
                        meters: meters, calls: calls, worker: worker, logger: runtime.logger)
                    group.addTask { await worker.run() }
                } else if waker != nil {
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
        await provider?.close()
        await waker?.close()
    }
}

extension Runtime {
    /// A provider of its own for each that pushes to devices, to wake apps with.
    fileprivate func carriers() -> [any Provider] {
        catalogues.current.catalogue.providers.values
            .filter { $0.channel == .push && $0.addressing == .device && !$0.copy }.sorted { $0.name < $1.name }
            .map { ConfiguredProvider($0, registry: providers, environment: settings.environment, logger: logger) }
    }
}
