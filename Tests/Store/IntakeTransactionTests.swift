import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore

/// The transaction of an intake: keys, notifications, and the home of each delivery.
@Suite struct IntakeTransactionTests {
    @Test func aKeyMakesOneNotification() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.take(1...2)
            #expect(first.accepted == 2 && first.packs.flatMap(\.entries).count == 2)

            let again = try await scene.take(1...3)
            #expect(again.accepted == 1 && again.duplicates == 2 && again.packs.flatMap(\.entries).count == 1)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 3)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    @Test func aKeyWithOtherContentIsRefused() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1)
            let result = try await scene.take(scene.claims([StoreScene.intent(1, content: 9)]))
            #expect(result.accepted == 0 && result.duplicates == 0 && result.rejected == 1)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 1)
            #expect(
                try await scene.count("select count(*) from tidings_ops.rejected where reason_code = 'idempotencyConflict'") == 1)
        }
    }

    /// In one batch the first intent of a key is accepted. Later intents of the key are compared with it.
    @Test func aKeyMayRepeatInItsBatch() async throws {
        try await StoreScene.with { scene in
            let result = try await scene.take(
                scene.claims([StoreScene.intent(1), StoreScene.intent(1), StoreScene.intent(1, content: 9)]))
            #expect(result.accepted == 1 && result.duplicates == 1 && result.rejected == 1)
        }
    }

    /// The answer to the commit was lost, so the router runs the transaction again. The ids of its claims tell the store.
    @Test func theSameTryAgainWritesNothing() async throws {
        try await StoreScene.with { scene in
            let claims = scene.claims([StoreScene.intent(1)])
            #expect(try await scene.take(claims).accepted == 1)
            let again = try await scene.take(claims)
            #expect(again.accepted == 0 && again.duplicates == 0 && again.packs.isEmpty)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 1)
        }
    }

    @Test func everyVerdictHasItsTable() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1, verdict: StoreScene.send)
            try await scene.take(2...2, verdict: StoreScene.hold)
            try await scene.take(3...3, verdict: StoreScene.suppress)
            #expect(try await scene.count("select count(*) from tidings.packs where claimed_at is null and confirmed_at is null") == 1)
            #expect(try await scene.count("select count(*) from tidings.due where kind = 'held' and reason = 'scheduledFor'") == 1)
            #expect(
                try await scene.count("select count(*) from tidings.deliveries where state = 'suppressed' and reason = 'noDevice'") == 1)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// A failure after the writes rolls everything back, the keys too.
    @Test func aFailureLeavesNothing() async throws {
        struct Failure: Error {}
        try await StoreScene.with { scene in
            let claims = scene.claims([StoreScene.intent(1)])
            await #expect(throws: Failure.self) {
                try await scene.store.intake { intake -> Int in
                    guard let claimed = try await intake.claim(claims, zones: scene.zones) else { return 0 }
                    var write = IntakeWrite(catalogue: scene.catalogue, refused: [], now: claimed.now)
                    for one in claimed.all {
                        write.accept(one, routed: StoreScene.routed(StoreScene.send(claimed.now), now: claimed.now))
                    }
                    _ = try await intake.write(write)
                    throw Failure()
                }
            }
            let left = try await scene.count(
                "select (select count(*) from tidings.idempotency_recent) + (select count(*) from tidings.packs)")
            #expect(left == 0)
            let again = try await scene.take(claims)
            #expect(again.accepted == 1)
        }
    }
}
