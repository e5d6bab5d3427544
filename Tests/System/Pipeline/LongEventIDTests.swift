import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// An event id of 256 bytes is allowed, and the message id of AMQP has at most 255.
@Suite struct LongEventIDTests {
    private static func id(_ name: String, bytes: Int) -> String { name + String(repeating: "x", count: bytes - name.utf8.count) }

    @Test func everyProducerPublishesTheLongestID() async throws {
        try await withPipeline { pipeline in
            let events = ["a", "b", "c", "d"].flatMap { name in [255, 256].map { Self.id(name, bytes: $0) } }.map { id in
                IntentEvent(
                    source: "/tests", id: id, type: "orderUpdate", category: .transactional, recipients: ["reader"], title: "A title")
            }
            let producer = try Producer(url: pipeline.system.amqpURL)
            let (single, batched) = (Array(events.prefix(4)), Array(events.suffix(4)))
            #expect(await producer.publish(single).allSatisfy { $0 == .confirmed })
            // The first event of a batch names its message.
            #expect(await producer.publish(batched.reversed(), perMessage: 2).allSatisfy { $0 == .confirmed })
            // The same event again has the same message id, and is a duplicate.
            #expect(await producer.publish(single[1]) == .confirmed)
            await producer.close()

            let sent = Self.id("sent", bytes: 256)
            let result = try await pipeline.system.tidings("send", "orderUpdate", "--to", "reader", "--title", "T", "--id", sent)
            #expect(result.exitCode == 0, "\(result.errors)")
            for id in events.map(\.id) + [sent] {
                #expect(try await pipeline.outcome(of: id).contains(Ended("inApp", "delivered", "delivered")))
            }
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == events.count + 1)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }
}
