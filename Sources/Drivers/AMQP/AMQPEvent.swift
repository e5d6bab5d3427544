/// An event of a consumer or publisher for its owner, for logs and metrics. It is reported on the connection's own thread: return quickly.
public enum AMQPEvent: Sendable {
    /// A connection is open. `generation` is 1 for the first connection of this object, and higher for each later one.
    case connected(generation: UInt64)
    /// A connection was lost or an attempt failed. `retryIn` is nil when no further attempt follows.
    case disconnected(AMQPError, retryIn: Duration?)
    /// A node of a cluster could not serve a connection, so this process tries the node last for a while. Reported once for all connections
    /// that leave the node together, before ``disconnected(_:retryIn:)``.
    case leftNode(AMQPNode, AMQPError)
    /// The connection moves to a node with fewer connections of this process. It is not lost: ``connected(generation:)`` follows when its work
    /// has ended. If the work does not end in time, the connection stays.
    case moving(from: AMQPNode, to: AMQPNode)
    /// The broker stopped reading from this connection. The reason is the broker's own (low on memory, low on disk).
    case blocked(reason: String)
    case unblocked
    /// The broker has accepted the consumer of this queue.
    case consuming(queue: String)
    /// The queue was deleted, or the broker refused its consumer. The owner's `onQueueLost` is called next.
    case queueLost(queue: String, AMQPError)
    /// The oldest of `inFlight` messages got no confirm in time. The connection is dropped and these messages are published again.
    case confirmTimedOut(inFlight: Int)
    /// Messages with an unknown outcome are published again with the same message ids.
    case republishing(count: Int)
    case stopped
}
