internal import CRabbitMQ

/// Methods that need no answer, or whose answer arrives later as a ``BrokerEvent``. None of them waits.
extension BrokerConnection {
    /// The size of a short method in bytes on the wire, rounded up.
    static let methodBytes = 64

    /// - Parameter mayBeLost: false for a persistent message that the broker returns when no queue accepts it. True for a transient message
    ///   that the broker then drops.
    func publish(_ message: OutgoingMessage, mayBeLost: Bool = false) throws(AMQPError) {
        try refuseWhenBroken()
        defer { scratch.recycle() }
        var properties = unsafe amqp_basic_properties_t(message, in: scratch, isPersistent: !mayBeLost)
        let mandatory: amqp_boolean_t = mayBeLost ? 0 : 1
        let exchange = unsafe scratch.bytes(message.exchange)
        let routingKey = unsafe scratch.bytes(message.routingKey)
        let status = unsafe message.body.withUnsafeBytes { body in
            let bytes = unsafe amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress))
            return unsafe amqp_basic_publish(state, Self.channel, exchange, routingKey, mandatory, 0, &properties, bytes)
        }
        try check(status)
        wrote(bytes: message.encodedSize)
    }

    func acknowledge(_ tag: UInt64, multiple: Bool) throws(AMQPError) {
        try unsafe send { unsafe amqp_basic_ack($0, Self.channel, tag, multiple ? 1 : 0) }
    }

    func reject(_ tag: UInt64, multiple: Bool, requeue: Bool) throws(AMQPError) {
        try unsafe send { unsafe amqp_basic_nack($0, Self.channel, tag, multiple ? 1 : 0, requeue ? 1 : 0) }
    }

    /// Starts a consumer. The broker answers with ``BrokerEvent/consumerStarted(tag:)``, or closes the channel.
    func startConsumer(queue: String, tag: String) throws(AMQPError) {
        var method = unsafe amqp_basic_consume_t()
        unsafe method.queue = unsafe scratch.bytes(queue)
        unsafe method.consumer_tag = unsafe scratch.bytes(tag)
        try unsafe send { unsafe amqp_send_method($0, Self.channel, AMQP_BASIC_CONSUME_METHOD, &method) }
    }

    /// Stops a consumer. Deliveries may still arrive until ``BrokerEvent/consumerStopped(tag:)``.
    func stopConsumer(tag: String) throws(AMQPError) {
        var method = unsafe amqp_basic_cancel_t()
        unsafe method.consumer_tag = unsafe scratch.bytes(tag)
        try unsafe send { unsafe amqp_send_method($0, Self.channel, AMQP_BASIC_CANCEL_METHOD, &method) }
    }

    private func send(_ body: (amqp_connection_state_t) -> Int32) throws(AMQPError) {
        try refuseWhenBroken()
        defer { scratch.recycle() }
        try check(unsafe body(state))
        wrote(bytes: Self.methodBytes)
    }
}
