import DequeModule
import TidingsAMQP
import TidingsCore
import TidingsWaiting

/// Refused packs of one lane that are published again, by their queues. A value without I/O: times and random numbers are arguments.
///
/// After a refusal, a queue gets one pack as a trial, and the pauses between its trials grow. When the broker takes the trial, the other
/// packs of the queue follow. So a queue that stays full costs little, and delays no other queue.
package struct RefusalLine {
    /// The number of packs that wait.
    package static let limit = 1_000
    /// The number of packs of one queue. A queue that is full for long leaves room for the other queues.
    package static let limitOfQueue = 250
    /// The bytes of encoded packs that wait.
    package static let maximumBytes = 8 << 20
    /// The number of packs of one queue that follow a trial together.
    package static let batch = 50
    /// The time after its first publish for which a pack is kept. It ends well before a releaser publishes the pack again.
    package static let patience = Duration.seconds(20)
    /// The longest pause between two trials of a queue. The first pause is a tenth of it.
    package static let longestPause = Duration.seconds(1)
    private static let backoff = Backoff(base: longestPause / 10, cap: longestPause, jitter: 0.5)

    private struct Queue {
        var packs: Deque<RefusedPack> = []
        /// Whether only one pack goes out next, because the broker refused the last one.
        var isTrial = true
        var dueAt: ContinuousClock.Instant
    }

    private var queues: [String: Queue] = [:]
    private(set) var count = 0
    private(set) var bytes = 0

    /// Takes a pack over. Returns false if there is no room.
    mutating func add(_ pack: RefusedPack, at now: ContinuousClock.Instant, random: Double = .random(in: 0..<1)) -> Bool {
        guard count < Self.limit, bytes + pack.bytes <= Self.maximumBytes else { return false }
        var queue = queues[pack.queue] ?? Queue(dueAt: now.advanced(by: Self.backoff.pause(afterFailure: 1, random: random)))
        guard queue.packs.count < Self.limitOfQueue else { return false }
        queue.packs.append(pack)
        queues[pack.queue] = queue
        count += 1
        bytes += pack.bytes
        return true
    }

    /// The time of the next trial. Nil if no pack waits.
    var nextDue: ContinuousClock.Instant? { queues.values.map(\.dueAt).min() }

    /// Removes the packs that are published now. Also removes the packs whose patience has ended, which are left to a releaser.
    mutating func dequeue(at now: ContinuousClock.Instant) -> (due: [RefusedPack], left: [RefusedPack]) {
        var (due, left): ([RefusedPack], [RefusedPack]) = ([], [])
        for name in queues.keys.sorted() {
            guard var queue = queues[name], queue.dueAt <= now else { continue }
            while let first = queue.packs.first, first.publishedAt.advanced(by: Self.patience) <= now {
                left.append(queue.packs.removeFirst())
            }
            for _ in 0..<min(queue.isTrial ? 1 : Self.batch, queue.packs.count) { due.append(queue.packs.removeFirst()) }
            queues[name] = queue.packs.isEmpty ? nil : queue
        }
        count -= due.count + left.count
        bytes -= (due + left).reduce(0) { $0 + $1.bytes }
        return (due, left)
    }

    /// Records that the broker took packs of a queue. The other packs of the queue are due at once.
    mutating func accepted(by name: String, at now: ContinuousClock.Instant) {
        queues[name]?.isTrial = false
        queues[name]?.dueAt = now
    }

    /// Puts a pack that the broker refused again back to the front of its queue, and plans the next trial of the queue.
    mutating func refused(_ pack: RefusedPack, at now: ContinuousClock.Instant, random: Double = .random(in: 0..<1)) {
        var pack = pack
        pack.refusals += 1
        var queue = queues[pack.queue] ?? Queue(dueAt: now)
        queue.packs.prepend(pack)
        queue.isTrial = true
        queue.dueAt = now.advanced(by: Self.backoff.pause(afterFailure: pack.refusals, random: random))
        queues[pack.queue] = queue
        count += 1
        bytes += pack.bytes
    }

    /// Removes all packs and returns their number.
    mutating func removeAll() -> Int {
        defer { self = RefusalLine() }
        return count
    }
}

/// A pack that the broker refused.
struct RefusedPack {
    let id: PackID
    let message: OutgoingMessage
    /// The time of the first attempt to publish the pack.
    let publishedAt: ContinuousClock.Instant
    /// The number of refusals of this pack in a row.
    var refusals = 1

    var queue: String { message.routingKey }
    var bytes: Int { message.body.count }
}
