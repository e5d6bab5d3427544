import Foundation
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPipeline
import TidingsPostgres
import TidingsTestSupport

/// Hostile parts outside an event, and allowed but enormous ones, must not hold up a lane, a pack or a neighbour.
@Suite struct HostileMessageTests {
    @Test func aNULOutsideTheBodyIsARowAndHoldsUpNobody() async throws {
        let data = Array(#"{"recipient":"reader","title":"T"}"#.utf8)
        let headers: [String: AMQPValue] = [
            "cloudEvents_specversion": .string("1.0"), "cloudEvents_id": .string("a\0b"), "cloudEvents_source": .string("/tests"),
            "cloudEvents_type": .string("orderUpdate"),
        ]
        try await withPipeline { pipeline in
            await pipeline.publish(data, contentType: "application/json", headers: headers)
            await pipeline.publish(Array(event(id: "type", to: "reader").utf8), contentType: "text/pl\0ain")
            await pipeline.publish(event(id: "key", type: "noSuchType", to: "reader"), key: "transactional.\0x")
            await pipeline.publish(event(id: "neighbour", to: "reader"))

            #expect(try await pipeline.outcome(of: "neighbour").contains(Ended("inApp", "delivered", "delivered")))
            let reasons =
                "select count(*) from tidings_ops.rejected where reason_code in ('nulCharacter', 'unsupportedContentType', 'unknownType')"
            #expect(try await pipeline.system.eventually(SQL(unsafeSQL: reasons)) { $0 == 3 })
            #expect(
                try await pipeline.system.count(
                    "select count(*) from tidings_ops.rejected where pointer = '/id' and reason_code = 'nulCharacter'")
                    == 1)
            try await pipeline.expectSound()
        }
    }

    /// The data of the deepest allowed event lies even deeper in a pack.
    @Test func theDeepestEventIsDeliveredWithItsNeighbours() async throws {
        // The event, its data and the inner data take three of the levels.
        let levels = JSONLimits.standard.maximumDepth - 3
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        try await withPipeline { pipeline in
            let events = [event(id: "deepest", to: "reader", data: #""data":{"x":\#(deep)}"#), event(id: "beside", to: "reader")]
            await pipeline.publish("[" + events.joined(separator: ",") + "]", contentType: Pipeline.batch)
            for id in ["deepest", "beside"] {
                #expect(try await pipeline.outcome(of: id).contains(Ended("inApp", "delivered", "delivered")))
            }
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.dead_letters") == 0)
            try await pipeline.expectSound()
        }
    }

    /// Messages that are small on the wire and large in rows. The first needs more than one transaction. The second is refused because it
    /// exceeds every sensible size.
    @Test func muchFromOneMessageIsTakenInPortions() async throws {
        let text = String(repeating: "x", count: 8 << 10)
        try await withPipeline { pipeline in
            let events = (0..<3).map { Self.wideEvent("wide-\($0)", recipients: 1_000, title: text) }
            await pipeline.publish("[" + events.joined(separator: ",") + "]", contentType: Pipeline.batch)
            await pipeline.publish(Self.wideEvent("huge", recipients: 1_000, title: String(repeating: "x", count: 200 << 10)))
            let areTaken = try await pipeline.system.eventually(within: .seconds(90), "select count(*) from tidings.notifications") {
                $0 == 3_000
            }
            #expect(areTaken)
            let isRefused = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'huge' and reason_code = 'tooLarge' and pointer = '/data/recipients'"
            ) { $0 == 1 }
            #expect(isRefused)
        }
    }

    private static func wideEvent(_ id: String, recipients: Int, title: String) -> String {
        let people = (0..<recipients).map { "\"p\($0)\"" }.joined(separator: ",")
        return #"""
            {"specversion":"1.0","id":"\#(id)","source":"/tests","type":"orderUpdate",
            "data":{"recipients":[\#(people)],"title":"\#(title)","channels":["inApp"]}}
            """#
    }

    /// First comes a whole prefetch of empty events with 120,000 header values each, then large batches of events for a thousand people
    /// each. The test measures resident memory. `ulimit -v` would not do: each thread and processor reserves address space and hardly uses
    /// it.
    @Test func aRouterStaysSmallWhateverItIsSent() async throws {
        var bar = Bar()
        try await withOwnSystem { system in
            let router = try system.start("run", "router")
            #expect(try await system.eventually("select count(*) from tidings_ops.workers") { $0 == 1 })
            try await WideHeaders.publish(
                Router.prefetch, values: 120_000, key: "transactional.wide", amqpURL: system.amqpURL)
            let sent = try await system.tidings("send", "orderUpdate", "--to", "ann", "--title", "T", "--id", "innocent")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            // Equal bytes with the same reason share one row, so the innocent event shows the progress of the router.
            let isDecided = try await system.eventually(
                within: .seconds(120), "select count(*) from tidings_ops.notifications where idempotency_key = 'innocent'"
            ) { $0 == 1 }
            #expect(isDecided, "\(router.errorsSoFar)")
            #expect(try await system.count("select count(*) from tidings_ops.rejected where routing_key = 'transactional.wide'") > 0)
            let afterHeaders = try Self.mostMegabytes(of: router)
            bar.expect(
                afterHeaders < Self.megabytesOfARouter, "\(afterHeaders) MB after the headers, the bar is \(Self.megabytesOfARouter)")

            let publisher = try AMQPPublisher.make(configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "tests")
            let results = await publisher.publish((0..<40).map(Self.wideBatch))
            await publisher.close()
            #expect(results.allSatisfy { $0 == .confirmed })
            // By the second portion, the first piece of a batch is decoded. No more than this is ever decoded at once.
            let areTaken = try await system.eventually(
                within: .seconds(120), "select count(*) from tidings.notifications"
            ) { $0 > 2 * IntakePortion.maximumIntents }
            #expect(areTaken, "\(router.errorsSoFar)")
            let afterBatches = try Self.mostMegabytes(of: router)
            bar.expect(
                afterBatches < Self.megabytesOfARouter, "\(afterBatches) MB after the batches, the bar is \(Self.megabytesOfARouter)")
            #expect(router.isRunning)
        }
        try bar.end()
    }

    /// The limit in MB. A router of a release build was measured at up to 54 MB, and the rest is room for a debug build. Without bounds the
    /// headers alone would take about 3 GB: 1,500 messages of 120,000 values of at least 16 bytes.
    private static let megabytesOfARouter = 300

    /// 20 events for 1,000 people each: the most notifications that one message may ask for.
    private static func wideBatch(_ number: Int) -> OutgoingMessage {
        let events = (0..<20).map { wideEvent("batch-\(number)-\($0)", recipients: 1_000, title: "T") }
        return OutgoingMessage(
            exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate",
            body: Array("[\(events.joined(separator: ","))]".utf8), contentType: Pipeline.batch, messageID: "batch-\(number)")
    }

    /// The most resident memory that the process has had so far, in MB (VmHWM of proc(5)).
    private static func mostMegabytes(of process: TestProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let kilobytes = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        return kilobytes / 1_024
    }

    /// The broker's copy of a pack may vanish, by a purge here or by a lost volume. The rows hold everything that is needed to publish the
    /// pack again. The notification is critical, because only escalations reach the inbox through a pack.
    @Test func packsThatAreNowhereOnTheBrokerArePublishedAgain() async throws {
        try await withOwnSystem { system in
            for role in ["router", "release"] { try system.start("run", role) }
            #expect(try await system.eventually("select count(*) from tidings_ops.workers") { $0 == 2 })
            let sent = try await system.tidings(
                "send", "orderUpdate", "--to", "ann", "--title", "T", "--id", "purged", "--channel", "inApp", "--critical")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await system.eventually("select count(*) from tidings.packs where confirmed_at is not null") { $0 == 1 })
            try await Self.purgeThePack(in: system)

            _ = try await system.query("update tidings.clock_offset set shift = '2 minutes'")
            try system.start("run", "deliver")
            let arrives = try await system.eventually("select count(*) from tidings_ops.deliveries where state = 'delivered'") { $0 == 1 }
            #expect(arrives, "what was purged is not delivered")
        }
    }

    /// The packs for a queue that takes none are more than the releaser publishes again at once.
    @Test func aQueueThatRefusesHoldsUpNoOther() async throws {
        try await withOwnSystem { system in
            try system.start("run", "router")
            #expect(try await system.eventually("select count(*) from tidings_ops.workers") { $0 == 1 })
            let sent = try await system.tidings("send", "orderUpdate", "--to", "ann", "--title", "T", "--channel", "inApp", "--critical")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            #expect(try await system.eventually("select count(*) from tidings.packs where confirmed_at is not null") { $0 == 1 })
            try await Self.purgeThePack(in: system)
            _ = try await system.query("update tidings.packs set confirmed_at = null, decided_at = decided_at - interval '1 hour'")
            _ = try await system.query(
                """
                insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at)
                select lpad(to_hex(n), 32, '0')::uuid, channel, 'nowhere', lane, notification_ids, ordinals, attempts, decided_at
                from tidings.packs, generate_series(1, \(Int64(Releaser.packBatch))) n
                """)
            for role in ["release", "deliver"] { try system.start("run", role) }
            let arrives = try await system.eventually("select count(*) from tidings_ops.deliveries where state = 'delivered'") { $0 == 1 }
            #expect(arrives, "it waits behind those that nobody takes")
        }
    }

    private static func purgeThePack(in system: TestSystem) async throws {
        let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "tests")
        #expect(try await control.purge(QueueNames.deliver(channel: .inApp, provider: "inbox", lane: .urgent)) == 1)
        await control.close()
    }
}
