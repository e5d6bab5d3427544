import Glibc
import TidingsAMQP

/// The broker of the tests, which TIDINGS_AMQP_URL names.
enum Broker {
    static let url: String? = getenv("TIDINGS_AMQP_URL").map { String(cString: $0) }
    static var isPresent: Bool { url != nil }

    static func configuration() throws -> AMQPConfiguration {
        guard let url else { throw MissingBroker() }
        var configuration = try AMQPConfiguration(url: url)
        configuration.reconnect = ReconnectPolicy(base: .milliseconds(20), cap: .milliseconds(500))
        return configuration
    }

    struct MissingBroker: Error {}

    /// A name that no other test uses.
    static func unique(_ stem: String) -> String { "test.\(stem).\(String(UInt64.random(in: .min ... .max), radix: 36))" }
}

/// One queue behind one direct exchange, for one test. The queue and the exchange are removed when the test ends.
struct Fixture {
    let configuration: AMQPConfiguration
    let control: AMQPControl
    let exchange: String
    let queue: String

    static func with(
        quorum: Bool = true, _ body: (Fixture) async throws -> Void
    ) async throws {
        let configuration = try Broker.configuration()
        let fixture = Fixture(
            configuration: configuration, control: try AMQPControl.make(configuration: configuration, connectionName: "test control"),
            exchange: Broker.unique("exchange"), queue: Broker.unique("queue"))
        try await fixture.declare(quorum: quorum)
        do {
            try await body(fixture)
        } catch {
            await fixture.remove()
            throw error
        }
        await fixture.remove()
    }

    func declare(quorum: Bool = true) async throws {
        try await control.declareExchange(ExchangeDeclaration(name: exchange, kind: "direct"))
        try await control.declareQueue(QueueDeclaration(name: queue, arguments: quorum ? ["x-queue-type": "quorum"] : [:]))
        try await control.bind(Binding(queue: queue, exchange: exchange, routingKey: queue))
    }

    func remove() async {
        try? await control.deleteQueue(queue)
        try? await control.deleteExchange(exchange)
        await control.close()
    }

    func message(_ id: String, body: [UInt8] = Array("{}".utf8), headers: [String: AMQPValue] = [:]) -> OutgoingMessage {
        OutgoingMessage(exchange: exchange, routingKey: queue, body: body, messageID: id, headers: headers)
    }

    func consumer(
        prefetch: Int = 500, batch: BatchPolicy = BatchPolicy(), configuration: AMQPConfiguration? = nil,
        idleLimit: Duration = AMQPConsumer.idleLimit, onQueueLost: @escaping @Sendable (String) async -> Void = { _ in },
        log: @escaping @Sendable (AMQPEvent) -> Void = { _ in }
    ) throws -> AMQPConsumer {
        try AMQPConsumer.make(
            configuration: configuration ?? self.configuration, connectionName: "test consumer", queues: [queue], prefetch: prefetch,
            batch: batch, idleLimit: idleLimit, onQueueLost: onQueueLost, log: log)
    }

    /// Consumes, acknowledges and returns the first message of the queue. Waits until the queue has one.
    func takeOne() async throws -> AMQPMessage? {
        var taken: [AMQPMessage] = []
        try await consumer(prefetch: 1).running { consumer in
            taken = await consumer.read(1)
            await consumer.acknowledge(taken.map(\.tag))
        }
        return taken.first
    }

    /// Publishes over a new connection, and throws unless every message is confirmed.
    func publish(_ messages: [OutgoingMessage]) async throws {
        let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher")
        let results = await publisher.publish(messages)
        await publisher.close()
        guard results.allSatisfy({ $0 == .confirmed }) else { throw NotConfirmed(results: results.filter { $0 != .confirmed }) }
    }

    struct NotConfirmed: Error { let results: [PublishResult] }
}

extension AMQPConsumer {
    /// Runs the consumer around `body`, then closes it.
    nonisolated func running(_ body: (AMQPConsumer) async throws -> Void) async throws {
        async let end: Void = run()
        do {
            try await body(self)
        } catch {
            await close()
            throw error
        }
        await close()
        try await end
    }

    /// Reads batches until `count` messages have arrived, without settling any.
    nonisolated func read(_ count: Int) async -> [AMQPMessage] {
        var messages: [AMQPMessage] = []
        for await batch in batches {
            messages += batch.messages
            if messages.count >= count { break }
        }
        return messages
    }
}
