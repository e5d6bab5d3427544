/// The identity of one delivery. It is valid only on the connection that made the delivery.
public struct DeliveryTag: Sendable, Hashable, Comparable {
    /// The number of the consumer's channel, counted from 1. On a new channel, the broker redelivers unsettled messages.
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
    /// The largest number of body bytes to keep; see ``isBodyTruncated``. This limits memory to 8 MiB times the prefetch, whatever
    /// publishers send. The limit is twice the largest message that the intake accepts, and equals the `max_message_size` of our broker.
    /// The intake can therefore refuse a message that is too large with its true size.
    public static let maximumBodyBytes = 8 << 20

    /// The largest number of header values to keep, nested ones included. Real messages have a dozen; a frame has room for 120,000.
    public static let maximumHeaderValues = 1_000
    /// The largest number of bytes to keep for all header names and texts: several times the longest CloudEvents and tracing headers.
    public static let maximumHeaderBytes = 16 << 10
    /// The estimated memory of one header value in bytes, without its texts: a slot in a half-empty table, and the header of a text's
    /// storage.
    package static let bytesPerHeaderValue = 128

    public var tag: DeliveryTag
    public var body: [UInt8]
    /// Whether the body was longer than ``maximumBodyBytes``. The rest was dropped here; the broker keeps the message until it is settled.
    public var isBodyTruncated: Bool
    public var contentType: String?
    public var headers: [String: AMQPValue]
    /// Whether a header is nested deeper than ``AMQPValue/maximumDepth`` and was cut there.
    public var headersTooDeep: Bool
    /// Whether headers beyond ``maximumHeaderValues`` or ``maximumHeaderBytes`` were left out, or kept in part. Single values with names of
    /// the broker (`x-`), of CloudEvents and of tracing are kept first. Other single values follow, then tables and arrays.
    public var headersCut: Bool
    /// Whether a header that is kept first was left out too. Its value is then unknown.
    public var neededHeadersCut: Bool
    /// The estimated memory of the kept headers in bytes. In a batch, it counts like bytes of the body.
    public var headerWeight: Int
    public var messageID: String?
    /// The user that published the message. The broker checked it against the user of the publishing connection.
    public var userID: String?
    public var appID: String?
    public var correlationID: String?
    public var type: String?
    /// Seconds since 1970, as set by the publisher.
    public var timestamp: Int64?
    public var exchange: String
    public var routingKey: String
    public var queue: String
    /// Whether the broker may have delivered this message before. A publisher's republish is a new message for the broker.
    public var redelivered: Bool
    /// The number of times that a quorum queue took the message back (`x-delivery-count`). 0 when the header is missing, as on the first
    /// delivery. Every loss of the holder counts, whether or not the message caused it.
    public var deliveryCount: Int

    /// The memory that a waiting message counts for: body and headers.
    var weight: Int { body.count + headerWeight }
}

/// Messages delivered together, in the broker's order.
public struct MessageBatch: Sendable {
    public var messages: [AMQPMessage]

    public init(messages: [AMQPMessage]) { self.messages = messages }

    public var tags: [DeliveryTag] { messages.map(\.tag) }
}
