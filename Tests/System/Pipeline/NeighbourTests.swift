import Testing
import TidingsPostgres
import TidingsTestSupport

/// Webhooks of two people lie on one host. The path of one is bad.
@Suite struct NeighbourTests {
    private static let bad = 8

    /// Each answer comes from a host that works, so no breaker opens.
    @Test(arguments: [400, 404, 422])
    func aPathThatRefusesHoldsUpNoNeighbour(status: Int) async throws {
        try await withNeighbours(badPath: "status/\(status)") { pipeline in
            let tried: SQL = "select count(distinct notification_id) from tidings_ops.attempts where outcome = 'retry'"
            #expect(try await pipeline.system.eventually(tried) { $0 == Self.bad }, "\(pipeline.roles.errorsSoFar)")
            try await expectNeighbourIsSent(in: pipeline)
            #expect(!pipeline.roles.errorsSoFar.contains("circuit breaker"), "\(pipeline.roles.errorsSoFar)")
        }
    }

    /// The path is held by a breaker of its own.
    @Test func aPathThatFailsHoldsUpNoNeighbour() async throws {
        try await withNeighbours(badPath: "status/500") { pipeline in
            let isHeld = try await pipeline.roles.says("an endpoint is failing: its circuit breaker opened")
            #expect(isHeld, "\(pipeline.roles.errorsSoFar)")
            try await expectNeighbourIsSent(in: pipeline)
            #expect(!pipeline.roles.errorsSoFar.contains("a provider is failing"), "\(pipeline.roles.errorsSoFar)")
        }
    }

    /// Runs `body` after deliveries to the bad path have been published.
    private func withNeighbours(badPath: String, _ body: (Pipeline) async throws -> Void) async throws {
        try await withPipeline(catalogue: TestCatalogue.withWebhook) { pipeline in
            try await Capture.with(in: pipeline.system) { capture in
                for (person, path) in [("bad", badPath), ("good", "ok")] {
                    let set = try await pipeline.system.tidings("recipient", "set", person, "--webhook", capture.url + path)
                    #expect(set.exitCode == 0, "\(set.errors)")
                }
                for number in 0..<Self.bad {
                    await pipeline.publish(event(id: "bad-\(number)", to: "bad", data: #""channels":["webhook"]"#))
                }
                try await body(pipeline)
            }
        }
    }

    private func expectNeighbourIsSent(in pipeline: Pipeline) async throws {
        await pipeline.publish(event(id: "good", to: "good", data: #""channels":["webhook"]"#))
        #expect(try await pipeline.outcome(of: "good") == [Ended("webhook", "delivered", "delivered")])
    }
}
