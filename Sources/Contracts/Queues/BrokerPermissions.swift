/// The least permissions of one broker user: three regular expressions, as `rabbitmqctl set_permissions` takes them.
///
/// RabbitMQ asks for *configure* to declare, for *write* to publish to an exchange, and for *read* to take from a queue. A check whether
/// something exists needs none of them.
public struct BrokerPermissions: Sendable, Hashable {
    public let user: String
    public let configure: String
    public let write: String
    public let read: String

    /// The user that declares the topology once, and the users of roles and producers, which may not declare anything durable.
    ///
    /// Roles that send or follow signals may declare the exchange of signals, which ends with the broker. A follower also declares its own
    /// queue, and needs *write* to bind it. Each role asks about timelines, and binds the queue of timelines when it notes one.
    public static let all = [
        BrokerPermissions(user: "topology", configure: #"^tidings\..*"#, write: #"^tidings\..*"#, read: #"^tidings\..*"#),
        BrokerPermissions(
            user: "router", configure: exactly([QueueNames.realtimeExchange]),
            write: exactly([QueueNames.deliverExchange, QueueNames.realtimeExchange, QueueNames.timelines]),
            read: #"^tidings\.(intents\..*|rejected|suspect|timelines)$"#),
        BrokerPermissions(
            user: "deliver", configure: exactly([QueueNames.realtimeExchange]),
            write: exactly([QueueNames.realtimeExchange, QueueNames.timelines]), read: #"^tidings\.(deliver\..*|timelines)$"#),
        BrokerPermissions(
            user: "release", configure: exactly([QueueNames.realtimeExchange]),
            write: exactly([QueueNames.deliverExchange, QueueNames.intentsExchange, QueueNames.realtimeExchange, QueueNames.timelines]),
            read: exactly([QueueNames.timelines])),
        BrokerPermissions(
            user: "api", configure: #"^tidings\.realtime(\..*)?$"#, write: #"^tidings\.(intents|realtime(\..*)?|timelines)$"#,
            read: #"^tidings\.(realtime(\..*)?|timelines)$"#),
        BrokerPermissions(user: "producer", configure: nothing, write: exactly([QueueNames.intentsExchange]), read: nothing),
    ]

    private static let nothing = "^$"

    private static func exactly(_ names: [String]) -> String {
        "^(" + names.map { $0.split(separator: ".").joined(separator: #"\."#) }.joined(separator: "|") + ")$"
    }
}
