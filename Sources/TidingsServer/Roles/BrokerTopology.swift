import TidingsAMQP
import TidingsCore
import TidingsWire

extension Topology {
    /// The queues and exchanges of a catalogue, as the driver declares and checks them.
    init(_ spec: TopologySpec) {
        self.init(
            exchanges: spec.exchanges.map {
                ExchangeDeclaration(name: $0.name, kind: $0.kind.rawValue, arguments: $0.arguments.mapValues(AMQPValue.init))
            },
            queues: spec.queues.map { QueueDeclaration(name: $0.name, arguments: $0.arguments.mapValues(AMQPValue.init)) },
            bindings: spec.bindings.map { Binding(queue: $0.queue, exchange: $0.exchange, routingKey: $0.routingKey) })
    }

    init(of catalogue: Catalogue) {
        self.init(.spec(for: catalogue))
    }
}

extension AMQPValue {
    init(_ value: TopologyValue) {
        switch value {
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        }
    }
}
