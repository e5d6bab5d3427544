import Logging
import TidingsAMQP
import TidingsCore
import TidingsWaiting

/// The queue of a ``BatchLoop``: the batches, and the two ways in which their messages leave it.
protocol BatchQueue: Sendable {
    /// Waits for a batch. Returns nil if the queue is stopped, and if the waiting task is cancelled.
    func nextBatch() async -> MessageBatch?
    func acknowledge(_ tags: [DeliveryTag]) async
    func reject(_ tags: [DeliveryTag], requeue: Bool) async
}

extension AMQPConsumer: BatchQueue {}

/// Reads batches off a queue and has each of them handled, a few at once.
///
/// `handle` acknowledges its batch when everything that follows from it is committed, and not before. So a crash at any point loses
/// nothing: the broker redelivers a batch that was not acknowledged. If `handle` throws, the batch is requeued.
package struct BatchLoop: Sendable {
    /// The pause before a batch that could not be handled is requeued. Without it, a message would use up its twenty deliveries within
    /// milliseconds.
    package static let pauseBeforeRequeue = Duration.seconds(1)

    let queue: any BatchQueue
    /// The number of batches in work at once.
    let width: Int
    /// The side of the queue in the balance of the lanes. Bulk work yields to urgent work.
    let lane: Lane
    let balance: LaneBalance
    /// Raised at the stop, before the queue is stopped. A batch that ends with a `CancellationError` is then requeued without a pause.
    let stop: StopFlag
    let progress: ProgressWatch
    let logger: Logger

    /// Runs until the queue is stopped, then awaits the batches in work.
    func run(_ handle: @escaping @Sendable (MessageBatch) async throws -> Void) async {
        await withDiscardingTaskGroup { group in
            let slots = Slots(width)
            while let batch = await queue.nextBatch() {
                await slots.reserve()
                if lane == .bulk { await balance.yieldToUrgent() }
                // The next batch is read meanwhile. The slots bound the tasks, and the group awaits all of them.
                group.addTask {
                    do {
                        try await progress.during("queue \(batch.messages.first?.queue ?? "")") { try await handle(batch) }
                    } catch {
                        await requeue(batch, because: error)
                    }
                    slots.giveBack()
                }
            }
        }
    }

    private func requeue(_ batch: MessageBatch, because error: any Error) async {
        if !(error is CancellationError && stop.isRaised) {
            let name = batch.messages.first?.queue ?? ""
            logger.warning(
                "a batch is requeued", metadata: ["queue": "\(name)", "messages": "\(batch.messages.count)", "error": "\(error)"])
            // Nothing signals that the next try would succeed. The stop cancels the pause.
            try? await Task.sleep(for: Self.pauseBeforeRequeue)
        }
        await queue.reject(batch.tags, requeue: true)
    }
}
