package import TidingsAMQP
package import TidingsContracts
package import TidingsCore

extension Topology {
    /// The queues and exchanges of a catalogue, as the driver declares and checks them.
    package init(_ spec: TopologySpec) {
        self.init(
            exchanges: spec.exchanges.map {
                ExchangeDeclaration(
                    name: $0.name, kind: $0.kind.rawValue, durable: $0.durable, arguments: $0.arguments.mapValues(AMQPValue.init))
            },
            queues: spec.queues.map {
                QueueDeclaration(
                    name: $0.name, arguments: $0.arguments.mapValues(AMQPValue.init), placement: $0.placement.mapValues(AMQPValue.init))
            },
            bindings: spec.bindings.map { Binding(queue: $0.queue, exchange: $0.exchange, routingKey: $0.routingKey) })
    }

    package init(of catalogue: Catalogue) {
        self.init(.spec(for: catalogue))
    }

    /// Creates missing exchanges, queues and bindings. If the broker does not let this user declare anything, all of them must exist.
    /// Otherwise throws a ``Failure`` that names the missing ones. Throws a ``Failure`` with exit code 78 if the broker is too old.
    ///
    /// - Parameter waitsForBusyBroker: as for ``TidingsAMQP/Topology/declare(on:waitsForBusyBroker:)``.
    package func declareOrFind(on control: AMQPControl, waitsForBusyBroker: Bool = true) async throws {
        try await BrokerVersion.check(control)
        do throws(AMQPError) {
            try await declare(on: control, waitsForBusyBroker: waitsForBusyBroker)
        } catch {
            guard case .channelClosed(let code, let text) = error, code == Self.accessRefused else { throw error }
            let missing = try await check(on: control).filter { $0.problem == .missing }
            guard !missing.isEmpty else { return }
            throw Failure(
                .notPermitted, "\(missing.map(\.description).joined(separator: ", ")), and this user may not declare it: \(text)",
                hint: "run `tidings queue topology --apply` once, as a user of the broker that may configure tidings.*")
        }
    }

    /// The reply code of AMQP 0-9-1 for a user without the permission.
    private static let accessRefused = 403
}

extension AMQPValue {
    init(_ value: TopologyValue) {
        switch value {
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        }
    }
}
