/// What a publisher keeps to unless its owner says otherwise.
extension AMQPPublisher {
    /// Messages in flight; also the most that one lost connection can duplicate.
    public static let standardWindow = 1_000
    /// Encoded bytes in flight, unless one message alone is larger.
    public static let standardBytesInFlight = 16 << 20
    /// How long the oldest message may wait for its confirm. A broker cut off from its cluster may never answer.
    public static let standardConfirmTimeout = Duration.seconds(30)
    /// How often a message is published again after a lost connection or confirm.
    public static let standardRepublishes = 3
    /// How old a connection becomes on which the broker refuses messages. RabbitMQ 3.10 asks, for as long as a channel lives, the node that led a
    /// quorum queue when the channel first published to it: one opened just before that node's death was noticed has everything refused until
    /// the node is back, while the queue has long had another leader. A new channel asks that one. Where the queue is full this costs a
    /// handshake now and then.
    public static let standardRefusalPatience = Duration.seconds(5)
}
