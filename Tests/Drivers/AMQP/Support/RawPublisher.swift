import Glibc
import TidingsAMQP

/// Writes AMQP frames directly, to publish messages that no well-behaved client would send.
enum RawPublisher {
    struct Failed: Error {}

    /// Publishes one message whose header table nests `depth` tables.
    static func publishNestedHeader(depth: Int, exchange: String, routingKey: String, _ configuration: AMQPConfiguration) async throws {
        let wire = try Wire(port: configuration.port)
        defer { wire.close() }
        try wire.logIn(configuration)
        let publish = short(60) + short(40) + short(0) + shortString(exchange) + shortString(routingKey) + [0]
        try wire.send(method: publish, channel: 1)
        // The flags say: headers (bit 13) only.
        let headers = nestedTable(depth)
        try wire.send(type: 2, channel: 1, short(60) + short(0) + long(0) + long(2) + short(1 << 13) + headers)
        try wire.send(type: 3, channel: 1, Array("{}".utf8))
        // The broker answers channel.close only after it has taken in everything before.
        try wire.send(method: short(20) + short(40) + short(200) + shortString("done") + short(0) + short(0), channel: 1)
        guard try wire.readMethod() == [0, 20, 0, 41] else { throw Failed() }
    }

    /// Nested tables, written from the inside out. Every level is a table with the one key `a`.
    private static func nestedTable(_ depth: Int) -> [UInt8] {
        let perLevel = 7
        var bytes: [UInt8] = []
        for level in 0..<depth { bytes += long((depth - level) * perLevel) + [1, UInt8(ascii: "a"), UInt8(ascii: "F")] }
        return bytes + long(0)
    }

    static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
    static func long(_ value: Int) -> [UInt8] { short(value >> 16) + short(value & 0xffff) }
    static func shortString(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

    /// A blocking socket to the broker on the loopback.
    private struct Wire {
        let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let descriptor = descriptor
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else { throw Failed() }
        }

        func close() { Glibc.close(descriptor) }

        func logIn(_ configuration: AMQPConfiguration) throws {
            try write(Array("AMQP".utf8) + [0, 0, 9, 1])
            _ = try readMethod()
            let secret = "\0\(configuration.user)\0\(configuration.password)"
            let response = long(secret.utf8.count) + Array(secret.utf8)
            try send(method: short(10) + short(11) + long(0) + shortString("PLAIN") + response + shortString("en_US"), channel: 0)
            _ = try readMethod()
            try send(method: short(10) + short(31) + short(1) + long(131_072) + short(0), channel: 0)
            try send(method: short(10) + short(40) + shortString(configuration.virtualHost) + [0, 0], channel: 0)
            guard try readMethod() == [0, 10, 0, 41] else { throw Failed() }
            try send(method: short(20) + short(10) + [0], channel: 1)
            guard try readMethod() == [0, 20, 0, 11] else { throw Failed() }
        }

        func send(method: [UInt8], channel: Int) throws { try send(type: 1, channel: channel, method) }

        func send(type: UInt8, channel: Int, _ payload: [UInt8]) throws {
            try write([type] + short(channel) + long(payload.count) + payload + [0xce])
        }

        /// Reads one frame and returns the class and method numbers at its beginning.
        func readMethod() throws -> [UInt8] {
            let header = try read(7)
            let size = header[3...6].reduce(0) { $0 << 8 | Int($1) }
            return try Array(read(size + 1).prefix(4))
        }

        private func write(_ bytes: [UInt8]) throws {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failed() }
                sent += count
            }
        }

        private func read(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: count)
            while bytes.count < count {
                let got = recv(descriptor, &buffer, count - bytes.count, 0)
                guard got > 0 else { throw Failed() }
                bytes += buffer.prefix(got)
            }
            return bytes
        }
    }
}
