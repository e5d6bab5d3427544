import Synchronization
import TidingsAMQP

@testable import TidingsPipeline

/// A queue whose batches the test hands over. It notes how their messages leave it.
final class TestQueue: BatchQueue {
    enum Exit: Sendable, Equatable {
        case acknowledged([UInt64])
        case requeued([UInt64])
        /// Rejected for good.
        case dropped([UInt64])
    }

    private let (batches, handover) = AsyncStream.makeStream(of: MessageBatch.self)
    private let (exits, exit) = AsyncStream.makeStream(of: Exit.self)
    private let counts = Mutex((taken: 0, exits: 0))

    /// The number of batches that the loop has taken.
    var taken: Int { counts.withLock { $0.taken } }

    /// Whether messages have left the queue.
    var hasExits: Bool { counts.withLock { $0.exits > 0 } }

    func offer(_ messages: AMQPMessage...) { handover.yield(MessageBatch(messages: messages)) }

    /// No further batch comes.
    func stop() { handover.finish() }

    /// Waits for the next messages that leave the queue. Returns nil if the waiting task is cancelled.
    func nextExit() async -> Exit? {
        for await exit in exits { return exit }
        return nil
    }

    // MARK: BatchQueue

    func nextBatch() async -> MessageBatch? {
        for await batch in batches {
            counts.withLock { $0.taken += 1 }
            return batch
        }
        return nil
    }

    func acknowledge(_ tags: [DeliveryTag]) async { note(.acknowledged(tags.map(\.value))) }

    func reject(_ tags: [DeliveryTag], requeue: Bool) async {
        note(requeue ? .requeued(tags.map(\.value)) : .dropped(tags.map(\.value)))
    }

    private func note(_ exit: Exit) {
        counts.withLock { $0.exits += 1 }
        self.exit.yield(exit)
    }
}
