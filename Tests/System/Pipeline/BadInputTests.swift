import Testing
import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Every bad event gives a precise reason that an operator can find. Its bytes are kept, its neighbours are unharmed, and the workers stay
/// alive.
@Suite struct BadInputTests {
    private static let keptWhole = IntentLimits().maximumEventBytes
    private static let keptOfLarge = IntentLimits().keptRawBytes

    @Test func everyBadEventIsARowAndHarmsNobody() async throws {
        try await withPipeline { pipeline in
            for (index, bad) in BadEvent.all.enumerated() {
                await pipeline.publish(bad.body, contentType: bad.contentType, key: bad.routingKey)
                await pipeline.publish(event(id: "good-\(index)", to: "reader"))
            }
            let everyRow = try await pipeline.system.eventually(within: Pipeline.patience, "select count(*) from tidings_ops.rejected") {
                $0 == BadEvent.all.count
            }
            let rows = try await pipeline.json("rejected", "list")
            #expect(everyRow, "rejected: \(rows)")
            for bad in BadEvent.all { try await Self.expectRow(of: bad, in: pipeline) }
            for index in BadEvent.all.indices {
                #expect(try await pipeline.outcome(of: "good-\(index)").contains(Ended("inApp", "delivered", "delivered")))
            }
            try await pipeline.expectSound()
        }
    }

    private static func expectRow(of bad: BadEvent, in pipeline: Pipeline) async throws {
        let found = try await pipeline.system.query(
            "select rejected_id, reason_code, pointer from tidings_ops.rejected where routing_key = \(bad.routingKey)")
        guard let row = found.rows.first else {
            Issue.record("\(bad.name): no row")
            return
        }
        let (id, reason, pointer) = try row.decode((Int64, String, String).self)
        #expect(reason == bad.reason.rawValue, "\(bad.name)")
        #expect(pointer == bad.pointer, "\(bad.name)")
        let shown = try await pipeline.json("rejected", "show", "\(id)")
        let kept = shown["raw_base64"]?.stringValue.flatMap { Base64.decode($0) }
        let isWhole = bad.body.count <= keptWhole
        #expect(kept == (isWhole ? bad.body : Array(bad.body.prefix(keptOfLarge))), "\(bad.name)")
        #expect(shown["size"]?.intValue == bad.body.count, "\(bad.name)")
        #expect(shown["sha256"]?.stringValue == Hexadecimal.encode(SHA256.hash(bad.body)), "\(bad.name)")
        #expect(shown["replayable"]?.boolValue == (isWhole && bad.reason.isRetryable), "\(bad.name)")
        #expect(shown["bytes_kept"]?.intValue == kept?.count, "\(bad.name)")
        let text = kept.flatMap { $0.contains(0) ? nil : String(validating: $0, as: UTF8.self) }
        #expect(shown["raw"]?.stringValue == text, "\(bad.name)")
        #expect(shown["message"]?.stringValue?.isEmpty == false, "\(bad.name)")
        #expect(shown["what_to_do"]?.stringValue?.isEmpty == false, "\(bad.name)")
    }

    /// A batch is cut into its events before any of them is read.
    @Test func neighboursInABatchAreUnharmed() async throws {
        let bad = BadEvent.all.filter { $0.contentType == Pipeline.structured && $0.name != "largeMessage" && $0.name != "emptyBody" }
        try await withPipeline { pipeline in
            var body = Array("[".utf8)
            for (index, bad) in bad.enumerated() {
                body += Array((event(id: "neighbour-\(index)", to: "reader") + ",").utf8) + bad.body + [UInt8(ascii: ",")]
            }
            body += Array((event(id: "last", to: "reader") + "]").utf8)
            await pipeline.publish(body, contentType: Pipeline.batch)

            for id in bad.indices.map({ "neighbour-\($0)" }) + ["last"] {
                #expect(try await pipeline.outcome(of: id).contains(Ended("inApp", "delivered", "delivered")))
            }
            let rows = try await pipeline.system.query("select reason_code, occurrences from tidings_ops.rejected").rows
            let reasons = try rows.flatMap { row in
                let (reason, times) = try row.decode((String, Int64).self)
                return Array(repeating: reason, count: Int(times))
            }
            #expect(reasons.sorted() == bad.map(\.reason.rawValue).sorted())
            try await pipeline.expectSound()
        }
    }

    @Test func aKeyThatNoQueueWantsBecomesARow() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "lost", to: "reader"), key: "strange.key")
            let kept = try await pipeline.system.eventually(
                within: Pipeline.patience,
                "select count(*) from tidings_ops.rejected where reason_code = 'unroutable' and event_id = 'lost' and routing_key = 'strange.key'"
            ) { $0 == 1 }
            #expect(kept)
            let shown = try #require(try await pipeline.json("rejected", "list", "--reason", "unroutable").arrayValue?.first)
            #expect(shown["message"]?.stringValue?.contains("transactional.orderUpdate") == true, "it names the right key: \(shown)")
            try await pipeline.expectSound()
        }
    }

    /// At the very first start, a producer may publish before the intake queues are bound.
    @Test func aRightKeyThatFoundNoQueueIsDecided() async throws {
        try await withPipeline { pipeline in
            for key in ["transactional.orderUpdate", "overflow.transactional.orderUpdate"] {
                let early = event(id: "early-\(key)", to: "reader")
                await pipeline.publish(Array(early.utf8), key: key, exchange: QueueNames.alternateExchange)
                #expect(try await pipeline.outcome(of: "early-\(key)").contains(Ended("inApp", "delivered", "delivered")))
            }
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }

    /// The broker relays 18,000 nested tables without looking at them.
    @Test func headersNestedDeeplyBecomeARow() async throws {
        try await withPipeline { pipeline in
            try await NestedHeaders.publish(levels: 18_000, key: "transactional.nested", amqpURL: pipeline.system.amqpURL)
            let kept = try await pipeline.system.eventually(
                within: Pipeline.patience,
                "select count(*) from tidings_ops.rejected where reason_code = 'headersTooDeep' and routing_key = 'transactional.nested'"
            ) { $0 == 1 }
            #expect(kept, "\(pipeline.roles.errorsSoFar)")
            await pipeline.publish(event(id: "after", to: "reader"))
            #expect(try await pipeline.outcome(of: "after").contains(Ended("inApp", "delivered", "delivered")))
            try await pipeline.expectSound()
        }
    }

    @Test func anIntentScheduledAnHourAgoGoesOutNowAndSaysSo() async throws {
        try await withPipeline { pipeline in
            let past = try await pipeline.system.query(
                "select to_char((tidings.clock() - interval '1 hour') at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
            let time = try #require(past.rows.first).decode(String.self)
            await pipeline.publish(event(id: "late", to: "reader", data: #""scheduledFor":"\#(time)""#))
            #expect(try await pipeline.outcome(of: "late").contains(Ended("inApp", "delivered", "delivered")))
            let notes = try await pipeline.system.count(
                """
                select count(*) from tidings_ops.decisions d join tidings_ops.notifications n using (notification_id)
                where n.idempotency_key = 'late' and d.channel = 'inApp' and d.notes::text like '%scheduledInPast%'
                """)
            #expect(notes == 1)
        }
    }

    /// The person is not known yet: every channel is on, and there is no device.
    @Test func aStrangerIsNotBadInput() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "hello", to: "stranger-\(UInt32.random(in: 0...UInt32.max))"))
            #expect(
                try await pipeline.outcome(of: "hello") == [
                    Ended("inApp", "delivered", "delivered"), Ended("push", "suppressed", "noDevice"),
                ])
            try await pipeline.expectSound()
        }
    }
}
