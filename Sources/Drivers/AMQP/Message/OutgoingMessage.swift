/// A message to publish.
///
/// ``AMQPPublisher`` publishes it as persistent and mandatory. The broker returns an unroutable message, and its result is
/// ``PublishResult/returned(code:text:)``. ``AMQPAnnouncer`` publishes it as transient, and the broker drops an unroutable message.
public struct OutgoingMessage: Sendable {
    public var exchange: String
    public var routingKey: String
    public var body: [UInt8]
    public var contentType: String
    /// The message id, the same for every republish, so that a receiver can detect a duplicate. It must be unique among the messages in
    /// flight.
    public var messageID: String
    public var headers: [String: AMQPValue]
    public var type: String?
    public var appID: String?
    public var correlationID: String?
    /// The user on the message. Nil means the publisher's own user. If the user differs from the connection's, the broker closes the
    /// channel (406), unless the connection's user has the tag `impersonator`.
    public var userID: String?
    /// Seconds since 1970.
    public var timestamp: Int64?
    /// Milliseconds that the message may wait in a queue, at least 0. Nil means no limit of its own.
    public var expirationMilliseconds: Int?

    public init(
        exchange: String, routingKey: String, body: [UInt8], contentType: String = "application/json", messageID: String,
        headers: [String: AMQPValue] = [:], type: String? = nil, appID: String? = nil, correlationID: String? = nil,
        userID: String? = nil, timestamp: Int64? = nil, expirationMilliseconds: Int? = nil
    ) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.body = body
        self.contentType = contentType
        self.messageID = messageID
        self.headers = headers
        self.type = type
        self.appID = appID
        self.correlationID = correlationID
        self.userID = userID
        self.timestamp = timestamp
        self.expirationMilliseconds = expirationMilliseconds
    }

    /// The largest overhead of one message in bytes, without its names and headers: three frames of 8 bytes, fixed fields, flags.
    static let framing = 128

    private var shortStrings: [String] {
        [exchange, routingKey, contentType, messageID] + [type, appID, correlationID, userID].compactMap(\.self)
    }

    /// The size on the wire in bytes, rounded up.
    var encodedSize: Int {
        body.count + AMQPValue.encodedSize(of: headers) + shortStrings.reduce(Self.framing) { $0 + $1.utf8.count }
    }

    /// Why the protocol cannot carry the message, or nil. The check comes before sending, because librabbitmq notices the problem only
    /// between two frames of the message. The connection would then be lost.
    func problem(frameMaximum: Int) -> AMQPError? {
        if shortStrings.contains(where: { $0.utf8.count > 255 }) {
            return .invalidMessage("a property, exchange or routing key is longer than 255 bytes")
        }
        if !AMQPValue.hasValidKeys(headers) { return .invalidMessage("a header name is longer than 255 bytes") }
        if encodedSize - body.count > frameMaximum { return .invalidMessage("the headers do not fit one frame of \(frameMaximum) bytes") }
        return nil
    }
}

/// The outcome of one published message.
public enum PublishResult: Sendable, Hashable {
    /// The broker holds the message in every queue of its route (in a quorum queue: on a majority).
    case confirmed
    /// No queue accepted the message (code 312, NO_ROUTE). No queue holds it.
    case returned(code: Int, text: String)
    /// The broker refused the message: a queue rejects at its length limit, or has no reachable majority. Try again later.
    case nacked
    /// The outcome is unknown: publish the message again with the same ``OutgoingMessage/messageID``. Only ``AMQPError/invalidMessage(_:)``
    /// is certain, because such a message was never sent.
    case failed(AMQPError)
}
