/// When collected messages are handed over: as soon as any limit is reached.
public struct BatchPolicy: Sendable, Hashable {
    /// Batches whose bytes a consumer holds before they are handed over: one is read while another waits. The rest stays in the socket.
    public static let batchesHeld = 2

    /// Never more messages than this in a batch.
    public var maximumMessages: Int
    /// Never more bytes of bodies and decoded headers than this in a batch, unless one message alone is larger.
    public var maximumBytes: Int
    /// The longest that the oldest message waits for company.
    public var maximumDelay: Duration

    public init(maximumMessages: Int = 100, maximumBytes: Int = 1 << 20, maximumDelay: Duration = .milliseconds(5)) {
        precondition(maximumMessages > 0, "a batch holds at least one message")
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
        self.maximumDelay = maximumDelay
    }
}
