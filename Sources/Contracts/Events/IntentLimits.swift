/// How much a producer may ask at once. Every figure is a default that an operator may lower.
public struct IntentLimits: Sendable, Hashable {
    /// Largest event in bytes: four times what CloudEvents asks every intermediary to forward, and far more than any provider carries.
    public var maximumEventBytes = 256 * 1024
    /// Largest message in bytes, half of what the broker is told to accept: a batch waits in memory as a whole.
    public var maximumMessageBytes = 4 * 1024 * 1024
    /// Most events of one batch.
    public var maximumEventsPerMessage = 1_000
    /// Most recipients of one intent; each becomes a notification of its own.
    public var maximumRecipients = 1_000
    /// Most notifications of one message, all its events together: they are decoded before the first is committed.
    public var maximumIntentsPerMessage = 20_000
    /// Largest event times its recipients, in bytes: each of them gets rows and packs of its own with the whole content.
    public var maximumFanOutBytes = 32 * 1024 * 1024
    /// What is kept of an event or message that is too large to be kept whole.
    public var keptRawBytes = 64 * 1024
    /// How late `scheduledFor` may be and still be sent now: a day covers a queue that stood still overnight; more is a wrong clock or
    /// unit.
    public var pastTolerance = Duration.seconds(24 * 3_600)
    /// How far ahead `scheduledFor` may be, two years; more is nearly always milliseconds taken for seconds.
    public var futureHorizon = Duration.seconds(730 * 86_400)
    /// Longest recipient in bytes: names of people are keys of indexes.
    public var maximumRecipientBytes = 256
    /// Longest CloudEvents `id` in bytes.
    public var maximumIDBytes = 256
    /// Longest CloudEvents `source` in bytes.
    public var maximumSourceBytes = 512
    /// Longest `groupKey` or `collapseKey` in bytes.
    public var maximumKeyBytes = 256

    public init() {}
}
