/// A message to publish. It is always persistent and mandatory: an unroutable message comes back as ``PublishResult/returned(code:text:)``
/// instead of vanishing.
public struct OutgoingMessage: Sendable {
    public var exchange: String
    public var routingKey: String
    public var body: [UInt8]
    public var contentType: String
    /// Stays the same on every republish, so that whoever receives the message can tell a duplicate. Unique within what is in flight.
    public var messageID: String
    public var headers: [String: AMQPValue]
    public var type: String?
    public var appID: String?
    public var correlationID: String?
    /// Nil for the publisher's own user. Another user than the connection's makes the broker close the channel (406), unless the
    /// connection's has the tag `impersonator`.
    public var userID: String?
    /// Seconds since 1970.
    public var timestamp: Int64?
    /// Milliseconds that the message may wait in a queue, from 0; nil for no limit of its own.
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

    /// What the frames around one message may take beside its names and headers: three frames of 8 bytes, fixed fields, flags.
    static let framing = 128

    private var shortStrings: [String] {
        [exchange, routingKey, contentType, messageID] + [type, appID, correlationID, userID].compactMap(\.self)
    }

    /// Bytes on the wire, rounded up.
    var encodedSize: Int {
        body.count + AMQPValue.encodedSize(of: headers) + shortStrings.reduce(Self.framing) { $0 + $1.utf8.count }
    }

    /// Why the protocol cannot carry the message, or nil. Checked before sending, because librabbitmq notices only between two frames of
    /// the message, when the connection can no longer be saved.
    func problem(frameMaximum: Int) -> AMQPError? {
        if shortStrings.contains(where: { $0.utf8.count > 255 }) {
            return .invalidMessage("a property, exchange or routing key is longer than 255 bytes")
        }
        if !AMQPValue.hasValidKeys(headers) { return .invalidMessage("a header name is longer than 255 bytes") }
        if encodedSize - body.count > frameMaximum { return .invalidMessage("the headers do not fit one frame of \(frameMaximum) bytes") }
        return nil
    }
}

/// What became of one published message.
public enum PublishResult: Sendable, Hashable {
    /// The broker has it, in every queue it was routed to (for a quorum queue: on a majority).
    case confirmed
    /// No queue wanted it (code 312, NO_ROUTE). It is nowhere.
    case returned(code: Int, text: String)
    /// The broker refused it: a queue that rejects at its length limit, or one without a reachable majority. Try again later.
    case nacked
    /// Unknown whether it arrived: publish it again with the same ``OutgoingMessage/messageID``. Only
    /// ``AMQPError/invalidMessage(_:)`` is certain: that message was never sent.
    case failed(AMQPError)
}
