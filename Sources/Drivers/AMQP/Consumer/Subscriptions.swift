/// The state of each queue of a consumer. A value without I/O.
struct Subscriptions {
    enum State: Equatable {
        /// Consume the queue at this time, or as soon as there is a connection after it.
        case due(ContinuousClock.Instant)
        /// The consumer was requested, and the broker has not answered.
        case starting(tag: String)
        case consuming(tag: String)
        /// The queue is lost, and its owner is being informed.
        case restoring
    }

    private struct Entry {
        let queue: String
        var state: State
        var backoff: ReconnectBackoff
    }

    private var entries: [Entry]
    /// A counter that makes every consumer tag unique: RabbitMQ 3.10 can stop delivering if tags are reused in quick succession.
    private var nextTag = 0
    private let tagPrefix: String

    init(queues: [String], policy: ReconnectPolicy, now: ContinuousClock.Instant) {
        // No attempt limit: the consumer retries a lost queue for ever, because only the connection has a limit.
        let backoff = ReconnectBackoff(ReconnectPolicy(base: policy.base, cap: policy.cap))
        entries = queues.map { Entry(queue: $0, state: .due(now), backoff: backoff) }
        tagPrefix = "tidings-" + String(UInt64.random(in: .min ... .max), radix: 36) + "-"
    }

    private var isStarting: Bool {
        entries.contains { if case .starting = $0.state { true } else { false } }
    }

    /// Whether the broker has accepted a consumer for every queue.
    var areConsuming: Bool {
        entries.allSatisfy { if case .consuming = $0.state { true } else { false } }
    }

    /// The earliest time at which ``takeDue(now:)`` returns a request.
    var nextDue: ContinuousClock.Instant? {
        isStarting ? nil : entries.compactMap { if case .due(let moment) = $0.state { moment } else { nil } }.min()
    }

    struct Request: Equatable {
        var queue: String
        var tag: String
        /// Whether the queue was lost before. A request for it may close the channel and end the deliveries of all other consumers.
        var isDoubtful: Bool
    }

    /// Returns the queue to consume now, with a new tag, and marks it as starting.
    ///
    /// Only one queue starts at a time. If a channel closes, answers still on their way may be lost. With one starting queue, it is certain
    /// which queue the broker refused.
    mutating func takeDue(now: ContinuousClock.Instant) -> Request? {
        guard !isStarting else { return nil }
        for index in entries.indices {
            guard case .due(let moment) = entries[index].state, moment <= now else { continue }
            nextTag += 1
            let tag = tagPrefix + String(nextTag)
            entries[index].state = .starting(tag: tag)
            return Request(queue: entries[index].queue, tag: tag, isDoubtful: entries[index].backoff.failures > 0)
        }
        return nil
    }

    /// Records that the broker accepted the consumer. Returns its queue.
    mutating func started(_ tag: String) -> String? {
        guard let index = index(of: tag), entries[index].state == .starting(tag: tag) else { return nil }
        entries[index].state = .consuming(tag: tag)
        entries[index].backoff.reset()
        return entries[index].queue
    }

    func queue(of tag: String) -> String? { index(of: tag).map { entries[$0].queue } }

    /// Records that the broker cancelled the consumer. Returns its queue, which now waits for ``restored(_:now:)``.
    mutating func cancelled(_ tag: String) -> String? {
        guard let index = index(of: tag) else { return nil }
        entries[index].state = .restoring
        return entries[index].queue
    }

    /// Records that the channel closed. If a queue was starting, the broker refused it. Returns this queue, or nil.
    mutating func refused() -> String? {
        for case .starting(let tag) in entries.map(\.state) { return cancelled(tag) }
        return nil
    }

    /// Records that the owner was informed. The first retry is due at once, and later ones after growing pauses.
    mutating func restored(_ queue: String, now: ContinuousClock.Instant) {
        for index in entries.indices where entries[index].queue == queue && entries[index].state == .restoring {
            let isFirst = entries[index].backoff.failures == 0
            let delay = entries[index].backoff.nextDelay() ?? .zero
            entries[index].state = .due(isFirst ? now : now.advanced(by: delay))
        }
    }

    /// Makes every consumed queue due again, for the next connection or channel.
    mutating func connectionLost(now: ContinuousClock.Instant) {
        for index in entries.indices {
            switch entries[index].state {
            case .starting, .consuming: entries[index].state = .due(now)
            case .due, .restoring: continue
            }
        }
    }

    /// The tags of all consumers that the broker has or may have.
    var liveTags: [String] {
        entries.compactMap {
            switch $0.state {
            case .starting(let tag), .consuming(let tag): tag
            case .due, .restoring: nil
            }
        }
    }

    private func index(of tag: String) -> Int? {
        entries.firstIndex { $0.state == .starting(tag: tag) || $0.state == .consuming(tag: tag) }
    }
}
