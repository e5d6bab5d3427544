/// What a user of the broker needs for one part of the work and no more: three regular expressions as `rabbitmqctl set_permissions` takes them.
///
/// RabbitMQ asks for *configure* to declare, *write* to publish to an exchange, and *read* to take from a queue; looking whether something exists
/// needs none of them.
public struct BrokerPermissions: Sendable, Hashable {
    public let user: String
    public let configure: String
    public let write: String
    public let read: String

    /// Whoever declares the topology once, and the parts that then run without the right to.
    public static let all = [
        BrokerPermissions(user: "topology", configure: #"^tidings\..*"#, write: #"^tidings\..*"#, read: #"^tidings\..*"#),
        BrokerPermissions(
            user: "router", configure: nothing, write: exactly([QueueNames.deliverExchange]),
            read: #"^tidings\.(intents\..*|rejected|suspect)$"#),
        BrokerPermissions(user: "deliver", configure: nothing, write: nothing, read: #"^tidings\.deliver\..*"#),
        BrokerPermissions(
            user: "release", configure: nothing, write: exactly([QueueNames.deliverExchange, QueueNames.intentsExchange]), read: nothing),
        BrokerPermissions(user: "producer", configure: nothing, write: exactly([QueueNames.intentsExchange]), read: nothing),
    ]

    private static let nothing = "^$"

    private static func exactly(_ names: [String]) -> String {
        "^(" + names.map { $0.split(separator: ".").joined(separator: #"\."#) }.joined(separator: "|") + ")$"
    }
}
