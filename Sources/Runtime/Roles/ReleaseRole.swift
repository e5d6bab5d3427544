import TidingsAMQP
import TidingsModules
import TidingsPipeline
import TidingsStore

/// The release role: releases waiting deliveries, publishes the events that SQL enqueued, ends snoozes, does the chores, and erases people.
final class ReleaseRole: Sendable {
    private let runtime: Runtime
    private let releaser: Releaser
    private let relay: Relay
    private let waker: SnoozeWaker
    private let upkeep: Upkeep
    private let eraser: Eraser
    private let control: AMQPControl
    private let work = StoppableWork()

    init(_ runtime: Runtime) throws {
        self.runtime = runtime
        control = try AMQPControl.make(configuration: runtime.amqp, connectionName: "tidings upkeep")
        releaser = Releaser(
            stores: runtime.store(of:), catalogues: runtime.catalogues, zones: runtime.zones, publisher: runtime.packs,
            balance: runtime.balance, progress: runtime.readiness.liveness.progress, metrics: runtime.metrics, logger: runtime.logger)
        relay = Relay(
            store: runtime.store, catalogues: runtime.catalogues, publisher: runtime.publisher, watch: runtime.readiness.packs,
            progress: runtime.readiness.liveness.progress, metrics: runtime.metrics, logger: runtime.logger)
        waker = SnoozeWaker(store: runtime.store, signals: runtime.signals, logger: runtime.logger)
        upkeep = Upkeep(
            store: runtime.store, catalogues: runtime.catalogues, control: control, retention: Settings.retention,
            metrics: runtime.metrics, logger: runtime.logger)
        eraser = Eraser(store: runtime.store, projections: runtime.modules.projections, metrics: runtime.metrics, logger: runtime.logger)
    }

    /// Runs until ``stop()``. If the stop comes first, ends at once. A turn that is cut short rolls back, and the next releaser repeats it.
    func run() async {
        await work.run([
            { await self.releaser.run() },
            { await self.relay.run() },
            { await self.waker.run() },
            { await self.upkeep.run() },
            { await self.eraser.run() },
        ])
        await control.close()
    }

    func stop() {
        work.stop()
    }
}
