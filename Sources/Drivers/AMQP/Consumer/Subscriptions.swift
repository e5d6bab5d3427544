/// Where each queue of a consumer stands. A value without I/O.
struct Subscriptions {
    enum State: Equatable {
        /// To be consumed at this moment, once there is a connection.
        case due(ContinuousClock.Instant)
        /// Asked for; the broker has not answered.
        case starting(tag: String)
        case consuming(tag: String)
        /// Gone; its owner is being told.
        case restoring
    }

    private struct Entry {
        let queue: String
        var state: State
        var backoff: Backoff
    }

    private var entries: [Entry]
    /// Makes every consumer tag new: RabbitMQ 3.10 can stop delivering when tags are reused in quick succession.
    private var nextTag = 0
    private let tagPrefix: String

    init(queues: [String], policy: ReconnectPolicy, now: ContinuousClock.Instant) {
        // A lost queue is asked for again for ever: only the connection has an attempt limit.
        let backoff = Backoff(ReconnectPolicy(base: policy.base, cap: policy.cap))
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

    /// The earliest moment at which ``takeDue(now:)`` has something.
    var nextDue: ContinuousClock.Instant? {
        isStarting ? nil : entries.compactMap { if case .due(let moment) = $0.state { moment } else { nil } }.min()
    }

    struct Request: Equatable {
        var queue: String
        var tag: String
        /// It was lost before: asking for it may close the channel, and with it every other consumer's deliveries.
        var isDoubtful: Bool
    }

    /// The queue to consume now, with a fresh tag; it counts as starting.
    ///
    /// One at a time: when a channel closes, answers already under way may be lost, so only then is it sure which queue was refused.
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

    /// The broker accepted the consumer; returns its queue.
    mutating func started(_ tag: String) -> String? {
        guard let index = index(of: tag), entries[index].state == .starting(tag: tag) else { return nil }
        entries[index].state = .consuming(tag: tag)
        entries[index].backoff.reset()
        return entries[index].queue
    }

    func queue(of tag: String) -> String? { index(of: tag).map { entries[$0].queue } }

    /// The broker cancelled the consumer; returns its queue, which now waits for ``restored(_:now:)``.
    mutating func cancelled(_ tag: String) -> String? {
        guard let index = index(of: tag) else { return nil }
        entries[index].state = .restoring
        return entries[index].queue
    }

    /// The channel closed: the broker refused the queue that was starting, if one was; returns it.
    mutating func refused() -> String? {
        for case .starting(let tag) in entries.map(\.state) { return cancelled(tag) }
        return nil
    }

    /// The owner was told. The queue is asked for at once the first time, later with growing pauses.
    mutating func restored(_ queue: String, now: ContinuousClock.Instant) {
        for index in entries.indices where entries[index].queue == queue && entries[index].state == .restoring {
            let isFirst = entries[index].backoff.failures == 0
            let delay = entries[index].backoff.nextDelay() ?? .zero
            entries[index].state = .due(isFirst ? now : now.advanced(by: delay))
        }
    }

    /// Everything that was consumed must be asked for on the next connection or channel.
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
