import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The SQL outbox as relays share it: claimed by lease, read by index, and shown.
@Suite struct OutboxTests {
    private static let plenty = 4 << 20

    /// The result is independent of the number of waiting events, and of the planner's statistics.
    @Test func aTurnReadsNoMoreThanItTakes() async throws {
        try await withOwnSystem { system in
            _ = try await system.query(
                """
                insert into tidings.outgoing (type, event, created_at, attempts)
                select 'orderUpdate', repeat('x', 900), tidings.clock() + make_interval(secs => i), i % 20 from generate_series(1, 20000) i
                """)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "relay")
            let relay = store.clock.nextID()
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            for isAnalyzed in [false, true] {
                if isAnalyzed { _ = try await connection.query("analyze tidings.outgoing") }
                for part in OutboxPart.allCases {
                    let turn = try await store.outbox.claimEvents(part, relay: relay, after: nil, limit: 200, bytes: Self.plenty)
                    #expect(turn.events.count == 200 && turn.isFull)
                    for position in [nil, turn.last] {
                        _ = try await connection.query("begin")
                        _ = try await connection.query(Store.Outbox.turnBegins)
                        let claim = Store.Outbox.eventClaim(part, relay: relay, after: position, limit: 200)
                        let plan = try await connection.query("explain (costs off) \(claim)").rows.map { try $0.decode(String.self) }
                        _ = try await connection.query("rollback")
                        let text = plan.joined(separator: "\n")
                        #expect(text.contains("Index Scan using outgoing_turn on outgoing"), "\(part): \(text)")
                        #expect(!text.contains("Sort") && !text.contains("Seq Scan on outgoing o"), "\(part): \(text)")
                    }
                }
            }
            await connection.close()
            await store.close()
        }
    }

    /// A claimed event is published by its relay only, until the lease ends or the relay releases it.
    @Test func relaysShareTheEvents() async throws {
        try await withOwnSystem { system in
            try await Self.enqueue(7, to: system)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 2, name: "relays")
            let (one, two, three) = (store.clock.nextID(), store.clock.nextID(), store.clock.nextID())
            func claim(_ relay: NotificationID, _ limit: Int = 10, bytes: Int = Self.plenty) async throws -> [String] {
                try await store.outbox.claimEvents(.fresh, relay: relay, after: nil, limit: limit, bytes: bytes).events.map(Self.key)
            }
            #expect(try await claim(one, 2) == ["k1", "k2"])
            #expect(try await claim(two, 3) == ["k3", "k4", "k5"])
            #expect(try await claim(three) == ["k6", "k7"])
            #expect(try await claim(two, 1) == ["k3"], "a claim replaces the relay's former one")
            #expect(try await claim(three) == ["k4", "k5", "k6", "k7"])
            try await store.outbox.releaseEvents(relay: three)
            #expect(try await claim(two) == ["k3", "k4", "k5", "k6", "k7"])
            #expect(try await claim(three) == [])

            // Both relays die. Their leases end by the database's clock.
            _ = try await system.query("update tidings.clock_offset set shift = interval '11 seconds'")
            let taken = try await store.outbox.claimEvents(.fresh, relay: three, after: nil, limit: 10, bytes: Self.plenty).events
            #expect(taken.map(Self.key) == (1...7).map { "k\($0)" })
            // The first event was confirmed, and the second was refused.
            try await store.outbox.settleEvents(confirmed: [taken[0]], refused: [taken[1]])
            #expect(try await claim(three) == ["k3", "k4", "k5", "k6", "k7", "k2"])
            #expect(try await claim(three, bytes: 1) == ["k3"], "one event, however large")
            await store.close()
        }
    }

    /// A turn may begin behind the last event of the previous turn. An event that was committed late stands before that place, and a turn
    /// from the front finds it.
    @Test func aTurnGoesOnWhereTheLastOneEnded() async throws {
        try await withOwnSystem { system in
            try await Self.enqueue(4, to: system)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "relay")
            let relay = store.clock.nextID()
            let first = try await store.outbox.claimEvents(.fresh, relay: relay, after: nil, limit: 2, bytes: Self.plenty)
            let second = try await store.outbox.claimEvents(.fresh, relay: relay, after: first.last, limit: 2, bytes: Self.plenty)
            #expect(second.events.map(Self.key) == ["k3", "k4"])
            let last = try await store.outbox.claimEvents(.fresh, relay: relay, after: second.last, limit: 2, bytes: Self.plenty)
            #expect(last.events.isEmpty && last.last == nil && !last.isFull)
            _ = try await system.query("update tidings.outgoing set created_at = created_at - interval '1 hour' where event_id = 'k4'")
            let front = try await store.outbox.claimEvents(.fresh, relay: relay, after: nil, limit: 2, bytes: Self.plenty)
            #expect(front.events.map(Self.key) == ["k4", "k1"])
            await store.close()
        }
    }

    /// The relay of the previous release holds a transaction open while it publishes. Neither relay waits for the other, and the older
    /// statement works on this schema.
    @Test func theReleaseBeforeRelaysBesideThisOne() async throws {
        try await withOwnSystem { system in
            try await Self.enqueue(5, to: system)
            let old = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            _ = try await old.query("begin")
            let ids = try await old.query(
                """
                select id from (
                    select picked.*, sum(octet_length(event)) over (order by attempts, created_at, id) - octet_length(event) as bytes_before
                    from (select * from tidings.outgoing order by attempts, created_at limit 3 for update skip locked) picked
                ) weighed where bytes_before < 4194304 order by attempts, created_at, id
                """
            ).rows.map { try $0.decode(PostgresUUID.self) }
            #expect(ids.count == 3)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "relay")
            let relay = store.clock.nextID()
            let turn = try await store.outbox.claimEvents(.fresh, relay: relay, after: nil, limit: 10, bytes: Self.plenty)
            #expect(turn.events.map(Self.key) == ["k4", "k5"])
            try await store.outbox.settleEvents(confirmed: turn.events, refused: [])
            _ = try await old.query("delete from tidings.outgoing where id = any(\(ids))")
            _ = try await old.query("commit")
            await old.close()
            #expect(try await system.count("select count(*) from tidings.outgoing") == 0)
            await store.close()
        }
    }

    /// Waiting events are shown: as a number, by their ids, and as refused by the broker.
    @Test func aWaitingEventIsShown() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "relay")
            #expect(try await store.outbox.row()["waiting"]?.intValue == 0)
            let empty = try await store.outbox.level()
            #expect(empty.waiting == 0 && empty.oldestSeconds == 0 && empty.refused == 0)

            try await Self.enqueue(3, to: system)
            // The event dates from before its id was recorded, is an hour old, and was refused 11 times.
            _ = try await system.query(
                "update tidings.outgoing set event_id = null, attempts = 11, created_at = created_at - interval '1 hour' where event_id = 'k2'"
            )
            let level = try await store.outbox.level()
            #expect(level.waiting == 3 && level.refused == 1 && (3_600..<4_000).contains(level.oldestSeconds))
            let shown = try await store.outbox.row()
            #expect(shown["most_attempts"]?.intValue == 11 && shown["is_estimate"]?.boolValue == false)
            let relay = store.clock.nextID()
            let usual = try await store.outbox.claimEvents(.fresh, relay: relay, after: nil, limit: 10, bytes: Self.plenty)
            #expect(usual.events.map(Self.key) == ["k1", "k3"], "an event that is refused again and again delays nobody")
            let refused = try await store.outbox.claimEvents(.refused, relay: relay, after: nil, limit: 10, bytes: Self.plenty)
            #expect(refused.events.map(Self.key) == ["k2"])

            for key in ["k1", "k2"] {
                let found = try await system.tidings("find", key, "-o", "json")
                let rows = try JSON.parse(found.output).arrayValue ?? []
                #expect(found.exitCode == 0 && rows.map { $0["kind"]?.stringValue } == ["enqueued"], "\(found.output) \(found.errors)")
                let why = try await system.tidings("why", key)
                #expect(why.exitCode == 1 && why.errors.contains("not published yet"), "\(why.errors)")
            }
            let nothing = try await system.tidings("find", "k4")
            #expect(nothing.exitCode == 1 && nothing.errors.contains("nothing"), "\(nothing.errors)")
            await store.close()
        }
    }

    /// Enqueues the events `k1` and so on, in this order.
    private static func enqueue(_ count: Int, to system: TestSystem) async throws {
        for number in 1...count {
            _ = try await system.query("select tidings_api.enqueue('orderUpdate', 'reader', title => 'T', key => \("k\(number)"))")
        }
    }

    private static func key(_ event: EnqueuedEvent) -> String {
        (try? JSON.parse(event.event))?["id"]?.stringValue ?? "no id"
    }
}
