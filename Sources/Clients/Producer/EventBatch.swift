import TidingsAMQP
import TidingsContracts

/// Several intents in one message, in the JSON batch format of CloudEvents 1.0.
struct EventBatch {
    private let routingKey: String
    private let firstID: String
    private var body: [UInt8] = [UInt8(ascii: "[")]
    private(set) var count = 0

    /// The most bytes of the events in one message. A quarter of the largest message that a router accepts, so that a broker holds no giant
    /// messages.
    private static let maximumBytes = 1 << 20

    private init(routingKey: String, firstID: String) {
        self.routingKey = routingKey
        self.firstID = firstID
    }

    static func batches(of intents: [IntentEvent], atMost perMessage: Int) -> [EventBatch] {
        var batches: [EventBatch] = []
        for intent in intents {
            let key = QueueNames.routingKey(category: intent.category, type: intent.type)
            let bytes = intent.encoded
            let fits = batches.last.map {
                $0.routingKey == key && $0.count < perMessage && $0.body.count + bytes.count < maximumBytes
            }
            if fits != true { batches.append(EventBatch(routingKey: key, firstID: intent.id)) }
            batches[batches.count - 1].append(bytes)
        }
        return batches
    }

    private mutating func append(_ event: [UInt8]) {
        if count > 0 { body.append(UInt8(ascii: ",")) }
        body += event
        count += 1
    }

    var message: OutgoingMessage {
        OutgoingMessage(
            exchange: QueueNames.intentsExchange, routingKey: routingKey, body: body + [UInt8(ascii: "]")],
            contentType: "application/cloudevents-batch+json", messageID: OutgoingMessage.messageID(for: firstID))
    }
}
