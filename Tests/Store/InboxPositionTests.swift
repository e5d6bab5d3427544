import Synchronization
import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The positions of entries, which routers and in-app workers give in the order of their commits.
@Suite struct InboxPositionTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    @Test func eachArrivalGetsTheNextPosition() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.deliver(to: Self.ann)
            let batch = try await scene.deliver(toEach: [Self.ann, Self.bob, Self.ann])
            let last = try await scene.deliver(to: Self.ann)
            let entries = try await scene.positions(of: Self.ann)
            #expect(entries.map(\.id) == [first, batch[0], batch[2], last])
            let lowest = try #require(entries.first).position
            #expect(entries.map(\.position) == (0..<4).map { lowest + $0 })
            #expect(try await scene.positions(of: Self.bob).map(\.id) == [batch[1]])
            let inbox = try await scene.system.query(
                "select total, unread, position from tidings_ops.inboxes where recipient_id = 'ann'")
            let (total, unread, newest) = try inbox.rows[0].decode((Int, Int, Int64).self)
            #expect(total == 4 && unread == 4 && newest == lowest + 3)
        }
    }

    /// Two batches that name the same people in opposite orders must not wait for each other in a circle.
    @Test func batchesOfTheSamePeopleNeverDeadlock() async throws {
        let repeated = Mutex<[PostgresError]>([])
        let log: @Sendable (PostgresPoolEvent) -> Void = { event in
            if case .transactionRetried(let error, _) = event { repeated.withLock { $0.append(error) } }
        }
        try await StoreScene.logging(to: log) { scene in
            let people = (0..<20).map { StoreScene.person("person-\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Three writers at the same time. The group waits for each.
                for writer in 0..<3 {
                    group.addTask {
                        for _ in 0..<10 { try await scene.deliver(toEach: writer == 1 ? people.reversed() : people) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(repeated.withLock { $0 }.isEmpty)
            #expect(try await scene.count("select count(*) from tidings_ops.inboxes where total = 30 and unread = 30") == 20)
        }
    }

    /// A reader who knows a position never meets a lower one that is new.
    @Test func positionsBecomeVisibleInTheirOrder() async throws {
        try await StoreScene.with { scene in
            let others = (0..<5).map { StoreScene.person("other-\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Writers of batches and a reader at the same time. The group waits for each.
                for writer in 0..<2 {
                    group.addTask {
                        for _ in 0..<40 { try await scene.deliver(toEach: (writer == 0 ? others : []) + [Self.ann] + others) }
                    }
                }
                group.addTask {
                    var known: [Int64] = []
                    while known.count < 80 {
                        let all = try await scene.positions(of: Self.ann).map(\.position)
                        #expect(all.starts(with: known), "\(known.count) positions were known")
                        known = all
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The entry of a pack arrives when the worker takes the pack, and not when its intent was accepted.
    @Test func anEntryThatWaitedArrivesOnTop() async throws {
        try await StoreScene.with { scene in
            let pack = try #require(try await scene.take(scene.claims([Self.escalating])).packs.first)
            let meanwhile = try await scene.deliver(to: Self.ann)
            let arrivals = try await scene.store.outbox.deliverToInbox([pack], pauses: .none)
            let late = pack.entries[0].notificationID
            #expect(arrivals.people.map(\.new) == [[late]] && late < meanwhile)
            #expect(try await scene.positions(of: Self.ann).map(\.id) == [meanwhile, late])
            // The pack again: it is gone, and nothing is counted twice.
            #expect(try await scene.store.outbox.deliverToInbox([pack], pauses: .none).isEmpty)
            #expect(try await scene.count("select total from tidings_ops.inboxes where recipient_id = 'ann'") == 2)
        }
    }

    private static var escalating: DecodedIntent {
        let key = Digest128(high: 7, low: 7)
        return DecodedIntent(
            intent: Intent(source: "/tests", id: "late", type: "orderUpdate", recipient: "ann", content: Content(title: "T")),
            idempotencyKey: key, contentHash: key, bytesInMessage: 0..<1)
    }
}
