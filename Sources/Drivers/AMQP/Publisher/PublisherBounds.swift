/// Default limits of a publisher.
extension AMQPPublisher {
    /// Messages in flight, and so the largest number of duplicates after one lost connection.
    public static let standardWindow = 1_000
    /// Encoded bytes in flight, unless one message alone is larger.
    public static let standardBytesInFlight = 16 << 20
    /// The longest wait for the oldest confirm. A broker that is cut off from its cluster may never answer.
    public static let standardConfirmTimeout = Duration.seconds(30)
    /// The number of times that a message is published again after a lost connection or confirm.
    public static let standardRepublishes = 3
    /// The age from which a connection is dropped if the broker refuses messages on it. A new connection may reach another leader.
    public static let standardRefusalPatience = Duration.seconds(5)
}
