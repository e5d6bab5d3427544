/// Decides when an idle consumer looks at its queues from another node, and when it leaves its own node. A value without I/O.
///
/// A consumer that gets nothing cannot tell an empty queue from a node that delivers nothing. If another node sees messages in the queue, twice
/// in a row and with no delivery between the looks, the node of the consumer does not serve.
struct IdleWatch {
    /// The idle time before a look, and the time between two looks. An idle queue costs one passive declaration for each.
    let interval: Duration
    /// The time before the second look. A message that was just published is delivered meanwhile.
    let secondLook: Duration

    private var isLooking = false
    private var lookedAt: ContinuousClock.Instant?
    /// The begin of the idle time in which the last look saw messages.
    private var seenSince: ContinuousClock.Instant?

    init(interval: Duration = AMQPConsumer.lookInterval) {
        self.interval = interval
        secondLook = interval / 5
    }

    /// The time of the next look of a consumer that is idle since `idleSince`. Nil while a look is under way.
    func due(idleSince: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if isLooking { return nil }
        guard let lookedAt, lookedAt > idleSince else { return idleSince.advanced(by: interval) }
        return lookedAt.advanced(by: seenSince == idleSince ? secondLook : interval)
    }

    mutating func begin() { isLooking = true }

    /// Ends a look. Returns whether the consumer leaves its node.
    ///
    /// - Parameters:
    ///   - messages: the number of ready messages. Nil if it is not known.
    ///   - idleSince: the begin of the idle time. Nil if the consumer was not idle during the whole look.
    mutating func ended(messages: Int?, idleSince: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Bool {
        isLooking = false
        lookedAt = now
        guard let messages, messages > 0, let idleSince else {
            seenSince = nil
            return false
        }
        let isSecond = seenSince == idleSince
        seenSince = isSecond ? nil : idleSince
        return isSecond
    }
}
