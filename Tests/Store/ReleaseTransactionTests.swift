import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The transaction in which due deliveries leave `due`.
@Suite struct ReleaseTransactionTests {
    private static let hour = Duration.seconds(3_660)

    @Test func aDeliveryIsReleasedAtItsTimeAndOnce() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...3, verdict: StoreScene.hold)
            #expect(try await scene.release().released == 0, "nothing is due yet")

            try await scene.store.upkeep.shiftClock(by: Self.hour)
            let result = try await scene.release()
            #expect(result.released == 3 && result.packs.flatMap(\.entries).count == 3)
            #expect(try await scene.count("select count(*) from tidings.due") == 0)
            #expect(try await scene.count("select sum(cardinality(ordinals))::bigint from tidings.packs") == 3)
            #expect(try await scene.release().released == 0)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    @Test func aVerdictToWaitPutsItBack() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1, verdict: StoreScene.hold)
            try await scene.store.upkeep.shiftClock(by: Self.hour)
            #expect(try await scene.release(verdict: StoreScene.hold).packs.isEmpty)
            #expect(try await scene.count("select count(*) from tidings.due where due_at > tidings.clock()") == 1)
        }
    }

    /// A column that no judgement decides would get lost at the first look if the row were made anew.
    @Test func aRowThatIsPutBackKeepsItsOtherColumns() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1, verdict: StoreScene.hold)
            _ = try await scene.system.query(
                "update tidings.due set attempt = 3, kind = 'retry', reason = 'timeout', endpoint = 'device-1'")
            let kept: SQL = """
                select (to_jsonb(w) - array['due_at', 'kind', 'reason', 'pause_id', 'since'])::text from tidings.due w
                """
            let before = try await scene.system.query(kept).rows.map { try $0.decode(String.self) }
            try #require(before.count == 1 && before.allSatisfy { $0.contains("\"attempt\": 3") }, "\(before)")
            try await scene.store.upkeep.shiftClock(by: Self.hour)
            #expect(try await scene.release(verdict: StoreScene.hold).released == 1)
            let after = try await scene.system.query(kept).rows.map { try $0.decode(String.self) }
            #expect(after == before)
            #expect(try await scene.count("select count(*) from tidings.due where kind = 'held' and due_at > tidings.clock()") == 1)
        }
    }

    @Test func twoReleasersTakeEachDeliveryOnce() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...40, verdict: StoreScene.hold)
            try await scene.store.upkeep.shiftClock(by: Self.hour)
            async let one = scene.release()
            async let other = scene.release()
            let released = try await [one, other]
            #expect(released.reduce(0) { $0 + $1.released } == 40)
            #expect(try await scene.count("select sum(cardinality(ordinals))::bigint from tidings.packs") == 40)
        }
    }

    /// A newer version has written a word that this version does not know. The error names the row, and the row stays as it is.
    @Test(arguments: [
        "update tidings.due set reason = 'writtenByANewerVersion'",
        "update tidings.notifications set category = 'writtenByANewerVersion'",
        "update tidings.notifications set channels = '{push,writtenByANewerVersion}'",
    ])
    func anUnknownWordIsAnErrorAndTheRowStays(_ change: String) async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1, verdict: StoreScene.hold)
            _ = try await scene.system.query(SQL(unsafeSQL: change))
            try await scene.take(2...2, verdict: StoreScene.hold)
            try await scene.store.upkeep.shiftClock(by: Self.hour)

            let several = await #expect(throws: PostgresError.self) { try await scene.release() }
            #expect(several?.kind == .decoding, "of several rows the error cannot name one")
            let error = await #expect(throws: UnwritableRow.self) { try await scene.release(limit: 1) }
            #expect(error?.isStrange == true)
            guard case .delivery(let key)? = error?.row else { throw NoRow() }

            #expect(try await scene.release(passingOver: [key]).released == 1)
            #expect(try await scene.count("select count(*) from tidings.due where attempt = 1 and kind = 'held'") == 1)
        }
    }

    /// A turn reads the pauses and the clock beside its rows. If the error named a delivery, the releaser would pass over one delivery
    /// after the other.
    @Test(arguments: [
        "insert into tidings.pauses (scope, name, reason, paused_by, since, until) values ('tenant', 'x', 'r', 'o', now(), '294270-01-01')",
        "update tidings.clock_offset set shift = '294270-01-01'::timestamptz - statement_timestamp()",
    ])
    func anUnreadablePauseOrClockIsTheFaultOfNoDelivery(_ change: String) async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1, verdict: StoreScene.hold)
            try await scene.store.upkeep.shiftClock(by: Self.hour)
            _ = try await scene.system.query(SQL(unsafeSQL: change))
            let error = await #expect(throws: PostgresError.self) { try await scene.release(limit: 1) }
            #expect(error?.kind == .decoding)
            #expect(try await scene.count("select count(*) from tidings.due") == 1)
        }
    }

    private struct NoRow: Error {}
}
