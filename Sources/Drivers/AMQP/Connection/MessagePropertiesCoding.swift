internal import CRabbitMQ

extension MessageProperties {
    /// Copies the decoded header. Fields without their flag are uninitialised in the library's struct and must not be read.
    init(_ raw: amqp_basic_properties_t) {
        func text(_ flag: Int32, _ bytes: amqp_bytes_t) -> String? {
            unsafe raw._flags & amqp_flags_t(flag) == 0 ? nil : unsafe String(bytes)
        }
        contentType = unsafe text(AMQP_BASIC_CONTENT_TYPE_FLAG, raw.content_type)
        messageID = unsafe text(AMQP_BASIC_MESSAGE_ID_FLAG, raw.message_id)
        userID = unsafe text(AMQP_BASIC_USER_ID_FLAG, raw.user_id)
        appID = unsafe text(AMQP_BASIC_APP_ID_FLAG, raw.app_id)
        correlationID = unsafe text(AMQP_BASIC_CORRELATION_ID_FLAG, raw.correlation_id)
        type = unsafe text(AMQP_BASIC_TYPE_FLAG, raw.type)
        if unsafe raw._flags & amqp_flags_t(AMQP_BASIC_TIMESTAMP_FLAG) != 0 { timestamp = unsafe Int64(clamping: raw.timestamp) }
        if unsafe raw._flags & amqp_flags_t(AMQP_BASIC_HEADERS_FLAG) != 0 {
            var decoder = FieldDecoder()
            headers = unsafe decoder.table(raw.headers)
            headersTooDeep = decoder.metTooDeep
            headersCut = decoder.metLimit
            neededHeadersCut = decoder.leftOutNeeded
            headerWeight = decoder.weight
        }
    }
}

extension amqp_basic_properties_t {
    /// Creates the header of `message`. Its text lies in `pool` and is valid until the pool is recycled.
    init(_ message: OutgoingMessage, in pool: ScratchPool, isPersistent: Bool = true) {
        unsafe self.init()
        var flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG
        unsafe content_type = unsafe pool.bytes(message.contentType)
        unsafe delivery_mode = UInt8(isPersistent ? AMQP_DELIVERY_PERSISTENT.rawValue : AMQP_DELIVERY_NONPERSISTENT.rawValue)
        unsafe message_id = unsafe pool.bytes(message.messageID)
        if !message.headers.isEmpty {
            flags |= AMQP_BASIC_HEADERS_FLAG
            unsafe headers = unsafe pool.table(message.headers)
        }
        func set(_ text: String?, _ flag: Int32, _ field: inout amqp_bytes_t) {
            guard let text else { return }
            flags |= flag
            unsafe field = unsafe pool.bytes(text)
        }
        unsafe set(message.type, AMQP_BASIC_TYPE_FLAG, &type)
        unsafe set(message.appID, AMQP_BASIC_APP_ID_FLAG, &app_id)
        unsafe set(message.correlationID, AMQP_BASIC_CORRELATION_ID_FLAG, &correlation_id)
        unsafe set(message.userID, AMQP_BASIC_USER_ID_FLAG, &user_id)
        unsafe set(message.expirationMilliseconds.map(String.init), AMQP_BASIC_EXPIRATION_FLAG, &expiration)
        if let seconds = message.timestamp {
            flags |= AMQP_BASIC_TIMESTAMP_FLAG
            unsafe timestamp = UInt64(max(0, seconds))
        }
        unsafe _flags = amqp_flags_t(flags)
    }
}
