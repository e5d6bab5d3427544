import Testing
import TidingsTestSupport

/// Publishes nested header tables, which no client library builds by itself. The tables are encoded in the script, inside pika's own
/// frames.
enum NestedHeaders {
    static func publish(levels: Int, key: String, amqpURL: String) async throws {
        let result = try await TestProcess(
            ["/usr/bin/python3", "-c", program, amqpURL, key, String(levels)], environment: [:]
        ).finish()
        try #require(result.exitCode == 0, "\(result.errors)")
    }

    /// Every level is a table with the one key `a`. A level takes seven bytes, and is written from the inside out.
    private static let program = """
        import struct, sys, pika
        url, key, levels = sys.argv[1], sys.argv[2], int(sys.argv[3])
        table = b"".join(struct.pack(">IB1sc", (levels - n) * 7, 1, b"a", b"F") for n in range(levels)) + struct.pack(">I", 0)
        class Nested(pika.BasicProperties):
            def encode(self):
                return [struct.pack(">H", 1 << 13), table]
        channel = pika.BlockingConnection(pika.URLParameters(url)).channel()
        channel.confirm_delivery()
        channel.basic_publish("tidings.intents", key, b"{}", Nested(), mandatory=True)
        """
}
