internal import DequeModule

/// The times at which an idle consumer does something, and the ways in which it leaves its node.
extension AMQPConsumer {
    /// The time since which the channel is idle. Nil while it is in use.
    var idleSince: ContinuousClock.Instant? {
        guard session.isRunning, session.move == nil, ledger.openCount == 0, acknowledgements.isEmpty, subscriptions.areConsuming else {
            return nil
        }
        return busyAt
    }

    /// The time at which the idle channel is renewed, or its own queue is bound again. Nil while the channel is in use.
    var renewalDue: ContinuousClock.Instant? { idleSince?.advanced(by: idleLimit) }

    /// The time of the next look from another node. Nil while the channel is in use, without another node, and for an own queue, which only
    /// its own node can look at.
    var lookDue: ContinuousClock.Instant? {
        guard configuration.brokerNodes.areSeveral, ownQueue == nil, let idleSince else { return nil }
        return idleWatch.due(idleSince: idleSince)
    }

    /// Asks another node whether messages wait while this consumer gets none, and leaves its node if they do.
    func look(besides seat: NodeSeat) {
        idleWatch.begin()
        let (since, generation) = (busyAt, session.generation)
        // The turn must not wait for another node. The task ends after one answer for each queue, or their time-outs.
        Task {
            var messages: Int?
            for queue in queues {
                let ready = await configuration.brokerNodes.witness.messages(in: queue, besides: seat.position, of: configuration)
                if let ready { messages = (messages ?? 0) + ready }
            }
            let wasIdle = session.generation == generation && idleSince == since
            if idleWatch.ended(messages: messages, idleSince: wasIdle ? since : nil, at: .now) {
                lost(.timedOut("messages of \(queues.joined(separator: ", ")), which another node has"))
            }
            advance()
        }
    }

    // MARK: Moving to another node

    var canMove: Bool { subscriptions.areConsuming }
    /// Another node would show that the consumer gets nothing. No other node knows an own queue.
    var canTryNodes: Bool { ownQueue == nil }

    /// Stops the consumers. Messages that were delivered are read and settled as usual.
    func drain(_ connection: BrokerConnection) throws(AMQPError) {
        stoppingTags = Set(subscriptions.liveTags)
        for tag in stoppingTags { try connection.stopConsumer(tag: tag) }
    }

    var isDrained: Bool {
        stoppingTags.isEmpty && ledger.openCount == 0 && acknowledgements.isEmpty && (graceEnd ?? .now) <= .now
    }

    /// The time at which the broker has acted on the last settlement. Nil without one.
    var graceEnd: ContinuousClock.Instant? { settledAt?.advanced(by: Self.settlementGrace) }

    func resume() {
        stoppingTags = []
        // A queue of the consumer's own ended with its consumer.
        ownName = nil
        subscriptions.connectionLost(now: .now)
    }
}
