import Testing
import TidingsPostgres
import TidingsTestSupport
import TidingsWire

/// What an operator can do with a refused intent: take it in again once its cause is gone, or close it.
@Suite struct RejectedTests {
    @Test func replayDeliversOnceTheTypeIsThere() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "early", type: "parcelUpdate", to: "reader"), key: "transactional.parcelUpdate")
            let id = try await Self.rejected("early", as: "unknownType", in: pipeline)

            try await Self.addType("parcelUpdate", to: pipeline)
            let replay = try await pipeline.system.tidings("rejected", "replay", id)
            #expect(replay.exitCode == 0, "\(replay.errors)")
            #expect(try await pipeline.outcome(of: "early").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.json("rejected", "show", id)["state"]?.stringValue == "replayed")
            try await pipeline.expectSound()
        }
    }

    /// Replaying what is still wrong opens the row again and counts it, and makes no second row.
    @Test func replayOfWhatIsStillWrongIsRefusedAgain() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "wrong", type: "noSuchType", to: "reader"))
            let id = try await Self.rejected("wrong", as: "unknownType", in: pipeline)
            #expect(try await pipeline.system.tidings("rejected", "replay", id).exitCode == 0)
            let again = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where event_id = 'wrong' and occurrences = 2"
            ) { $0 == 1 }
            #expect(again)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 1)
            try await pipeline.expectSound()
        }
    }

    @Test func discardClosesTheRowAndKeepsIt() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish("hello", key: "transactional.hello")
            let found = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where reason_code = 'notJSON'") {
                $0 == 1
            }
            #expect(found)
            let row = try #require(try await pipeline.json("rejected", "list").arrayValue?.first?["rejected_id"]?.intValue)
            #expect(try await pipeline.system.tidings("rejected", "discard", "\(row)").exitCode == 0)
            #expect(try await pipeline.json("rejected", "show", "\(row)")["state"]?.stringValue == "discarded")
            #expect(try await pipeline.system.tidings("rejected", "discard", "\(row)").exitCode == 1, "it is closed already")
            #expect(try await pipeline.json("rejected", "list", "--state", "open") == [])
        }
    }

    @Test func whatWasNotKeptWholeCannotBeReplayed() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "big", to: "reader", title: String(repeating: "x", count: 256 << 10)))
            let found = try await pipeline.system.eventually("select count(*) from tidings_ops.rejected where reason_code = 'tooLarge'") {
                $0 == 1
            }
            #expect(found)
            let row = try #require(try await pipeline.json("rejected", "list").arrayValue?.first?["rejected_id"]?.intValue)
            let replay = try await pipeline.system.tidings("rejected", "replay", "\(row)")
            #expect(replay.exitCode == 1 && replay.errors.contains("cannot be replayed"), "\(replay.errors)")
        }
    }

    /// The number of the row of an event, once it is there.
    private static func rejected(_ eventID: String, as reason: String, in pipeline: Pipeline) async throws -> String {
        let found = try await pipeline.system.eventually(
            "select count(*) from tidings_ops.rejected where event_id = \(eventID) and reason_code = \(reason)"
        ) { $0 == 1 }
        try #require(found)
        return String(try await pipeline.system.count("select rejected_id from tidings_ops.rejected where event_id = \(eventID)"))
    }

    /// Adds a type to the active catalogue, as the README says, and waits until the running roles follow.
    private static func addType(_ name: String, to pipeline: Pipeline) async throws {
        let shown = try await pipeline.system.tidings("catalogue", "show")
        #expect(shown.exitCode == 0)
        let more = shown.output.replacing("\ntypes:\n", with: "\ntypes:\n  \(name):\n    category: transactional\n")
        try await Pipeline.apply(more, to: pipeline.system)
        #expect(try await eventually { pipeline.roles.errorsSoFar.contains("another catalogue is active") })
    }
}
