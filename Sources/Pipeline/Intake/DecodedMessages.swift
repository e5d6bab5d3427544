import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsStore

/// The decoded messages of a batch. Each intent leads back to its message.
struct DecodedMessages: Sendable {
    private(set) var batch = IntakeBatch()
    private let messages: [AMQPMessage]
    private let decoder: IntentDecoder
    /// The AMQP user of the roles themselves. The router believes its messages about which producer asked.
    private let trusted: String
    /// The position of its message, for each intent of the batch.
    private var origins: [Int] = []
    /// The rights of the producers met so far, by the bytes of their names. Names that are only equivalent belong to two users.
    private var rights: [[UInt8]?: ProducerRights] = [:]
    /// The sum so far: the bytes of the event for each intent, and the kept bytes for each refusal.
    private var bytes = 0

    /// Decodes a batch piece by piece, each piece on demand. A small message may ask for thousands of notifications, and a batch has
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
        var decoded = decoder.decode(IncomingMessage(message), rights: known, now: now)
        if let ids = message.reservedIDs(trusted: trusted, catalogue: catalogue) { decoded.use(ids, now: now) }
        batch.intents += decoded.intents
        origins += repeatElement(position, count: decoded.intents.count)
        bytes += decoded.intents.reduce(0) { $0 + $1.bytesInMessage.count }
        guard !decoded.rejections.isEmpty else { return }
        // Encode the headers once for all events of the message. There may be a thousand.
        let headers = KeptHeaders(message, withIDs: isVouched(message) && decoded.intents.isEmpty && decoded.rejections.count == 1)
        batch.refused += decoded.rejections.map { RefusedEvent($0, in: message, headers, of: producer) }
        bytes += decoded.rejections.reduce(0) { $0 + $1.raw.count + headers.bytes }
    }

    private func isVouched(_ message: AMQPMessage) -> Bool {
        message.isVouched(trusted: trusted, catalogue: decoder.catalogue.catalogue)
    }

    private func producer(of message: AMQPMessage) -> String? {
        message.producer(trusted: trusted, catalogue: decoder.catalogue.catalogue)
    }

    /// Returns the refusal of the intent at `position` of the batch, with its own bytes.
    func refusal(of position: Int, _ reason: ReasonCode, _ text: String) -> RefusedEvent {
        let message = messages[origins[position]]
        var rejection = decoder.rejection(of: batch.intents[position], in: IncomingMessage(message), reason, text)
        rejection.mayNameOthers = isOneOfMany(position)
        let isWhole = batch.intents[position].bytesInMessage.count == message.body.count
        return RefusedEvent(rejection, in: message, KeptHeaders(message, withIDs: isWhole && isVouched(message)), of: producer(of: message))
    }

    /// Whether the event of an intent has further recipients. Their intents stand beside it.
    private func isOneOfMany(_ position: Int) -> Bool {
        [position - 1, position + 1].contains { other in
            batch.intents.indices.contains(other) && origins[other] == origins[position]
                && batch.intents[other].bytesInMessage == batch.intents[position].bytesInMessage
        }
    }

    /// Returns the refusal of the intent at `position`, whose key was used before with other content. The earlier use is the notification
    /// `existing`, or an earlier intent of the same batch.
    func conflict(of position: Int, with existing: NotificationID?) -> RefusedEvent {
        let before = existing.map { ": notification \($0)" } ?? ", in the same batch"
        return refusal(of: position, .idempotencyConflict, "this source and id were used before with other content" + before)
    }

    /// The portions of the piece, which are committed one after another. Nearly every piece has only one.
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

    /// The people whom refused events of a portion may name, besides the recipients of its intents. An event may stand in two portions.
    func people(beside portion: IntakePortion) -> Set<RecipientKey> {
        var people: Set<RecipientKey> = portion.refused.reduce(into: []) { $0.formUnion($1.people) }
        if portion.intents.count < batch.intents.count { people.formUnion(batch.intents.map { RecipientKey($0.intent) }) }
        return people
    }
}

/// The part of a batch that is committed in one transaction.
package struct IntakePortion: Sendable {
    /// Four full batches of single intents.
    package static let maximumIntents = 2_000
    /// The bytes of the events, counted once for each intent. The rows hold about as many bytes again.
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
    /// The attributes of its event that stand in headers. See ``ContentMode/headerAttributes(of:)``.
    var headerAttributes: [HeaderAttribute] {
        let message = IncomingMessage(self)
        return ContentMode(message).headerAttributes(of: message)
    }

    /// The producer that asked. It is the user that the broker has validated, or the producer that this user names, if the user may vouch
    /// for others. Nil if nobody vouches for the producer.
    ///
    /// Messages of relays and replays name the producer in a header. From any other user the header is ignored.
    func producer(trusted: String, catalogue: Catalogue) -> String? {
        guard let userID else { return nil }
        if let said = headers[QueueNames.producerHeader]?.text, isVouched(trusted: trusted, catalogue: catalogue) {
            return said.isEmpty ? nil : said
        }
        return ProducerEntry.isUser(userID) ? userID : nil
    }

    /// Whether the headers of Tidings in the message are believed: its user is the roles' own, or the catalogue lets the user vouch.
    func isVouched(trusted: String, catalogue: Catalogue) -> Bool {
        userID.map { $0.utf8.elementsEqual(trusted.utf8) || catalogue.vouches($0) } ?? false
    }

    /// The exchange to which the message was first published. The broker names the dead-letter exchange on a message that it has set aside.
    var originalExchange: String {
        guard exchange == QueueNames.suspectExchange else { return exchange }
        return headers["x-first-death-exchange"]?.text ?? QueueNames.intentsExchange
    }

    /// Whether the message came because no intake queue wants its routing key. A valid key also arrives this way while its queue is missing
    /// or not bound yet, for example at the first start. Such an intent is decided like any other intent.
    fileprivate var isUnroutable: Bool {
        queue == QueueNames.rejectedQueue && QueueNames.category(ofRoutingKey: routingKey) == nil
    }
}

/// The headers of a refused message as they are kept.
private struct KeptHeaders {
    let text: String
    let replayed: String?

    /// - Parameter withIDs: whether the promised ids of the message are those of the refused event, and are believed.
    init(_ message: AMQPMessage, withIDs: Bool) {
        text = headersText(message.headers)
        replayed = ReplayHeaders.text(of: message, withIDs: withIDs)
    }

    var bytes: Int { text.utf8.count + (replayed?.utf8.count ?? 0) }
}

extension RefusedEvent {
    fileprivate init(_ rejection: Rejection, in message: AMQPMessage, _ headers: KeptHeaders, of producer: String?) {
        self.init(
            rejection: rejection, exchange: message.originalExchange, routingKey: message.routingKey, headers: headers.text,
            replayHeaders: headers.replayed, producer: producer)
    }
}

extension AMQPValue {
    /// A scalar as text, in the canonical form of CloudEvents. Nil for any other value.
    var text: String? {
        switch self {
        case .string(let text): text
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .int(let value): String(value)
        case .timestamp(let seconds): timestampText(seconds)
        case .double(let value): String(value)
        case .bool(let value): String(value)
        case .array, .table, .void, .tooDeep: nil
        }
    }
}

/// The canonical form of a timestamp (CloudEvents 1.0.2, section "Type System"). Returns the seconds if RFC 3339 cannot write the time.
private func timestampText(_ seconds: Int64) -> String {
    let time = Timestamp(seconds: seconds)
    return (Timestamp.distantPast...Timestamp.distantFuture).contains(time) ? time.rfc3339 : String(seconds)
}

/// The number of bytes of headers that are kept with a refused message.
private let keptHeaderBytes = AMQPMessage.maximumHeaderBytes

/// Returns headers as a JSON object for an operator. Scalars are kept, and every other value becomes `(nested)`.
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
