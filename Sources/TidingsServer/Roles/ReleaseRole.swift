import Synchronization
import TidingsAMQP
import TidingsRelease
import TidingsStore

/// The release role: what waits, what was enqueued by SQL, and the chores.
final class ReleaseRole: Sendable {
    private let runtime: Runtime
    private let releaser: Releaser
    private let relay: Relay
    private let upkeep: Upkeep
    private let control: AMQPControl
    private let running = Mutex<Task<Void, Never>?>(nil)

    init(_ runtime: Runtime) {
        self.runtime = runtime
        control = AMQPControl(configuration: runtime.settings.amqp, connectionName: "tidings upkeep")
        releaser = Releaser(
            stores: runtime.store(of:), catalogues: runtime.catalogues, zones: runtime.zones, publisher: runtime.packs,
            balance: runtime.balance,
            metrics: runtime.metrics,
            logger: runtime.logger)
        relay = Relay(
            store: runtime.store, catalogues: runtime.catalogues, publisher: runtime.publisher, metrics: runtime.metrics,
            logger: runtime.logger)
        upkeep = Upkeep(
            store: runtime.store, catalogues: runtime.catalogues, control: control, retention: Settings.retention, logger: runtime.logger)
    }

    /// Runs until ``stop()``. A turn that is cut short rolls back and is taken up by whoever runs next.
    func run() async {
        let task = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.releaser.run() }
                group.addTask { await self.relay.run() }
                group.addTask { await self.upkeep.run() }
            }
        }
        running.withLock { $0 = task }
        await task.value
        await control.close()
    }

    func stop() {
        running.withLock { $0?.cancel() }
    }
}
