/// The limits of a batch. A batch is delivered as soon as one of them is reached.
public struct BatchPolicy: Sendable, Hashable {
    /// The number of batches whose bytes a consumer holds before delivery: one is read while the next waits. Further messages stay in the
    /// socket.
    public static let batchesHeld = 2

    /// The largest number of messages in a batch.
    public var maximumMessages: Int
    /// The largest number of bytes of bodies and decoded headers in a batch, unless one message alone is larger.
    public var maximumBytes: Int
    /// The longest time that the oldest message waits for further ones.
    public var maximumDelay: Duration

    public init(maximumMessages: Int = 100, maximumBytes: Int = 1 << 20, maximumDelay: Duration = .milliseconds(5)) {
        precondition(maximumMessages > 0, "a batch holds at least one message")
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
        self.maximumDelay = maximumDelay
    }
}
