import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The comparison of a producer's event ids with the records.
@Suite struct ReconcileTests {
    private static let start = Timestamp(rfc3339: "2020-01-01T00:00:00Z") ?? .distantPast

    @Test func everyStateOfAnIDIsToldInTheOrderOfTheIDs() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...3)
            try await scene.system.refuse("refused")
            try await scene.system.refuse("replayed", state: "replayed")
            try await scene.system.refuse("discarded", state: "discarded")
            try await scene.system.refuse("event-3")
            _ = try await scene.system.query("select tidings_api.enqueue('orderUpdate', 'r', key => 'waits', source => '/tests')")
            let ids = ["waits", "event-2", "nothing", "refused", "replayed", "discarded", "event-3", "a b,\"c\"\nd'e\\", "event-2"]
            let events = try await scene.store.operations.reconcile(ids, source: "/tests", tenant: nil, since: Self.start)
            #expect(events.map(\.id) == ids)
            #expect(
                events.map(\.state) == [.enqueued, .accepted, .missing, .rejected, .missing, .rejected, .accepted, .missing, .accepted])
            #expect(events.map(\.notifications) == [0, 1, 0, 0, 0, 0, 1, 0, 1])
            #expect(events.map(\.reason) == [nil, nil, nil, "unknownType", nil, "unknownType", "unknownType", nil, nil])
            #expect(try await scene.store.operations.reconcile([], source: "/tests", tenant: nil, since: Self.start).isEmpty)
        }
    }

    /// Ids are unique only within a source and a tenant.
    @Test func anotherSourceOrTenantIsAnotherEvent() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1)
            try await scene.system.refuse("refused")
            for (key, tenant) in [("mine", "default"), ("theirs", "acme")] {
                _ = try await scene.system.query(
                    "select tidings_api.enqueue('orderUpdate', 'r', key => \(key), source => '/tests', tenant => \(tenant))")
            }
            let ids = ["event-1", "refused", "mine", "theirs"]
            func states(_ source: String, _ tenant: String?) async throws -> [ReconciledEvent.State] {
                try await scene.store.operations.reconcile(ids, source: source, tenant: tenant, since: Self.start).map(\.state)
            }
            #expect(try await states("/tests", nil) == [.accepted, .rejected, .enqueued, .enqueued])
            #expect(try await states("/tests", "default") == [.accepted, .rejected, .enqueued, .missing])
            // A refusal without a tenant may belong to any.
            #expect(try await states("/tests", "acme") == [.missing, .rejected, .missing, .enqueued])
            #expect(try await states("/other", nil) == [.missing, .missing, .missing, .missing])
        }
    }

    /// A restored database may have older records of the same ids.
    @Test func onlyRecordsSinceTheTimeCount() async throws {
        try await StoreScene.with { scene in
            try await scene.take(1...1)
            try await scene.system.refuse("refused")
            let later = scene.store.clock.now().adding(.seconds(60))
            let events = try await scene.store.operations.reconcile(["event-1", "refused"], source: "/tests", tenant: nil, since: later)
            #expect(events.map(\.state) == [.missing, .missing])
        }
    }

    @Test func aBatchOfTheLargestIDsIsCompared() async throws {
        try await StoreScene.with { scene in
            let ids = (0..<Store.reconcileBatch).map { number in
                let digits = String(number)
                return digits + String(repeating: "ä", count: (256 - digits.utf8.count) / 2)
            }
            let events = try await scene.store.operations.reconcile(ids, source: "/tests", tenant: nil, since: Self.start)
            #expect(events.map(\.id) == ids && events.allSatisfy { $0.state == .missing })
        }
    }

    /// Retention may keep an old day while it has dropped later ones.
    @Test func keptSinceIsTheFirstDayWithoutAGap() async throws {
        try await StoreScene.with { scene in
            let day = Duration.seconds(86_400)
            let now = scene.store.clock.now()
            let yesterday = try #require(try await scene.store.operations.keptSince())
            #expect(now - yesterday >= day)
            _ = try await scene.system.query("select tidings.ensure_partitions(3, 0)")
            let earlier = try #require(try await scene.store.operations.keptSince())
            #expect(yesterday - earlier >= day)
            let dropped = String(yesterday.adding(.zero - day).rfc3339.prefix(10).filter { $0 != "-" })
            _ = try await scene.system.query("drop table tidings.notifications_p\(unsafe: dropped)")
            #expect(try await scene.store.operations.keptSince() == yesterday)
        }
    }

    @Test func openRefusalsWithoutAnIDAreCounted() async throws {
        try await StoreScene.with { scene in
            try await scene.system.refuse(nil)
            try await scene.system.refuse(nil, state: "discarded")
            try await scene.system.refuse("named")
            #expect(try await scene.store.operations.refusedWithoutID(since: Self.start) == 1)
            #expect(try await scene.store.operations.refusedWithoutID(since: scene.store.clock.now().adding(.seconds(60))) == 0)
        }
    }
}

extension TestSystem {
    /// A refused event of the source `/tests` without a tenant.
    fileprivate func refuse(_ eventID: String?, state: String = "open") async throws {
        _ = try await query(
            """
            insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                headers, raw, size, sha256, replayable, state)
            values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '/type', 'not there', '/tests', \(eventID),
                'e', 'k', '{}', '', 1, '', false, \(state))
            """)
    }
}
