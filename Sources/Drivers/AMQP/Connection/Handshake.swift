internal import CRabbitMQ
internal import Glibc
import TidingsSocket

/// The opening of a connection: a socket to the best node that answers, TLS if requested, the login, and the one channel.
struct Handshake {
    let configuration: AMQPConfiguration
    /// The connection name in the broker's own tools.
    let name: String
    /// The node of the first attempt, for a connection that moves. Nil for the best node.
    let target: Int?

    init(_ configuration: AMQPConfiguration, name: String, target: Int? = nil) {
        self.configuration = configuration
        self.name = name
        self.target = target
    }

    /// Skips nodes that are unreachable, not ready or unwilling, and has them tried last for a while. An error that every node would repeat,
    /// such as a wrong password, ends the attempt at once.
    ///
    /// If no node is left, throws the answer of a node rather than the error of one that did not answer.
    func open() throws(AMQPError) -> (state: amqp_connection_state_t, socket: Int32, seat: NodeSeat) {
        var tried: Set<Int> = []
        var answer: AMQPError?
        var failure = AMQPError.stopped
        let nodes = configuration.brokerNodes
        var next = target.map { nodes.seat(at: $0) } ?? nodes.seat()
        while let seat = next {
            do throws(AMQPError) {
                let (state, socket) = try unsafe open(seat.node)
                return unsafe (state, socket, seat)
            } catch {
                guard error.isOfTheNode else { throw error }
                _ = seat.couldNotServe()
                tried.insert(seat.position)
                failure = error
                if case .connectionClosed(code: _?, _) = error { answer = error }
            }
            next = nodes.seat(besides: tried)
        }
        throw answer ?? failure
    }

    private func open(_ node: AMQPNode) throws(AMQPError) -> (state: amqp_connection_state_t, socket: Int32) {
        guard let state = unsafe amqp_new_connection() else { preconditionFailure("out of memory") }
        do throws(AMQPError) {
            let socket = try unsafe makeSocket(state)
            try unsafe connect(socket, to: node)
            let descriptor = unsafe amqp_socket_get_sockfd(socket)
            SocketTuning.apply(to: descriptor, heartbeat: .seconds(configuration.heartbeatSeconds))
            var timeout = timeval(configuration.connectTimeout)
            _ = unsafe amqp_set_handshake_timeout(state, &timeout)
            _ = unsafe amqp_set_rpc_timeout(state, &timeout)
            try unsafe logIn(state, to: node)
            _ = unsafe amqp_channel_open(state, BrokerConnection.channel)
            if let error = unsafe AMQPError(reply: amqp_get_rpc_reply(state)) { throw error }
            return unsafe (state, descriptor)
        } catch {
            unsafe amqp_destroy_connection(state)
            throw error
        }
    }

    private func makeSocket(_ state: amqp_connection_state_t) throws(AMQPError) -> OpaquePointer {
        guard let tls = configuration.tls else {
            guard let socket = unsafe amqp_tcp_socket_new(state) else { preconditionFailure("out of memory") }
            return unsafe socket
        }
        guard let socket = unsafe amqp_ssl_socket_new(state) else { throw .tlsFailed("the library has no TLS") }
        unsafe amqp_ssl_socket_set_verify_peer(socket, tls.verifiesPeer ? 1 : 0)
        unsafe amqp_ssl_socket_set_verify_hostname(socket, tls.verifiesHostName ? 1 : 0)
        // By default, the library turns off only SSL 2 and 3.
        try check(unsafe amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST), "TLS 1.2 is not available")
        if tls.verifiesPeer {
            try check(unsafe amqp_ssl_socket_set_cacert(socket, tls.authorities), "cannot read the authorities in \(tls.authorities)")
        }
        if let certificate = tls.certificate, let key = tls.key {
            // The library aborts the process if the key is encrypted.
            guard !Self.isEncrypted(keyFile: key) else { throw .tlsFailed("the key in \(key) is encrypted or unreadable") }
            try check(unsafe amqp_ssl_socket_set_key(socket, certificate, key), "cannot use the certificate \(certificate)")
        }
        return unsafe socket
    }

    private func connect(_ socket: OpaquePointer, to node: AMQPNode) throws(AMQPError) {
        var timeout = timeval(configuration.connectTimeout)
        errno = 0
        let status = unsafe amqp_socket_open_noblock(socket, node.host, Int32(node.port), &timeout)
        if status == AMQP_STATUS_OK.rawValue {
            guard SpareDescriptor.isFree else {
                throw .connectFailed(
                    reason: unsafe "no file descriptor is left: \(String(cString: strerror(errno)))", host: node.description)
            }
            return
        }
        let systemError = errno
        let error = AMQPError(status: status)
        if case .tlsFailed = error { throw error }
        let isSocketError = status == AMQP_STATUS_SOCKET_ERROR.rawValue
        let text = unsafe isSocketError ? "connection refused or unreachable" : String(cString: amqp_error_string2(status))
        // The library connects without blocking and leaves EINPROGRESS in errno, whatever the outcome of the connection.
        let reason = [0, EINPROGRESS].contains(systemError) ? text : unsafe "\(text): \(String(cString: strerror(systemError)))"
        throw .connectFailed(reason: reason, host: node.description)
    }

    private func logIn(_ state: amqp_connection_state_t, to node: AMQPNode) throws(AMQPError) {
        let scratch = ScratchPool()
        var properties = unsafe scratch.table(clientProperties)
        let reply = unsafe tidings_amqp_login(
            state, configuration.virtualHost, Int32(configuration.frameMaximum), Int32(configuration.heartbeatSeconds), &properties,
            configuration.user, configuration.password)
        switch unsafe AMQPError(reply: reply) {
        case nil: return
        case .connectionClosed(code: 403, _): throw .authenticationRefused
        case .timedOut: throw .connectFailed(reason: "no answer to the login", host: node.description)
        case let error?: throw error
        }
    }

    /// The broker enables a capability only on request. Without `consumer_cancel_notify`, for example, a consumer does not learn that its
    /// queue was deleted.
    private var clientProperties: [String: AMQPValue] {
        [
            "connection_name": .string(name), "product": "Tidings", "platform": "Swift, librabbitmq",
            "capabilities": .table([
                "authentication_failure_close": true, "basic.nack": true, "connection.blocked": true, "consumer_cancel_notify": true,
                "exchange_exchange_bindings": true, "publisher_confirms": true,
            ]),
        ]
    }

    private func check(_ status: Int32, _ why: String) throws(AMQPError) {
        guard status == AMQP_STATUS_OK.rawValue else { throw .tlsFailed(why) }
    }

    /// Searches the start of a PEM file for the marks of an encrypted key, in PKCS #8 and in the older OpenSSL format. True if unreadable.
    private static func isEncrypted(keyFile path: String) -> Bool {
        guard let file = unsafe fopen(path, "r") else { return true }
        defer { unsafe fclose(file) }
        var start = [UInt8](repeating: 0, count: 4096)
        let count = unsafe fread(&start, 1, start.count, file)
        return String(decoding: start.prefix(count), as: UTF8.self).contains("ENCRYPTED")
    }
}
