import Logging
import TidingsAMQP
import TidingsMetrics

extension Metrics {
    /// Records an event of a link to the broker.
    func record(_ event: AMQPEvent, of link: String) {
        switch event {
        case .connected(let generation):
            brokerConnected(link).set(1)
            if generation > 1 { brokerReconnects.add() }
        case .disconnected:
            brokerConnected(link).set(0)
            brokerBlocked(link).set(0)
        case .leftNode: brokerNodesLeft.add()
        case .blocked: brokerBlocked(link).set(1)
        case .unblocked: brokerBlocked(link).set(0)
        case .stopped:
            brokerConnected.forget(link)
            brokerBlocked.forget(link)
        case .moving, .consuming, .queueLost, .confirmTimedOut, .republishing: break
        }
    }
}

extension Logger {
    /// Tells that this process tries a node of the broker last for a while. One line for all connections to the node.
    func leftNode(_ node: AMQPNode, _ error: AMQPError) {
        warning(
            "a node of the broker cannot serve, trying it last for a while", metadata: ["node": "\(node)", "error": "\(error)"])
    }
}

extension Logger {
    /// Tells that a link moves to a node with fewer links.
    func moving(_ link: String, from old: AMQPNode, to new: AMQPNode) {
        notice(
            "moving to a node of the broker with fewer connections", metadata: ["link": "\(link)", "from": "\(old)", "to": "\(new)"])
    }
}

extension Runtime {
    /// Logs and counts the events of a link that carries signals. Such a link never makes the process unready, because every signal may be
    /// lost.
    static func logSignals(
        _ link: String, _ logger: Logger, _ metrics: Metrics, _ readiness: Readiness
    ) -> @Sendable (AMQPEvent) -> Void {
        { event in
            metrics.record(event, of: link)
            readiness.recordBlock(event, of: link)
            switch event {
            case .connected(let generation) where generation > 1: logger.notice("connected again", metadata: ["link": "\(link)"])
            case .disconnected(let error, _):
                logger.warning(
                    "disconnected: changes of inboxes are told late", metadata: ["link": "\(link)", "error": "\(error)"])
            case .leftNode(let node, let error): logger.leftNode(node, error)
            case .moving(let old, let new): logger.moving(link, from: old, to: new)
            case .blocked(let reason):
                logger.warning(
                    "the broker blocks signals: changes of inboxes are told late", metadata: ["link": "\(link)", "reason": "\(reason)"])
            case .unblocked: logger.notice("the broker accepts again", metadata: ["link": "\(link)"])
            case .queueLost(_, let error):
                logger.warning("the queue of signals was lost", metadata: ["link": "\(link)", "error": "\(error)"])
            case .connected, .consuming, .confirmTimedOut, .republishing, .stopped: break
            }
        }
    }
}

extension Readiness {
    /// Records an event of a link to the broker.
    ///
    /// A publisher that has had nothing to publish has no link and needs none.
    ///
    /// Returns false for the end of a link if its successor of the same name is still needed.
    func record(_ event: AMQPEvent, of link: String) -> Bool {
        recordBlock(event, of: link)
        switch event {
        case .connected, .consuming: self.link(link, isUp: true)
        case .disconnected, .queueLost: self.link(link, isUp: false)
        case .stopped: return forget(link: link)
        case .leftNode, .moving, .blocked, .unblocked, .confirmTimedOut, .republishing: break
        }
        return true
    }

    /// Records a block of a link and its end. The link of signals also tells of an alarm, although it never makes the process unready.
    func recordBlock(_ event: AMQPEvent, of link: String) {
        switch event {
        case .blocked(let reason): block(link: link, reason)
        case .unblocked, .disconnected, .stopped: block(link: link, nil)
        // No other event says anything about a block.
        default: break
        }
    }
}
