internal import CRabbitMQ

extension AMQPError {
    /// Creates an error from a status of the library. The status must not be OK.
    init(status: Int32) {
        let text = unsafe amqp_error_string2(status).map { unsafe String(cString: $0) } ?? "status \(status)"
        switch status {
        case AMQP_STATUS_HEARTBEAT_TIMEOUT.rawValue: self = .heartbeatTimeout
        case AMQP_STATUS_TIMEOUT.rawValue: self = .timedOut("the broker")
        case AMQP_STATUS_CONNECTION_CLOSED.rawValue: self = .connectionClosed(code: nil, text: text)
        case AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue...AMQP_STATUS_SSL_ERROR.rawValue: self = .tlsFailed(text)
        default: self = .socket(text)
        }
    }

    /// Creates an error from the reply to a call. Nil when the call succeeded.
    init?(reply: amqp_rpc_reply_t) {
        switch unsafe reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return nil
        case AMQP_RESPONSE_LIBRARY_EXCEPTION: self = unsafe AMQPError(status: reply.library_error)
        case AMQP_RESPONSE_SERVER_EXCEPTION: self = unsafe AMQPError(closing: reply.reply)
        default: self = .connectionClosed(code: nil, text: "the broker hung up")
        }
    }

    private init(closing method: amqp_method_t) {
        guard let decoded = unsafe method.decoded else {
            self = .connectionClosed(code: nil, text: "no reason given")
            return
        }
        if unsafe method.id == AMQP_CHANNEL_CLOSE_METHOD {
            let close = unsafe decoded.load(as: amqp_channel_close_t.self)
            self = unsafe .channelClosed(code: Int(close.reply_code), text: String(close.reply_text))
        } else if unsafe method.id == AMQP_CONNECTION_CLOSE_METHOD {
            let close = unsafe decoded.load(as: amqp_connection_close_t.self)
            self = unsafe .connectionClosed(code: Int(close.reply_code), text: String(close.reply_text))
        } else {
            self = unsafe .connectionClosed(code: nil, text: "unexpected method \(method.id)")
        }
    }
}
