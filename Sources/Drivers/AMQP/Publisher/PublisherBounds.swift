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
    /// How old a connection becomes on which the broker refuses messages: another one may reach another leader.
    public static let standardRefusalPatience = Duration.seconds(5)
}
