import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The record of the timelines on which PostgreSQL ran the database.
@Suite struct TimelineRecordTests {
    @Test func theServerTellsItsTimelineToEveryUser() async throws {
        try await StoreScene.with { scene in
            let timeline = try #require(try await scene.store.timeline())
            #expect(timeline.number >= 1 && timeline.system > 0)
            let control = try await scene.count("select timeline_id::bigint from pg_control_checkpoint()")
            #expect(Int(timeline.number) == control, "no server of the tests was promoted a moment ago")
            let name = "tidings_timeline_\(UInt32.random(in: 0...UInt32.max))"
            _ = try await scene.system.query("create role \(unsafe: name)")
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role \(name)")
            let row = try await connection.query(
                "select (select system_identifier from pg_control_system()), \(PostgresTimeline.expression)"
            ).rows[0]
            let (system, number) = try row.decode((Int, Int).self)
            #expect(UInt64(system) == timeline.system && number == Int(timeline.number), "a user without any right reads the same")
            await connection.close()
            _ = try await scene.system.query("drop role \(unsafe: name)")
        }
    }

    @Test func onlyTheFirstRecordOfATimelineCounts() async throws {
        try await StoreScene.with { scene in
            let (first, second) = (PostgresTimeline(system: 7, number: 3), PostgresTimeline(system: 7, number: 4))
            #expect(try await scene.store.noteTimeline(first, seenBy: "router-a"))
            #expect(try await scene.store.lastFailover() == nil, "nothing was before it")
            #expect(try await scene.store.noteTimeline(second, seenBy: "router-b"))
            #expect(try await !scene.store.noteTimeline(second, seenBy: "router-c"))
            let row = try #require(try await scene.store.lastFailover())
            #expect(row["timeline"]?.intValue == 4 && row["previous_timeline"]?.intValue == 3 && row["seen_by"] == "router-b", "\(row)")
            _ = try await scene.system.query("update tidings.clock_offset set shift = interval '25 hours'")
            #expect(try await scene.store.lastFailover() == nil, "told for a day")
            let other = PostgresTimeline(system: .max, number: 1)
            #expect(try await scene.store.noteTimeline(other, seenBy: "router-d"))
            let moved = try #require(try await scene.store.lastFailover())
            #expect(moved["system_identifier"]?.intValue == -1 && moved["previous_system_identifier"]?.intValue == 7, "\(moved)")
        }
    }

    /// A pooler may lead a transaction to another server than the one that was judged.
    @Test func aTransactionOnATimelineThatWasNotJudgedEnds() async throws {
        try await StoreScene.with { scene in
            var configuration = try PostgresConfiguration(url: scene.system.databaseURL)
            configuration.admission = TimelineGuard(register: TrustingRegister())
            let store = Store(configuration, size: 1, name: "timeline tests")
            try await store.open()
            let current = try #require(store.timelines?.current)
            let judged = store.databaseClock
            _ = try await store.pool.query(judged)
            let other = judged.reading("select tidings.clock(), \(Int64(current.number) + 1)")
            let error = await #expect(throws: PostgresError.self) { try await store.pool.query(other) }
            #expect(error?.isOldTimeline == true && error?.retryability == .reconnect)
            #expect(try await store.timeline() == current, "the next session is judged, and used")
            _ = try await scene.store.pool.query(scene.store.databaseClock)
            await store.close()
        }
    }

    private struct TrustingRegister: TimelineRegister {
        func answer(about timeline: PostgresTimeline) async -> TimelineAnswer { .current }
        func note(_ timeline: PostgresTimeline) async -> Bool { true }
        func hasNotes(about system: UInt64) async -> Bool? { true }
    }

    @Test func theTextOfATimelineIsReadBack() {
        let timeline = PostgresTimeline(system: 7_448_562_081_373_126_729, number: 3)
        #expect(timeline.description == "7448562081373126729/3" && PostgresTimeline(timeline.description) == timeline)
        for text in ["", "7", "7/", "/3", "7/0", "7/3/4", "-7/3", "7/-3", "7/4294967296", "a/3"] {
            #expect(PostgresTimeline(text) == nil, "\(text)")
        }
    }
}
