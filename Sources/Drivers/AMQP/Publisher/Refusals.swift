/// When to leave a connection on which the broker refuses messages.
///
/// RabbitMQ 3.10 asks, for as long as a channel lives, the node that led a quorum queue when the channel first published to it. A channel opened
/// just before that node's death was noticed has everything refused until the node is back, while the queue has long had another leader; a new
/// channel asks that one. Where the queue is full, this costs a handshake now and then.
struct Refusals {
    private let patience: Duration
    private var connectedAt = ContinuousClock.now
    /// A message was refused on a connection that has had its time: nothing more should be sent over it.
    private(set) var areEndless = false

    init(patience: Duration) { self.patience = patience }

    mutating func connected() {
        connectedAt = .now
        areEndless = false
    }

    mutating func refused() { areEndless = connectedAt.advanced(by: patience) <= .now }
}
