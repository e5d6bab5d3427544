/// Names one delivery: valid only on the connection that brought it.
public struct DeliveryTag: Sendable, Hashable, Comparable {
    /// Which channel of the consumer, counted from 1. On a new one the broker delivers again what was not settled.
    public let generation: UInt64
    /// The broker's own number within the channel, counted from 1.
    public let value: UInt64

    public init(generation: UInt64, value: UInt64) {
        self.generation = generation
        self.value = value
    }

    public static func < (left: DeliveryTag, right: DeliveryTag) -> Bool {
        (left.generation, left.value) < (right.generation, right.value)
    }
}

/// One message as the broker delivered it.
public struct AMQPMessage: Sendable {
    /// The most bytes of a body that are kept; see ``isBodyTruncated``. Bounds memory to this times the prefetch, whatever is sent. Twice the
    /// largest message that is taken in, and what our broker accepts at most: one that is too large is told as such, with its true size.
    public static let maximumBodyBytes = 8 << 20

    /// Values kept of all headers together, nested ones included. Real messages have a dozen; a frame has room for 120,000.
    public static let maximumHeaderValues = 1_000
    /// Bytes of names and texts kept of all headers together: several times what CloudEvents and tracing take at their longest.
    public static let maximumHeaderBytes = 16 << 10
    /// Memory that one header value counts as, beside its texts: a place in a table that is half empty, and the head of a text's storage.
    package static let bytesPerHeaderValue = 128

    public var tag: DeliveryTag
    public var body: [UInt8]
    /// The body was longer than ``maximumBodyBytes``; the rest was dropped here (the broker still has it until the message is settled).
    public var isBodyTruncated: Bool
    public var contentType: String?
    public var headers: [String: AMQPValue]
    /// Some header nests deeper than ``AMQPValue/maximumDepth`` and was cut there.
    public var headersTooDeep: Bool
    /// Headers were left out, or kept in part, beyond ``maximumHeaderValues`` or ``maximumHeaderBytes``. Names of the broker (`x-`), of
    /// CloudEvents and of tracing with a single value are kept first, then other single values, then tables and arrays.
    public var headersCut: Bool
    /// Headers that are kept first were left out as well: what they say is not known.
    public var neededHeadersCut: Bool
    /// Memory that the kept headers take, estimated: it counts in a batch like bytes of the body.
    public var headerWeight: Int
    public var messageID: String?
    /// The user that published, checked by the broker against the publishing connection.
    public var userID: String?
    public var appID: String?
    public var correlationID: String?
    public var type: String?
    /// Seconds since 1970, as the publisher set it.
    public var timestamp: Int64?
    public var exchange: String
    public var routingKey: String
    public var queue: String
    /// False means that the broker has not delivered this message before. A publisher's retry is a new message to the broker.
    public var redelivered: Bool
    /// How often a quorum queue took the message back (`x-delivery-count`); 0 when the header is missing, as on the first delivery.
    /// It counts every loss of the holder, whether or not the message was to blame.
    public var deliveryCount: Int

    /// Memory that the message counts as where messages wait: body and headers.
    var weight: Int { body.count + headerWeight }
}

/// Messages handed over together, in the broker's order.
public struct MessageBatch: Sendable {
    public var messages: [AMQPMessage]

    public init(messages: [AMQPMessage]) { self.messages = messages }

    public var tags: [DeliveryTag] { messages.map(\.tag) }
}
