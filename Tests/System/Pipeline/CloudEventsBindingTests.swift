import Testing
import TidingsAMQP
import TidingsPostgres
import TidingsTestSupport

/// CloudEvents over AMQP in binary mode, with attributes in the types of AMQP, and batches without events.
@Suite struct CloudEventsBindingTests {
    private static func headers(id: String, type: String = "orderUpdate", time: AMQPValue) -> [String: AMQPValue] {
        [
            "cloudEvents:specversion": "1.0", "cloudEvents:id": .string(id), "cloudEvents:source": .bytes(Array("/tests".utf8)),
            "cloudEvents:type": .string(type), "cloudEvents:time": time, "cloudEvents:sequence": 7, "cloudEvents:sampled": true,
        ]
    }

    /// A receiver must read the native type of AMQP and the canonical text alike.
    @Test func aTimestampIsATime() async throws {
        let data = Array(#"{"recipient":"reader","title":"T"}"#.utf8)
        let json = "application/json; charset=utf-8"
        try await withPipeline { pipeline in
            await pipeline.publish(data, contentType: json, headers: Self.headers(id: "native", time: .timestamp(1_522_900_584)))
            await pipeline.publish(data, contentType: json, headers: Self.headers(id: "text", time: "2018-04-05T03:56:24Z"))
            // Milliseconds in place of seconds: no time that RFC 3339 can write.
            await pipeline.publish(data, contentType: json, headers: Self.headers(id: "late", time: .timestamp(1_522_900_584_000)))
            let refused = Self.headers(id: "refused", type: "noSuchType", time: .timestamp(1_522_900_584))
            await pipeline.publish(data, contentType: json, headers: refused)

            for id in ["native", "text"] {
                #expect(try await pipeline.outcome(of: id).contains(Ended("inApp", "delivered", "delivered")))
            }
            let isRefused = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'late' and reason_code = 'invalidAttribute' and pointer = '/time'"
            ) { $0 == 1 }
            #expect(isRefused)
            // The event is kept with its time, so that it can be replayed.
            let isKept = try await pipeline.system.eventually(
                """
                select count(*) from tidings.rejected
                where event_id = 'refused' and replay_headers::json->'cloudEvents:time'->>'timestamp' = '1522900584'
                """
            ) { $0 == 1 }
            #expect(isKept)
            try await pipeline.expectSound()
        }
    }

    @Test func anEmptyBatchHoldsUpNobody() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish("[]", contentType: Pipeline.batch)
            await pipeline.publish(event(id: "neighbour", to: "reader"))
            #expect(try await pipeline.outcome(of: "neighbour").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }
}
