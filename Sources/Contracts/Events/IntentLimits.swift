/// The limits for a producer's requests. Every figure is a default that an operator may lower.
public struct IntentLimits: Sendable, Hashable {
    /// The largest event in bytes. This is four times the size that CloudEvents asks every intermediary to forward, and far more than any
    /// provider carries.
    public var maximumEventBytes = 256 * 1024
    /// The largest message in bytes. A batch is in memory as a whole, so this is half of the size that the broker accepts.
    public var maximumMessageBytes = 4 * 1024 * 1024
    /// Most events of one batch.
    public var maximumEventsPerMessage = 1_000
    /// Most recipients of one intent; each becomes a notification of its own.
    public var maximumRecipients = 1_000
    /// Most notifications of one message, all its events together. All of them are decoded before the first is committed.
    public var maximumIntentsPerMessage = 20_000
    /// Largest event times its recipients, in bytes. Each recipient gets rows and packs of its own with the whole content.
    public var maximumFanOutBytes = 32 * 1024 * 1024
    /// The bytes that are kept of an event or message that is too large to be kept whole.
    public var keptRawBytes = 64 * 1024
    /// The greatest age of a `scheduledFor` that is still sent now. A day covers a queue that stood still overnight. An older time comes
    /// from a wrong clock or unit.
    public var pastTolerance = Duration.seconds(24 * 3_600)
    /// The furthest `scheduledFor` in the future, two years. A later time nearly always is a number of milliseconds that was taken for
    /// seconds.
    public var futureHorizon = Duration.seconds(730 * 86_400)
    /// The longest recipient in bytes. Recipients are keys of indexes.
    public var maximumRecipientBytes = 256
    /// Longest CloudEvents `id` in bytes.
    public var maximumIDBytes = 256
    /// Longest CloudEvents `source` in bytes.
    public var maximumSourceBytes = 512
    /// Longest `groupKey` or `collapseKey` in bytes.
    public var maximumKeyBytes = 256
    /// The longest link of the content in bytes. Providers and browsers take 2 KiB and more.
    public var maximumLinkBytes = 2_048

    public init() {}
}
