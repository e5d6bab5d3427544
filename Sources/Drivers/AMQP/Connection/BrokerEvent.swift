/// An event from the broker, copied out of the library's memory.
enum BrokerEvent {
    case delivered(Delivery)
    case returned(Returned)
    case confirmed(tag: UInt64, multiple: Bool)
    case refused(tag: UInt64, multiple: Bool)
    case consumerStarted(tag: String)
    case consumerStopped(tag: String)
    case consumerCancelled(tag: String)
    case blocked(reason: String)
    case unblocked
    case channelClosed(code: Int, text: String)
    case connectionClosed(code: Int, text: String)
}

/// An incoming message.
struct Delivery {
    var envelope: Envelope
    var properties: MessageProperties
    var body: [UInt8]
    var isBodyTruncated: Bool

    struct Envelope {
        var consumerTag: String
        var tag: UInt64
        var redelivered: Bool
        var exchange: String
        var routingKey: String
    }
}

/// A mandatory message that no queue accepted. The broker confirms it right after the return.
struct Returned {
    var code: Int
    var text: String
    var messageID: String?
}

/// The fields of the content header (AMQP 0-9-1 class basic).
struct MessageProperties {
    var contentType: String?
    var headers: [String: AMQPValue] = [:]
    var headersTooDeep = false
    var headersCut = false
    var neededHeadersCut = false
    var headerWeight = 0
    var messageID: String?
    var userID: String?
    var appID: String?
    var correlationID: String?
    var type: String?
    var timestamp: Int64?
}

extension AMQPMessage {
    init(_ delivery: Delivery, generation: UInt64, queue: String) {
        let properties = delivery.properties
        tag = DeliveryTag(generation: generation, value: delivery.envelope.tag)
        body = delivery.body
        isBodyTruncated = delivery.isBodyTruncated
        contentType = properties.contentType
        headers = properties.headers
        headersTooDeep = properties.headersTooDeep
        headersCut = properties.headersCut
        neededHeadersCut = properties.neededHeadersCut
        headerWeight = properties.headerWeight
        messageID = properties.messageID
        userID = properties.userID
        appID = properties.appID
        correlationID = properties.correlationID
        type = properties.type
        timestamp = properties.timestamp
        exchange = delivery.envelope.exchange
        routingKey = delivery.envelope.routingKey
        self.queue = queue
        redelivered = delivery.envelope.redelivered
        deliveryCount = if case .int(let count)? = properties.headers["x-delivery-count"] { Int(clamping: count) } else { 0 }
    }
}
