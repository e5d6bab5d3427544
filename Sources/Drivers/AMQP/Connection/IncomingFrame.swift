internal import CRabbitMQ

/// One frame, copied out of the library's memory.
enum IncomingFrame {
    case deliver(Delivery.Envelope)
    case returned(code: Int, text: String)
    case header(size: UInt64, MessageProperties)
    case body([UInt8])
    /// A method that is a complete event.
    case event(BrokerEvent)
    /// A method that needs no action here, such as the answer to a call that has already returned.
    case ignored

    /// Whether the library holds more data for this frame than was copied.
    var hasLargeHeaders: Bool { if case .header(_, let properties) = self { properties.headersCut } else { false } }

    init(_ frame: amqp_frame_t) {
        switch unsafe Int32(frame.frame_type) {
        case AMQP_FRAME_METHOD: self = unsafe Self(method: frame.payload.method)
        case AMQP_FRAME_HEADER: self = unsafe Self(header: frame.payload.properties.decoded, size: frame.payload.properties.body_size)
        case AMQP_FRAME_BODY: self = unsafe .body([UInt8](frame.payload.body_fragment))
        default: self = .ignored
        }
    }

    private init(method: amqp_method_t) {
        guard let decoded = unsafe method.decoded else {
            self = .ignored
            return
        }
        switch unsafe method.id {
        case AMQP_BASIC_DELIVER_METHOD:
            let deliver = unsafe decoded.load(as: amqp_basic_deliver_t.self)
            self = unsafe .deliver(
                Delivery.Envelope(
                    consumerTag: String(deliver.consumer_tag), tag: deliver.delivery_tag, redelivered: deliver.redelivered != 0,
                    exchange: String(deliver.exchange), routingKey: String(deliver.routing_key)))
        case AMQP_BASIC_RETURN_METHOD:
            let returned = unsafe decoded.load(as: amqp_basic_return_t.self)
            self = unsafe .returned(code: Int(returned.reply_code), text: String(returned.reply_text))
        default:
            self = unsafe BrokerEvent(method: method.id, decoded).map(Self.event) ?? .ignored
        }
    }

    private init(header decoded: UnsafeMutableRawPointer?, size: UInt64) {
        guard let decoded = unsafe decoded else {
            self = .header(size: size, MessageProperties())
            return
        }
        self = unsafe .header(size: size, MessageProperties(decoded.load(as: amqp_basic_properties_t.self)))
    }
}

extension BrokerEvent {
    fileprivate init?(method: amqp_method_number_t, _ decoded: UnsafeMutableRawPointer) {
        switch method {
        case AMQP_BASIC_ACK_METHOD:
            let ack = unsafe decoded.load(as: amqp_basic_ack_t.self)
            self = .confirmed(tag: ack.delivery_tag, multiple: ack.multiple != 0)
        case AMQP_BASIC_NACK_METHOD:
            let nack = unsafe decoded.load(as: amqp_basic_nack_t.self)
            self = .refused(tag: nack.delivery_tag, multiple: nack.multiple != 0)
        case AMQP_BASIC_CONSUME_OK_METHOD:
            self = unsafe .consumerStarted(tag: String(decoded.load(as: amqp_basic_consume_ok_t.self).consumer_tag))
        case AMQP_BASIC_CANCEL_OK_METHOD:
            self = unsafe .consumerStopped(tag: String(decoded.load(as: amqp_basic_cancel_ok_t.self).consumer_tag))
        case AMQP_BASIC_CANCEL_METHOD:
            self = unsafe .consumerCancelled(tag: String(decoded.load(as: amqp_basic_cancel_t.self).consumer_tag))
        case AMQP_CONNECTION_BLOCKED_METHOD:
            self = unsafe .blocked(reason: String(decoded.load(as: amqp_connection_blocked_t.self).reason))
        case AMQP_CONNECTION_UNBLOCKED_METHOD:
            self = .unblocked
        case AMQP_CHANNEL_CLOSE_METHOD:
            let close = unsafe decoded.load(as: amqp_channel_close_t.self)
            self = unsafe .channelClosed(code: Int(close.reply_code), text: String(close.reply_text))
        case AMQP_CONNECTION_CLOSE_METHOD:
            let close = unsafe decoded.load(as: amqp_connection_close_t.self)
            self = unsafe .connectionClosed(code: Int(close.reply_code), text: String(close.reply_text))
        default:
            return nil
        }
    }
}
