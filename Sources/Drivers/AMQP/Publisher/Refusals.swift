internal import TidingsWaiting

/// Decides when to drop a connection on which the broker refuses messages. A value without I/O: times are arguments.
///
/// RabbitMQ 3.10 remembers, for the life of a channel, the node that led a quorum queue at the channel's first publish. If that node dies,
/// the queue gets another leader. A channel opened just before the broker noticed the death still uses the dead node. All its messages are
/// refused until that node is back. A new channel uses the new leader.
///
/// If the queue is full, a new channel does not help. So each connection in a row that is dropped for refusals may become older than the one
/// before, up to ``longestPatience``.
struct Refusals {
    /// The largest age from which a connection is dropped.
    static let longestPatience = Duration.seconds(80)
    /// The time without a refusal after which the next refusal is the first of its kind.
    static let memory = Duration.seconds(60)

    private let patience: Backoff
    private var connectedAt: ContinuousClock.Instant
    private var refusedAt: ContinuousClock.Instant?
    /// The number of connections in a row that were dropped for refusals.
    private var dropped = 0
    /// Whether a message was refused on a connection older than the patience. No further message should be sent over it.
    private(set) var areEndless = false

    /// - Parameter patience: the smallest age from which a connection is dropped.
    init(patience: Duration, at now: ContinuousClock.Instant = .now) {
        self.patience = Backoff(base: patience, cap: max(patience, Self.longestPatience))
        connectedAt = now
    }

    mutating func connected(at now: ContinuousClock.Instant = .now) {
        if areEndless { dropped += 1 }
        connectedAt = now
        areEndless = false
    }

    mutating func refused(at now: ContinuousClock.Instant = .now) {
        if let refusedAt, now - refusedAt > Self.memory { dropped = 0 }
        refusedAt = now
        areEndless = connectedAt.advanced(by: patience.pause(afterFailure: max(dropped, 1))) <= now
    }
}
