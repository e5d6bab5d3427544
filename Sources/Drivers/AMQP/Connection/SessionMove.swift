/// Moves of a connection to another node, so that the connections of a process are spread evenly again after a node came back.
///
/// A connection that moves first lets its work end: a consumer settles its messages, and a publisher gets its confirms. Only then it is
/// closed. If the target does not answer, the next attempt goes to another node.
extension SessionOwner {
    /// Begins a move if it is time, and closes the connection when its work has ended. Returns true if the connection is closed.
    func leaveForMove(_ connection: BrokerConnection) throws(AMQPError) -> Bool {
        guard session.isRunning else { return false }
        let now = ContinuousClock.now
        guard let move = session.move else {
            guard canMove, let target = connection.move(canTry: canTryNodes, at: now) else { return false }
            session.beginMove(.init(target: target, until: now.advanced(by: NodeOrder.longestDrain)))
            log(.moving(from: connection.seat.node, to: configuration.nodes[target]))
            try drain(connection)
            return false
        }
        // The broker tells the end of an alarm over the connection that it has blocked.
        if isDrained, !session.isBlocked {
            connection.close()
            session.drained(at: now)
            resume()
            return true
        }
        if move.until <= now {
            connection.postponeMove()
            endMove()
            resume()
        }
        return false
    }

    /// Ends a move, successfully or not. Another connection of the process may begin one after a short pause.
    func endMove() {
        session.endMove()
        configuration.brokerNodes.moveEnded(pause: configuration.moveInterval * .random(in: 0.1...0.5))
    }
}
