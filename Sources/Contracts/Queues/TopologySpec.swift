public import TidingsCore

/// The exchanges, queues and bindings that must exist on the broker before any message flows.
///
/// The list has plain values and no AMQP types. So the same list can be declared, printed, and compared with the broker. Everything is
/// durable, except for the exchange of signals. Names and arguments come in a fixed order, so two computations of the same catalogue are equal.
public struct TopologySpec: Sendable, Hashable {
    public var exchanges: [ExchangeSpec]
    public var queues: [QueueSpec]
    public var bindings: [BindingSpec]

    /// The number of returns of one message to a work queue before the message is set aside.
    ///
    /// RabbitMQ counts every return. This includes returns from a consumer that was killed while it held messages it had not read yet. So
    /// the limit is far above any retry count of Tidings. It is only the last protection against a message that kills every worker.
    public static let deliveryLimit: Int64 = 20

    public init(exchanges: [ExchangeSpec], queues: [QueueSpec], bindings: [BindingSpec]) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }

    /// The whole topology of a catalogue: the fixed intake side, and one delivery queue for each provider and lane.
    public static func spec(for catalogue: Catalogue) -> TopologySpec {
        var spec = intake
        for provider in catalogue.providers.values.sorted(by: { ($0.channel, $0.name) < ($1.channel, $1.name) }) {
            for lane in Lane.allCases {
                spec.addDelivery(queue: QueueNames.deliver(channel: provider.channel, provider: provider.name, lane: lane))
            }
        }
        return spec
    }

    /// The queues whose messages are work. No process consumes the other ones: the queue of timelines, and that of `tidings doctor`.
    public var workQueues: [QueueSpec] { queues.filter { $0 != .timelines && $0.name != QueueNames.doctorQueue } }

    /// The part that does not depend on a catalogue. A producer can publish before any provider is configured.
    public static let intake: TopologySpec = {
        let work = Lane.allCases.flatMap { [QueueNames.intents($0), QueueNames.overflow($0)] }
        var spec = TopologySpec(
            // Declare the producers' exchange last, so that everything it leads to exists before the first intent.
            exchanges: [
                .realtime,
                .timelines,
                ExchangeSpec(name: QueueNames.suspectExchange, kind: .fanout),
                ExchangeSpec(name: QueueNames.deliverExchange, kind: .direct),
                ExchangeSpec(name: QueueNames.alternateExchange, kind: .fanout),
                ExchangeSpec(
                    name: QueueNames.intentsExchange, kind: .topic,
                    arguments: ["alternate-exchange": .string(QueueNames.alternateExchange)]),
            ],
            queues: work.map { QueueSpec(name: $0, arguments: QueueSpec.workArguments) } + [
                QueueSpec(name: QueueNames.rejectedQueue, arguments: QueueSpec.recordArguments),
                QueueSpec(name: QueueNames.suspectQueue, arguments: QueueSpec.recordArguments),
                .timelines,
                QueueSpec(name: QueueNames.doctorQueue, arguments: QueueSpec.probeArguments),
            ],
            bindings: [
                BindingSpec(exchange: QueueNames.alternateExchange, queue: QueueNames.rejectedQueue, routingKey: ""),
                BindingSpec(exchange: QueueNames.suspectExchange, queue: QueueNames.suspectQueue, routingKey: ""),
                BindingSpec(exchange: QueueNames.deliverExchange, queue: QueueNames.doctorQueue, routingKey: QueueNames.doctorQueue),
            ])
        for category in Category.allCases {
            let lane = QueueNames.intakeLane(of: category)
            for (queue, isOverflow) in [(QueueNames.intents(lane), false), (QueueNames.overflow(lane), true)] {
                spec.bindings.append(
                    BindingSpec(
                        exchange: QueueNames.intentsExchange, queue: queue,
                        routingKey: QueueNames.bindingPattern(of: category, isOverflow: isOverflow)))
            }
        }
        return spec
    }()

    private mutating func addDelivery(queue name: String) {
        queues.append(QueueSpec(name: name, arguments: QueueSpec.workArguments))
        bindings.append(BindingSpec(exchange: QueueNames.deliverExchange, queue: name, routingKey: name))
    }
}

/// An exchange.
public struct ExchangeSpec: Sendable, Hashable {
    /// The exchange type, spelled as AMQP 0-9-1 spells it.
    public enum Kind: String, Sendable, Hashable {
        case topic, direct, fanout
    }

    public var name: String
    public var kind: Kind
    /// Whether the exchange survives a restart of the broker.
    public var durable: Bool
    public var arguments: [String: TopologyValue]

    public init(name: String, kind: Kind, durable: Bool = true, arguments: [String: TopologyValue] = [:]) {
        self.name = name
        self.kind = kind
        self.durable = durable
        self.arguments = arguments
    }

    /// The exchange of signals. Its queues belong to the processes that follow signals, so the topology has none of them.
    public static let realtime = ExchangeSpec(name: QueueNames.realtimeExchange, kind: .fanout, durable: false)

    /// The exchange of timelines. Its bindings are made while Tidings runs, so the topology has none of them.
    public static let timelines = ExchangeSpec(name: QueueNames.timelines, kind: .direct)
}

/// A durable queue with its declaration arguments.
public struct QueueSpec: Sendable, Hashable {
    public var name: String
    public var arguments: [String: TopologyValue]
    /// Arguments that only place a new queue in a cluster. A queue that was declared without them stays as it is, and is no difference.
    public var placement: [String: TopologyValue]

    public init(name: String, arguments: [String: TopologyValue], placement: [String: TopologyValue] = QueueSpec.balanced) {
        self.name = name
        self.arguments = arguments
        self.placement = placement
    }

    /// A new queue gets its leader on the node that leads the fewest queues. Without this, one process declares all queues and so all leaders
    /// are on the node of its connection.
    public static let balanced: [String: TopologyValue] = ["x-queue-leader-locator": .string("balanced")]

    /// A queue that workers take from.
    ///
    /// RabbitMQ dead-letters a quorum queue at least once only when the strategy, `x-overflow: reject-publish` and a dead-letter exchange
    /// are all given. If one is missing, RabbitMQ dead-letters at most once and says so only in its own log.
    public static let workArguments: [String: TopologyValue] = [
        "x-queue-type": .string("quorum"),
        "x-delivery-limit": .int(TopologySpec.deliveryLimit),
        "x-dead-letter-exchange": .string(QueueNames.suspectExchange),
        "x-dead-letter-strategy": .string("at-least-once"),
        "x-overflow": .string("reject-publish"),
    ]

    /// A queue that holds a message until it is a row in the database. It is the last queue for a message.
    ///
    /// - No length limit: a bounded dead-letter target holds its source back for minutes.
    /// - No dead-letter exchange: no message goes back from here.
    /// - No delivery limit: a message over the limit would be lost.
    public static let recordArguments: [String: TopologyValue] = ["x-queue-type": .string("quorum")]

    /// The queue of timelines. A question about an old timeline arrives here, and replaces the one before it.
    public static let timelines = QueueSpec(
        name: QueueNames.timelines, arguments: ["x-queue-type": .string("quorum"), "x-max-length": .int(1)])

    /// A queue whose only purpose is to confirm messages. A majority of its nodes confirms, as for every other queue. It keeps the last
    /// message at most, and a message expires after a second.
    public static let probeArguments: [String: TopologyValue] = ["x-queue-type": .string("quorum"), "x-max-length": .int(1)]
}

/// One binding of a queue to an exchange.
public struct BindingSpec: Sendable, Hashable {
    public var exchange: String
    public var queue: String
    /// The binding key. Empty for a fanout exchange, which ignores it.
    public var routingKey: String

    public init(exchange: String, queue: String, routingKey: String) {
        self.exchange = exchange
        self.queue = queue
        self.routingKey = routingKey
    }
}

/// An argument of a declaration. RabbitMQ compares the type too, so a number is never sent as text.
public enum TopologyValue: Sendable, Hashable {
    case int(Int64)
    case string(String)
}
