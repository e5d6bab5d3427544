import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsStore

/// Messages of a batch after decoding, with the way back from each intent to its message.
struct DecodedMessages: Sendable {
    private(set) var batch = IntakeBatch()
    private let messages: [AMQPMessage]
    private let decoder: IntentDecoder
    /// The roles' own user of the broker, whose messages are believed in what they say of who asked.
    private let trusted: String
    /// For each intent of the batch, the position of its message.
    private var origins: [Int] = []
    /// Of the producers met so far, by the bytes of their names: equivalent names are two users.
    private var rights: [[UInt8]?: ProducerRights] = [:]
    /// The sum so far: events' bytes for each intent, bytes that are kept for each refusal.
    private var bytes = 0

    /// Decodes a batch piece by piece, each when it is asked for: a small message may ask for thousands of notifications, and a batch has
    /// hundreds of messages. A piece ends with the message that fills an ``IntakePortion``.
    static func pieces(
        of messages: [AMQPMessage], decoder: IntentDecoder, trusted: String, now: Timestamp
    ) -> some Sequence<DecodedMessages> {
        var next = messages.startIndex
        return AnyIterator {
            guard next < messages.endIndex else { return nil }
            var piece = DecodedMessages(messages, decoder: decoder, trusted: trusted)
            while next < messages.endIndex, !piece.isFull {
                piece.add(next, now: now)
                next += 1
            }
            return piece
        }
    }

    private init(_ messages: [AMQPMessage], decoder: IntentDecoder, trusted: String) {
        self.messages = messages
        self.decoder = decoder
        self.trusted = trusted
    }

    private var isFull: Bool {
        batch.intents.count + batch.refused.count >= IntakePortion.maximumIntents || bytes >= IntakePortion.maximumBytes
    }

    private mutating func add(_ position: Int, now: Timestamp) {
        let message = messages[position]
        let producer = producer(of: message)
        let catalogue = decoder.catalogue.catalogue
        let name = catalogue.producers.isEmpty ? nil : producer.map { Array($0.utf8) }
        let known = rights[name] ?? catalogue.rights(of: producer)
        rights[name] = known
        let decoded = decoder.decode(IncomingMessage(message), rights: known, now: now)
        batch.intents += decoded.intents
        origins += repeatElement(position, count: decoded.intents.count)
        bytes += decoded.intents.reduce(0) { $0 + $1.bytesInMessage.count }
        guard !decoded.rejections.isEmpty else { return }
        // Once for all events of the message, which may be a thousand.
        let headers = headersText(message.headers)
        batch.refused += decoded.rejections.map { RefusedEvent($0, in: message, headers: headers, of: producer) }
        bytes += decoded.rejections.reduce(0) { $0 + $1.raw.count + headers.utf8.count }
    }

    private func producer(of message: AMQPMessage) -> String? {
        message.producer(trusted: trusted, catalogue: decoder.catalogue.catalogue)
    }

    /// The refusal of the intent at `position` of the batch, with its own bytes.
    func refusal(of position: Int, _ reason: ReasonCode, _ text: String) -> RefusedEvent {
        let message = messages[origins[position]]
        let rejection = decoder.rejection(of: batch.intents[position], in: IncomingMessage(message), reason, text)
        return RefusedEvent(rejection, in: message, headers: headersText(message.headers), of: producer(of: message))
    }

    /// The refusal of the intent at `position`, whose key was used before with other content: by the notification `existing`, or by an
    /// earlier intent of the same batch.
    func conflict(of position: Int, with existing: NotificationID?) -> RefusedEvent {
        let before = existing.map { ": notification \($0)" } ?? ", in the same batch"
        return refusal(of: position, .idempotencyConflict, "this source and id were used before with other content" + before)
    }

    /// The piece in portions that are committed one after another: nearly always one.
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
            attributesCut: message.neededHeadersCut, isUnroutable: message.isUnroutable)
    }
}

extension AMQPMessage {
    /// The asking user: the one that the broker has validated, or who that user says, if it may vouch for others. Nil when nobody has vouched.
    ///
    /// A relay's and a replay's message names the producer in a header. From any other user the header means nothing.
    func producer(trusted: String, catalogue: Catalogue) -> String? {
        guard let userID else { return nil }
        if userID.utf8.elementsEqual(trusted.utf8) || catalogue.vouches(userID), let said = headers[QueueNames.producerHeader]?.text {
            return said.isEmpty ? nil : said
        }
        return ProducerEntry.isDatabaseRole(userID) ? nil : userID
    }

    /// No intake queue wants the key. A right key comes by the same way while its queue is missing or not bound yet, as at the very first
    /// start: such an intent is decided like any other.
    fileprivate var isUnroutable: Bool {
        queue == QueueNames.rejectedQueue && QueueNames.category(ofRoutingKey: routingKey) == nil
    }
}

extension RefusedEvent {
    init(_ rejection: Rejection, in message: AMQPMessage, headers: String, of producer: String?) {
        self.init(
            rejection: rejection, exchange: message.exchange, routingKey: message.routingKey, headers: headers, producer: producer)
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
private let keptHeaderBytes = AMQPMessage.maximumHeaderBytes

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
