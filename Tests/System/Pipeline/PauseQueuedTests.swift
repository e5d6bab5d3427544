import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

/// A pause also reaches deliveries that were queued before it: no attempt is made, and none is counted.
@Suite struct PauseQueuedTests {
    /// Packs wait on the broker while no worker runs. The worker that starts finds them paused.
    @Test func packsThatWaitOnTheBrokerGoBack() async throws {
        try await withOwnSystem { system in
            try await Pipeline.apply(TestCatalogue.withPush, to: system)
            let router = try system.start("run", "router")
            for (id, channel) in [("one", "push"), ("two", "inApp")] {
                let sent = try await system.tidings(
                    "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", id, "--channel", channel,
                    "--critical")
                #expect(sent.exitCode == 0, "\(sent.errors)")
            }
            let queued: SQL = "select count(*) from tidings_ops.deliveries where reason_code = 'inQueue'"
            #expect(try await system.eventually(queued) { $0 == 2 }, "\(router.errorsSoFar)")

            #expect(try await system.tidings("pause", "tenant", "default", "--reason", "r").exitCode == 0)
            try system.start("run", "deliver")
            try system.start("run", "release")
            let held: SQL = """
                select count(*) from tidings_ops.deliveries where state = 'held' and reason_code = 'paused' and attempts = 0 and pause_id is not null
                """
            #expect(try await system.eventually(held) { $0 == 2 })
            #expect(try await system.count("select count(*) from tidings_ops.attempts") == 0)

            #expect(try await system.tidings("resume", "tenant", "default").exitCode == 0)
            let done: SQL = "select count(*) from tidings_ops.deliveries where state in ('sent', 'delivered') and attempts = 1"
            #expect(try await system.eventually(done) { $0 == 2 })
            #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
            #expect(try await system.tidings("db", "verify").exitCode == 0)
        }
    }

    /// A slow host has far more deliveries than it may get at once. Calls in flight end when the pause begins. The other deliveries are
    /// held and sent later.
    @Test func aDeliveryThatWaitsForASlowReceiverIsHeld() async throws {
        let deliveries = 120
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tidings-pause-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPipeline(catalogue: TestCatalogue.withWebhook) { pipeline in
            let system = pipeline.system
            let capture = try system.start("capture", "--record", "\(folder)/captured.jsonl")
            let prefix = "capturing on "
            let listens = try await capture.says(/capturing on [^\n]*\n/)
            try #require(listens, "\(capture.errorsSoFar)")
            let url = try #require(capture.outputSoFar.split(separator: "\n").first { $0.hasPrefix(prefix) }).dropFirst(prefix.count)
            #expect(try await system.tidings("recipient", "set", "slow", "--webhook", "\(url)/slow/800").exitCode == 0)
            for number in 0..<deliveries {
                await pipeline.publish(event(id: "call-\(number)", to: "slow", data: #""channels":["webhook"]"#))
            }
            let delivered: SQL = "select count(*) from tidings_ops.deliveries where channel = 'webhook' and state = 'delivered'"
            #expect(try await system.eventually(delivered) { $0 > 0 }, "\(pipeline.roles.errorsSoFar)")

            #expect(try await system.tidings("pause", "provider", "webhook", "--reason", "it is slow").exitCode == 0)
            let moving: SQL = "select count(*) from tidings_ops.deliveries where state in ('queued', 'retrying')"
            #expect(try await system.eventually(moving) { $0 == 0 })
            let before = try await system.count(delivered)
            let held = try await system.count("select count(*) from tidings_ops.deliveries where state = 'held' and reason_code = 'paused'")
            #expect(before + held == deliveries && held > 0, "\(before) delivered, \(held) held")
            #expect(try await system.count("select count(*) from tidings_ops.possible_duplicates") == 0)

            #expect(try await system.tidings("resume", "provider", "webhook").exitCode == 0)
            #expect(try await system.eventually(delivered) { $0 == deliveries })
            let record = try String(contentsOfFile: "\(folder)/captured.jsonl", encoding: .utf8)
            #expect(record.split(separator: "\n").count == deliveries, "each was called once")
            #expect(try await system.count("select count(*) from tidings_ops.deliveries where attempts <> 1") == 0)
            try await pipeline.expectSound()
        }
    }
}
