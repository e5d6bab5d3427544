import Testing
import TidingsTestSupport

/// Publishes empty events with headers as large as a frame. The headers are encoded once, because a client library takes a second for each.
enum WideHeaders {
    /// - Parameter values: the elements of one array, each of one byte on the wire.
    static func publish(_ count: Int, values: Int, key: String, amqpURL: String) async throws {
        let result = try await TestProcess(
            ["/usr/bin/python3", "-c", program, amqpURL, key, String(count), String(values)], environment: [:]
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
    }

    /// The broker takes the messages of a channel in order, so the confirm of the last one confirms all.
    private static let program = """
        import struct, sys, pika
        url, key, count, values = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        entry = struct.pack(">B1scI", 1, b"x", b"A", values) + b"V" * values
        table = struct.pack(">I", len(entry)) + entry
        class Wide(pika.BasicProperties):
            def encode(self):
                return [struct.pack(">H", (1 << 13) | (1 << 12)), table, b"\\x02"]
        channel = pika.BlockingConnection(pika.URLParameters(url)).channel()
        for number in range(count):
            if number == count - 1: channel.confirm_delivery()
            channel.basic_publish("tidings.intents", key, b"", Wide(), mandatory=True)
        """
}
