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

    /// Creates what is missing: queues, then each exchange with its bindings at once, in the order given, so that an exchange listed after
    /// the one it leads to never takes a message it has nowhere to put. Repeating it changes nothing. Throws
    /// ``AMQPError/channelClosed(code:text:)`` with 406 at the first thing that exists with other properties: RabbitMQ never changes one.
    public func declare(on control: AMQPControl) async throws(AMQPError) {
        for queue in queues { try await control.declareQueue(queue) }
        for exchange in exchanges {
            try await control.declareExchange(exchange)
            for binding in bindings where binding.exchange == exchange.name { try await control.bind(binding) }
        }
        let own = Set(exchanges.map(\.name))
        for binding in bindings where !own.contains(binding.exchange) { try await control.bind(binding) }
    }

    /// One queue with its bindings, without the exchanges they name.
    public func only(queue: String) -> Topology {
        Topology(queues: queues.filter { $0.name == queue }, bindings: bindings.filter { $0.queue == queue })
    }

    /// Compares with the broker without creating anything.
    ///
    /// Each thing is first looked up passively; only one that exists is then declared as it should be, which changes nothing and
    /// fails with 406 if it differs. Without the permission to declare it is reported as ``TopologyDrift/Problem/unverified(_:)``.
    /// Bindings cannot be read over AMQP and are not checked.
    public func check(on control: AMQPControl) async throws(AMQPError) -> [TopologyDrift] {
        var drifts: [TopologyDrift] = []
        for exchange in exchanges {
            if try await !control.exchangeExists(exchange.name) {
                drifts.append(TopologyDrift(thing: .exchange(exchange.name), problem: .missing))
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
        /// The broker's own words on which property differs, and how.
        case different(String)
        /// It exists, but this user may not declare it, so its properties could not be compared.
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
