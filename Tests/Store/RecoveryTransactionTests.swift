import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The transaction that takes the packs of dead workers apart.
@Suite struct RecoveryTransactionTests {
    /// Longer than a lease.
    private static let leaseIsOver = Duration.seconds(30)
    /// Longer than the time for which a living worker keeps its packs beyond the lease.
    private static let workerIsStuck = Duration.seconds(120)

    @Test func thePackOfADeadWorkerIsRetried() async throws {
        try await StoreScene.with { scene in
            try await scene.claim(scene.take(1...3).packs, worker: "dead")
            #expect(try await scene.recover() == 0, "the lease is not over")

            try await scene.store.upkeep.shiftClock(by: Self.leaseIsOver)
            #expect(try await scene.recover() == 3)
            #expect(try await scene.count("select count(*) from tidings.packs") == 0)
            #expect(try await scene.count("select count(*) from tidings.due where kind = 'recover' and attempt = 2") == 3)
            #expect(
                try await scene.count(
                    "select count(*) from tidings.attempts where outcome = 'unknown' and worker = 'dead' and possible_duplicate") == 3)
            #expect(try await scene.recover() == 0)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// A worker with a heartbeat has outcomes that only it knows.
    @Test func aLivingWorkerKeepsItsPackForAWhile() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.system.query(
                """
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at)
                values ('living', 'deliver', 'h', 1, '0', tidings.clock(), tidings.clock())
                """)
            try await scene.claim(scene.take(1...1).packs, worker: "living")
            for (shift, recovered) in [(Self.leaseIsOver, 0), (Self.workerIsStuck, 1)] {
                try await scene.store.upkeep.shiftClock(by: shift)
                _ = try await scene.system.query("update tidings.workers set heartbeat_at = tidings.clock()")
                #expect(try await scene.recover() == recovered, "after \(shift)")
            }
        }
    }

    /// The statement waited for a lock, and so did the workers that would have settled the packs.
    @Test func anOldViewTakesNothingApart() async throws {
        try await StoreScene.with { scene in
            try await scene.claim(scene.take(1...1).packs, worker: "dead")
            try await scene.store.upkeep.shiftClock(by: Self.leaseIsOver)
            await #expect(throws: StoreError.viewTooOld) { try await scene.recover(before: ContinuousClock.now - .seconds(1)) }
            #expect(try await scene.count("select count(*) from tidings.packs where claimed_by = 'dead'") == 1)
            #expect(try await scene.recover() == 1)
        }
    }

    @Test func anUnknownWordIsAnErrorAndThePackStays() async throws {
        try await StoreScene.with { scene in
            try await scene.claim(scene.take(1...1).packs, worker: "dead")
            _ = try await scene.system.query("update tidings.packs set lane = 'writtenByANewerVersion'")
            try await scene.store.upkeep.shiftClock(by: Self.leaseIsOver)

            let error = await #expect(throws: UnwritableRow.self) { try await scene.recover() }
            #expect(error?.isStrange == true)
            guard case .pack(let pack)? = error?.row else { throw NoRow() }
            #expect(try await scene.recover(passingOver: [pack]) == 0)
            #expect(try await scene.count("select count(*) from tidings.packs where lane = 'writtenByANewerVersion'") == 1)
        }
    }

    /// A turn reads the clock beside the packs. If the error named a pack, the releaser would pass over one pack after the other.
    @Test func anUnreadableClockIsTheFaultOfNoPack() async throws {
        try await StoreScene.with { scene in
            try await scene.claim(scene.take(1...1).packs, worker: "dead")
            _ = try await scene.system.query(
                "update tidings.clock_offset set shift = '294270-01-01'::timestamptz - statement_timestamp()")
            let error = await #expect(throws: PostgresError.self) { try await scene.recover() }
            #expect(error?.kind == .decoding)
            try await scene.store.upkeep.shiftClock(by: Self.leaseIsOver)
            #expect(try await scene.recover() == 1)
        }
    }

    private struct NoRow: Error {}
}
