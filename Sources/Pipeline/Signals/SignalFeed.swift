public import Logging
import Synchronization
public import TidingsAMQP
public import TidingsContracts
import TidingsCore
public import TidingsMetrics

/// Follows the signals of all processes, and hands the changes to its owner.
///
/// Signals may be lost. The feed says so with ``Event/gap``, as far as it can know: while it was disconnected, and when its owner was too
/// slow. A signal that the sender or the broker dropped leaves no trace. The owner therefore also reads everything now and then.
public final class SignalFeed: Sendable {
    public enum Event: Sendable, Equatable {
        /// Changes in the order in which they arrived. A person may stand there several times.
        case changes([InboxSignal.Person])
        /// Changes may have been missed before this moment, and none is missed from now on. The first event is always a gap.
        case gap
    }

    /// The number of unsettled signals that the broker allows.
    public static let prefetch = 200
    /// The bounds of a batch. A signal hardly waits for others.
    public static let batch = BatchPolicy(maximumMessages: 100, maximumBytes: 1 << 20, maximumDelay: .milliseconds(1))
    /// The number of signals that wait in the broker. The broker drops the oldest beyond it.
    public static let queueLength = 10_000
    /// The bytes of signals that wait in the broker.
    public static let queueBytes = 16 << 20
    /// The number of people whose changes wait for the owner. With one more, all are dropped and become a gap.
    public static let maximumPeople = 20_000

    private let consumer: AMQPConsumer
    private let metrics: Metrics
    private let logger: Logger
    private let shared: Shared

    /// The buffer between the reading and the owner.
    private final class Shared: Sendable {
        let buffer = Mutex(SignalBuffer(limit: SignalFeed.maximumPeople))
        /// A value for each time that the buffer may have something. A single waiting value is enough.
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

        func gap() {
            buffer.withLock { $0.gap() }
            arrival.yield()
        }
    }

    /// - Parameter log: gets the events of the feed's link to the broker.
    ///
    /// Throws ``AMQPError/socket(_:)`` when the process has no file descriptor or thread left.
    public init(
        configuration: AMQPConfiguration, connectionName: String = "tidings signal feed", metrics: Metrics, logger: Logger,
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws(AMQPError) {
        let shared = Shared()
        (self.metrics, self.logger, self.shared) = (metrics, logger, shared)
        let queue = OwnQueue(
            name: QueueNames.realtimeQueue, exchange: .realtime, maximumMessages: Self.queueLength, maximumBytes: Self.queueBytes)
        consumer = try AMQPConsumer.make(
            configuration: configuration, connectionName: connectionName, ownQueue: queue, prefetch: Self.prefetch, batch: Self.batch,
            log: { event in
                // The queue is new, so it has nothing of what was published before.
                if case .consuming = event { shared.gap() }
                log(event)
            })
    }

    /// Calls `handle` with one event after the other until ``stop()``, or until the task is cancelled. Call it once.
    ///
    /// Throws the last error when ``ReconnectPolicy/maximumAttempts`` attempts in a row failed.
    public func run(_ handle: @escaping @Sendable (Event) async -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The three end with the consumer, and the group awaits them.
            group.addTask { try await self.consumer.run() }
            group.addTask { await self.read() }
            group.addTask { await self.hand(to: handle) }
            try await group.waitForAll()
        }
        await consumer.close()
    }

    /// Ends the feed. ``run(_:)`` returns when the owner has handled the current event.
    public func stop() async { await consumer.stop() }

    private func read() async {
        for await batch in consumer.batches {
            for message in batch.messages { receive(message) }
            await consumer.acknowledge(batch.tags)
        }
        shared.arrival.finish()
    }

    private func receive(_ message: AMQPMessage) {
        do throws(SignalDecodingError) {
            let signal = try InboxSignal.decode(message.body)
            metrics.signals[.received].add()
            if !shared.buffer.withLock({ $0.add(signal.people) }) { metrics.signals[.overrun].add() }
            shared.arrival.yield()
        } catch {
            metrics.signals[.ignored].add()
            logger.debug("ignored a message that is no signal of this version", metadata: ["error": "\(error)"])
        }
    }

    private func hand(to handle: @Sendable (Event) async -> Void) async {
        for await _ in shared.arrivals {
            for event in shared.buffer.withLock({ $0.dequeueAll() }) { await handle(event) }
        }
    }
}
