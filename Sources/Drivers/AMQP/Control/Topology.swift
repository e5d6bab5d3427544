/// Exchanges, queues and bindings that belong together.
public struct Topology: Sendable, Hashable {
    public var exchanges: [ExchangeDeclaration]
    public var queues: [QueueDeclaration]
    public var bindings: [Binding]

    public init(exchanges: [ExchangeDeclaration] = [], queues: [QueueDeclaration] = [], bindings: [Binding] = []) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }

    /// Creates missing parts: first the queues, then each exchange with its bindings, in the order given. List an exchange after the
    /// exchange that it routes to. Then no exchange accepts a message that it cannot route. A repetition changes nothing. Throws
    /// ``AMQPError/channelClosed(code:text:)`` with 406 at the first part that exists with other properties, because RabbitMQ never changes
    /// one.
    ///
    /// - Parameter waitsForBusyBroker: whether a queue that the broker cannot form in time is declared again, see ``formationPauses``.
    public func declare(on control: AMQPControl, waitsForBusyBroker: Bool = true) async throws(AMQPError) {
        for queue in queues {
            guard waitsForBusyBroker else {
                try await control.declareQueue(queue)
                continue
            }
            try await Self.untilFormed { () throws(AMQPError) in try await control.declareQueue(queue) }
        }
        for exchange in exchanges {
            try await control.declareExchange(exchange)
            for binding in bindings where binding.exchange == exchange.name { try await control.bind(binding) }
        }
        let own = Set(exchanges.map(\.name))
        for binding in bindings where !own.contains(binding.exchange) { try await control.bind(binding) }
    }

    /// The pauses before a queue is declared again that a busy broker could not form in time. RabbitMQ has then removed what there was of it.
    static let formationPauses: [Duration] = [.seconds(1), .seconds(3), .seconds(9)]

    /// Repeats a declaration while the broker says that the members of the queue have not found together. Throws the last error.
    static func untilFormed(
        pausing: (Duration) async -> Void = { try? await Task.sleep(for: $0) }, _ declare: () async throws(AMQPError) -> Void
    ) async throws(AMQPError) {
        for pause in formationPauses {
            do throws(AMQPError) {
                return try await declare()
            } catch {
                guard error.isUnformedQueue else { throw error }
                await pausing(pause)
                if Task.isCancelled { throw error }
            }
        }
        try await declare()
    }

    /// One queue with its bindings, without the exchanges of these bindings.
    public func only(queue: String) -> Topology {
        Topology(queues: queues.filter { $0.name == queue }, bindings: bindings.filter { $0.queue == queue })
    }

    /// Compares the topology with the broker without creating anything.
    ///
    /// A passive declaration first checks whether a part exists. If it does, a normal declaration with the wanted properties follows. This
    /// declaration changes nothing, and fails with 406 if the properties differ. Without the permission to declare, the result is
    /// ``TopologyDrift/Problem/unverified(_:)``. Bindings are not checked, because AMQP cannot read them.
    ///
    /// A missing exchange that is not durable is no difference. It ends with the broker, and its users declare it when they connect.
    public func check(on control: AMQPControl) async throws(AMQPError) -> [TopologyDrift] {
        var drifts: [TopologyDrift] = []
        for exchange in exchanges {
            if try await !control.exchangeExists(exchange.name) {
                if exchange.durable { drifts.append(TopologyDrift(thing: .exchange(exchange.name), problem: .missing)) }
            } else if let problem = try await Self.problem({ () throws(AMQPError) in try await control.declareExchange(exchange) }) {
                drifts.append(TopologyDrift(thing: .exchange(exchange.name), problem: problem))
            }
        }
        for queue in queues {
            if try await control.queueStatus(queue.name) == nil {
                drifts.append(TopologyDrift(thing: .queue(queue.name), problem: .missing))
            } else if let problem = try await Self.problem({ () throws(AMQPError) in try await control.declareQueue(queue) }) {
                drifts.append(TopologyDrift(thing: .queue(queue.name), problem: problem))
            }
        }
        return drifts
    }

    private static func problem(_ declare: () async throws(AMQPError) -> Void) async throws(AMQPError) -> TopologyDrift.Problem? {
        do {
            try await declare()
            return nil
        } catch {
            switch error {
            case .channelClosed(code: 406, let text): return .different(text)
            case .channelClosed(code: 403, let text): return .unverified(text)
            default: throw error
            }
        }
    }
}

/// A difference between a ``Topology`` and the broker.
public struct TopologyDrift: Sendable, Hashable, CustomStringConvertible {
    public enum Thing: Sendable, Hashable {
        case exchange(String)
        case queue(String)
    }

    public enum Problem: Sendable, Hashable {
        case missing
        /// The broker's message, which names the property and the difference.
        case different(String)
        /// The part exists, but this user may not declare it, so its properties could not be compared.
        case unverified(String)
    }

    public var thing: Thing
    public var problem: Problem

    public init(thing: Thing, problem: Problem) {
        self.thing = thing
        self.problem = problem
    }

    public var description: String {
        let name =
            switch thing {
            case .exchange(let name): "exchange \(name)"
            case .queue(let name): "queue \(name)"
            }
        return switch problem {
        case .missing: "\(name) is missing"
        case .different(let text): "\(name) is different: \(text)"
        case .unverified(let text): "\(name) could not be compared: \(text)"
        }
    }
}
