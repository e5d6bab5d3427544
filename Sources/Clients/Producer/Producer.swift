public import TidingsAMQP
import TidingsContracts

/// Publishes intents with confirms. When ``publish(_:)`` returns `.confirmed`, the intent is on disk at the broker and will be decided
/// once.
///
/// After any other result, the intent may or may not have arrived. Publish it again with the same source and id: it is still decided only
/// once.
///
/// A publish ends when no intent of it was settled for the producer's timeout, 30 s by default. If an attempt to connect is under way, the
/// publish ends after the attempt, which takes no longer than the timeout for each node and step. The result is then `.failed` with the
/// obstacle:
///
/// - ``AMQPError/blocked(reason:)``: the broker has raised an alarm and reads nothing from publishers.
/// - ``AMQPError/timedOut(_:)``: the broker answers, but confirms nothing.
/// - Any other error: there is no connection, for this reason.
public struct Producer: Sendable {
    /// The longest time in which a publish settles no intent, unless the initialiser gets another: 30 s. A confirm takes milliseconds. A
    /// broker that restarts is back within this time.
    public static let standardTimeout = Duration.seconds(30)

    private let publisher: AMQPPublisher
    private let timeout: Duration

    /// Makes a producer for `amqp://user:password@host:port/vhost`. The producer connects at the first publish. Throws if the URL is wrong, or
    /// if the process has no file descriptor or thread left.
    ///
    /// - Parameter timeout: the longest time in which a publish settles no intent, ``standardTimeout`` by default.
    public init(
        url: String, connectionName: String = "tidings producer", timeout: Duration = standardTimeout
    ) throws(AMQPError) {
        try self.init(AMQPConfiguration(url: url), connectionName: connectionName, timeout: timeout)
    }

    /// Makes a producer with other settings of the connection than a URL can give.
    ///
    /// - Parameter timeout: the longest time in which a publish settles no intent, ``standardTimeout`` by default. It also limits
    ///   ``AMQPConfiguration/connectTimeout``.
    public init(
        _ configuration: AMQPConfiguration, connectionName: String = "tidings producer", timeout: Duration = standardTimeout
    ) throws(AMQPError) {
        var configuration = configuration
        configuration.connectTimeout = min(configuration.connectTimeout, timeout)
        publisher = try AMQPPublisher.make(configuration: configuration, connectionName: connectionName)
        self.timeout = timeout
    }

    /// Returns one result for each intent, in order. Intents of one call are pipelined and share the cost of a confirm.
    public func publish(_ intents: [IntentEvent]) async -> [PublishResult] {
        await publisher.publish(
            intents.map { intent in
                OutgoingMessage(
                    exchange: QueueNames.intentsExchange, routingKey: QueueNames.routingKey(category: intent.category, type: intent.type),
                    body: intent.encoded, contentType: "application/cloudevents+json", messageID: OutgoingMessage.messageID(for: intent.id))
            }, timeout: timeout)
    }

    /// Publishes like ``publish(_:)``, with up to `perMessage` intents in one message, 1 to 1,000. This saves work for the broker. If one
    /// intent is refused, the other intents of its message are not affected.
    ///
    /// Consecutive intents with the same routing key share a message of up to 1 MiB.
    public func publish(_ intents: [IntentEvent], perMessage: Int) async -> [PublishResult] {
        guard perMessage > 1 else { return await publish(intents) }
        let batches = EventBatch.batches(of: intents, atMost: perMessage)
        let results = await publisher.publish(batches.map(\.message), timeout: timeout)
        return zip(batches, results).flatMap { repeatElement($1, count: $0.count) }
    }

    public func publish(_ intent: IntentEvent) async -> PublishResult {
        await publish([intent])[0]
    }

    /// Publishes bytes unchanged, to replay stored messages.
    public func publish(
        raw body: [UInt8], contentType: String, exchange: String, routingKey: String, id: String, headers: [String: AMQPValue] = [:]
    ) async -> PublishResult {
        let message = OutgoingMessage(
            exchange: exchange, routingKey: routingKey, body: body, contentType: contentType, messageID: id, headers: headers)
        return await publisher.publish([message], timeout: timeout)[0]
    }

    public func close() async {
        await publisher.close()
    }
}
