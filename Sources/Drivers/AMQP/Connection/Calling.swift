internal import CRabbitMQ

/// Calls that wait for the broker's answer, at most for the connect time-out. Use them only at the start of a connection, for rare calls
/// of a consumer between two turns, and in ``AMQPControl``: during the wait, other frames accumulate inside the library.
extension BrokerConnection {
    /// Limits the number of unsettled messages for each consumer. The limit is not for the channel, because a channel limit makes a quorum
    /// queue close the connection.
    func limitPrefetch(_ count: Int) throws(AMQPError) {
        try unsafe call { unsafe amqp_basic_qos($0, Self.channel, 0, UInt16(clamping: count), 0) != nil }
    }

    func turnOnConfirms() throws(AMQPError) {
        try unsafe call { unsafe amqp_confirm_select($0, Self.channel) != nil }
    }

    func declare(_ exchange: ExchangeDeclaration, passive: Bool) throws(AMQPError) {
        let name = unsafe scratch.bytes(exchange.name)
        let kind = unsafe scratch.bytes(exchange.kind)
        let arguments = unsafe scratch.table(exchange.arguments)
        try unsafe call {
            unsafe amqp_exchange_declare($0, Self.channel, name, kind, passive ? 1 : 0, exchange.durable ? 1 : 0, 0, 0, arguments) != nil
        }
    }

    func declare(_ queue: QueueDeclaration) throws(AMQPError) {
        let name = unsafe scratch.bytes(queue.name)
        let arguments = unsafe scratch.table(queue.arguments)
        let (durable, exclusive, autoDelete): (amqp_boolean_t, amqp_boolean_t, amqp_boolean_t) =
            (queue.durable ? 1 : 0, queue.exclusive ? 1 : 0, queue.autoDelete ? 1 : 0)
        try unsafe call { unsafe amqp_queue_declare($0, Self.channel, name, 0, durable, exclusive, autoDelete, arguments) != nil }
    }

    /// Reads the state of a queue without creating it. A missing queue throws ``AMQPError/channelClosed(code:text:)`` with 404.
    func status(ofQueue queue: String) throws(AMQPError) -> QueueStatus {
        let name = unsafe scratch.bytes(queue)
        var status = QueueStatus(messages: 0, consumers: 0)
        try unsafe call { state in
            guard let ok = unsafe amqp_queue_declare(state, Self.channel, name, 1, 0, 0, 0, amqp_empty_table) else { return false }
            status = unsafe QueueStatus(messages: Int(ok.pointee.message_count), consumers: Int(ok.pointee.consumer_count))
            return true
        }
        return status
    }

    /// Checks a queue over a separate connection. A missing queue then does not close the channel of the other queues' consumers.
    static func refusal(of queue: String, _ configuration: AMQPConfiguration, name: String) -> AMQPError? {
        do throws(AMQPError) {
            let probe = try BrokerConnection(configuration, name: name + " probe")
            _ = try probe.status(ofQueue: queue)
            probe.close()
            return nil
        } catch {
            return error
        }
    }

    /// Closes the channel and opens it again. The broker drops the channel's consumers and releases its unsettled messages.
    func renewChannel() throws(AMQPError) {
        try refuseWhenBroken()
        let reply = try unsafe guarded { () throws(AMQPError) in unsafe amqp_channel_close(state, Self.channel, AMQP_REPLY_SUCCESS) }
        try unsafe check(reply)
        // Drop messages that arrived before the close, because the broker delivers them again.
        while try next() != nil {}
        try unsafe call { unsafe amqp_channel_open($0, Self.channel) != nil }
    }

    func bind(_ binding: Binding) throws(AMQPError) {
        let (queue, exchange, key) = unsafe names(binding)
        let arguments = unsafe scratch.table(binding.arguments)
        try unsafe call { unsafe amqp_queue_bind($0, Self.channel, queue, exchange, key, arguments) != nil }
    }

    func unbind(_ binding: Binding) throws(AMQPError) {
        let (queue, exchange, key) = unsafe names(binding)
        let arguments = unsafe scratch.table(binding.arguments)
        try unsafe call { unsafe amqp_queue_unbind($0, Self.channel, queue, exchange, key, arguments) != nil }
    }

    func deleteQueue(_ queue: String) throws(AMQPError) {
        let name = unsafe scratch.bytes(queue)
        try unsafe call { unsafe amqp_queue_delete($0, Self.channel, name, 0, 0) != nil }
    }

    func deleteExchange(_ exchange: String) throws(AMQPError) {
        let name = unsafe scratch.bytes(exchange)
        try unsafe call { unsafe amqp_exchange_delete($0, Self.channel, name, 0) != nil }
    }

    func purge(_ queue: String) throws(AMQPError) -> Int {
        let name = unsafe scratch.bytes(queue)
        var count = 0
        try unsafe call { state in
            guard let ok = unsafe amqp_queue_purge(state, Self.channel, name) else { return false }
            count = unsafe Int(ok.pointee.message_count)
            return true
        }
        return count
    }

    /// The broker's properties from the handshake: product, version, cluster name, capabilities.
    func serverProperties() -> [String: AMQPValue] {
        guard let table = unsafe amqp_get_server_properties(state) else { return [:] }
        var decoder = FieldDecoder()
        return unsafe decoder.table(table.pointee)
    }

    private func names(_ binding: Binding) -> (amqp_bytes_t, amqp_bytes_t, amqp_bytes_t) {
        unsafe (scratch.bytes(binding.queue), scratch.bytes(binding.exchange), scratch.bytes(binding.routingKey))
    }

    private func call(_ body: (amqp_connection_state_t) -> Bool) throws(AMQPError) {
        try refuseWhenBroken()
        defer { scratch.recycle() }
        let succeeded = try guarded { () throws(AMQPError) in unsafe body(state) }
        wrote(bytes: Self.methodBytes)
        if !succeeded { try unsafe check(amqp_get_rpc_reply(state)) }
    }
}
