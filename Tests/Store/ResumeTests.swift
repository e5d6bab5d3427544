import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The answer to an operator who ends a pause.
@Suite struct ResumeTests {
    /// A releaser takes the deliveries as soon as the end of the pause is committed, which may be before the answer is read.
    @Test func theAnswerNamesTheDeliveriesThatAReleaserTakesAtOnce() async throws {
        try await StoreScene.with { scene in
            let paused = try await scene.store.pausing.pause(.channel, "push", reason: "a test", by: "ada@ops", for: nil)
            let id = try #require(paused?["pause_id"]?.intValue)
            try await scene.take(1...3, verdict: StoreScene.hold)
            _ = try await scene.system.query("update tidings.due set pause_id = \(Int64(id))")
            _ = try await scene.system.query(
                """
                create function tidings.take_at_once() returns trigger language plpgsql as $$
                begin
                    delete from tidings.due where pause_id = new.id;
                    return null;
                end $$
                """)
            _ = try await scene.system.query(
                "create trigger take_at_once after update on tidings.pauses for each row execute function tidings.take_at_once()")

            let resumed = try #require(try await scene.store.pausing.resume(.channel, "push", by: "bob@ops"))
            #expect(resumed["deliveries"] == 3 && resumed["state"] == "over" && resumed["resumed_by"] == "bob@ops", "\(resumed)")
            #expect(try await scene.count("select count(*) from tidings.due") == 0)
            #expect(try await scene.store.pausing.resume(.channel, "push", by: "bob@ops") == nil)
        }
    }
}
