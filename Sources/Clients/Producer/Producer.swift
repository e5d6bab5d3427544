public import TidingsAMQP
import TidingsContracts

/// Publishes intents with confirms: when ``publish(_:)`` says `.confirmed`, the intent is on disk at the broker and will be decided once.
///
/// Anything else means that the intent may or may not have arrived: publish it again with the same source and id, and it is still decided once.
public struct Producer: Sendable {
    private let publisher: AMQPPublisher

    /// `amqp://user:password@host:port/vhost`. Connects with the first publish. Throws when the URL is wrong, and when the process has no file
    /// descriptor or thread left.
    public init(url: String, connectionName: String = "tidings producer") throws(AMQPError) {
        try self.init(AMQPConfiguration(url: url), connectionName: connectionName)
    }

    public init(_ configuration: AMQPConfiguration, connectionName: String = "tidings producer") throws(AMQPError) {
        publisher = try AMQPPublisher.make(configuration: configuration, connectionName: connectionName)
    }

    /// One result for each intent, in order. Many at once are pipelined: the cost of a confirm is shared.
    public func publish(_ intents: [IntentEvent]) async -> [PublishResult] {
        await publisher.publish(
            intents.map { intent in
                OutgoingMessage(
                    exchange: QueueNames.intentsExchange, routingKey: QueueNames.routingKey(category: intent.category, type: intent.type),
                    body: intent.encoded, contentType: "application/cloudevents+json", messageID: intent.id)
            })
    }

    /// As ``publish(_:)``, with up to `perMessage` intents, 1 to 1,000, in one message: less work for the broker, and what one of them is refused
    /// for harms no other. Intents of one routing key that follow each other share a message, up to 1 MiB of it.
    public func publish(_ intents: [IntentEvent], perMessage: Int) async -> [PublishResult] {
        guard perMessage > 1 else { return await publish(intents) }
        let batches = EventBatch.batches(of: intents, atMost: perMessage)
        let results = await publisher.publish(batches.map(\.message))
        return zip(batches, results).flatMap { repeatElement($1, count: $0.count) }
    }

    public func publish(_ intent: IntentEvent) async -> PublishResult {
        await publish([intent])[0]
    }

    /// Publishes bytes as they are, for replaying what was kept.
    public func publish(
        raw body: [UInt8], contentType: String, exchange: String, routingKey: String, id: String, headers: [String: AMQPValue] = [:]
    ) async -> PublishResult {
        await publisher.publish([
            OutgoingMessage(
                exchange: exchange, routingKey: routingKey, body: body, contentType: contentType, messageID: id, headers: headers)
        ])[0]
    }

    public func close() async {
        await publisher.close()
    }
}
