/// Decides when to drop a connection on which the broker refuses messages.
///
/// RabbitMQ 3.10 remembers, for the life of a channel, the node that led a quorum queue at the channel's first publish. If that node dies,
/// the queue gets another leader. A channel opened just before the broker noticed the death still uses the dead node. All its messages are
/// refused until that node is back. A new channel uses the new leader. If the queue is full, dropping connections costs a handshake now and
/// then.
struct Refusals {
    private let patience: Duration
    private var connectedAt = ContinuousClock.now
    /// Whether a message was refused on a connection older than the patience. No further message should be sent over it.
    private(set) var areEndless = false

    init(patience: Duration) { self.patience = patience }

    mutating func connected() {
        connectedAt = .now
        areEndless = false
    }

    mutating func refused() { areEndless = connectedAt.advanced(by: patience) <= .now }
}
