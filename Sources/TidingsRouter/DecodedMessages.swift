import TidingsAMQP
import TidingsCore
import TidingsStore
import TidingsWire

/// A batch of messages after decoding, with the way back from each intent to its message.
struct DecodedMessages: Sendable {
    private(set) var batch = IntakeBatch()
    private let messages: [AMQPMessage]
    private let decoder: IntentDecoder
    /// For each intent of the batch, the position of its message.
    private var origins: [Int] = []

    init(_ messages: [AMQPMessage], decoder: IntentDecoder, now: Timestamp) {
        self.messages = messages
        self.decoder = decoder
        let tenants = decoder.catalogue.catalogue.tenants
        for (position, message) in messages.enumerated() {
            // Without a single entry the catalogue does not restrict tenants at all.
            let allowed = tenants.isEmpty ? nil : tenants[message.userID ?? ""] ?? [Intent.defaultTenant]
            let decoded = decoder.decode(IncomingMessage(message), allowedTenants: allowed, now: now)
            batch.intents += decoded.intents
            origins += repeatElement(position, count: decoded.intents.count)
            batch.refused += decoded.rejections.map { RefusedEvent($0, in: message) }
        }
    }

    /// The refusal of the intent at `position` of the batch, with its own bytes.
    func refusal(of position: Int, _ reason: ReasonCode, _ text: String) -> RefusedEvent {
        let message = messages[origins[position]]
        return RefusedEvent(decoder.rejection(of: batch.intents[position], in: IncomingMessage(message), reason, text), in: message)
    }

    /// The whole in pieces that are committed one after another: nearly always one.
    var portions: [IntakePortion] {
        var portions: [IntakePortion] = []
        var start = 0
        var bytes = 0
        for (position, decoded) in batch.intents.enumerated() {
            let size = decoded.bytesInMessage.count
            if position - start == IntakePortion.maximumIntents || bytes + size > IntakePortion.maximumBytes, position > start {
                portions.append(IntakePortion(intents: start..<position))
                (start, bytes) = (position, 0)
            }
            bytes += size
        }
        return portions + [IntakePortion(intents: start..<batch.intents.count, refused: batch.refused)]
    }

    func batch(of portion: IntakePortion) -> IntakeBatch {
        IntakeBatch(intents: Array(batch.intents[portion.intents]), refused: portion.refused)
    }
}

/// What of a batch is committed in one transaction.
package struct IntakePortion: Sendable {
    /// Four full batches of single intents.
    package static let maximumIntents = 2_000
    /// Events' bytes, counted once for each intent: rows hold about as much again.
    package static let maximumBytes = 16 << 20

    var intents: Range<Int> = 0..<0
    var refused: [RefusedEvent] = []
}

extension IncomingMessage {
    init(_ message: AMQPMessage) {
        var headers: [String: String] = [:]
        for (name, value) in message.headers {
            if let text = value.text { headers[name] = text }
        }
        self.init(
            body: message.body, contentType: message.contentType, headers: headers, headersTooDeep: message.headersTooDeep,
            isUnroutable: message.isUnroutable)
    }
}

extension AMQPMessage {
    /// No intake queue wants the key. A right key comes by the same way while its queue is missing or not bound yet, as at the very first
    /// start: such an intent is decided like any other.
    fileprivate var isUnroutable: Bool {
        queue == QueueNames.rejectedQueue && QueueNames.category(ofRoutingKey: routingKey) == nil
    }
}

extension RefusedEvent {
    init(_ rejection: Rejection, in message: AMQPMessage) {
        self.init(
            rejection: rejection, exchange: message.exchange, routingKey: message.routingKey, headers: headersText(message.headers))
    }
}

extension AMQPValue {
    /// A scalar as text; nil for anything else.
    var text: String? {
        switch self {
        case .string(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .int(let value), .timestamp(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): String(value)
        case .array, .table, .void, .tooDeep: nil
        }
    }
}

/// Bytes of headers that are kept with a refused message.
private let keptHeaderBytes = 16 << 10

/// Headers as a JSON object for an operator: scalars as they are, the rest named by its kind.
func headersText(_ headers: [String: AMQPValue]) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
        // NUL cannot be stored as text.
        let text = (value.text ?? "(nested)").filter { $0 != "\0" }
        guard writer.bytes.count + name.utf8.count + text.utf8.count < keptHeaderBytes else { break }
        writer.member(name.filter { $0 != "\0" }, text)
    }
    writer.endObject()
    return writer.text
}
