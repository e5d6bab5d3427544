/// What a consumer or publisher tells its owner, for logs and metrics. Called on the connection's own thread: return quickly.
public enum AMQPEvent: Sendable {
    /// A connection is open; `generation` is 1 for the first of this object, and more for each later one.
    case connected(generation: UInt64)
    /// A connection was lost or an attempt failed. `retryIn` is nil when no further attempt follows.
    case disconnected(AMQPError, retryIn: Duration?)
    /// The broker stopped reading from this connection, for the reason it gives (low on memory, low on disk).
    case blocked(reason: String)
    case unblocked
    /// Deliveries of this queue have begun.
    case consuming(queue: String)
    /// The queue is gone or its consumer was refused; the owner's `onQueueLost` is called next.
    case queueLost(queue: String, AMQPError)
    /// The oldest of `inFlight` messages got no answer in time; the connection is dropped and they are published again.
    case confirmTimedOut(inFlight: Int)
    /// Messages whose fate is unknown go out again with the same message ids.
    case republishing(count: Int)
    case stopped
}
