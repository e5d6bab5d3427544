import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The erasure of a person, turn by turn.
@Suite struct ErasureTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve-of-the-tests")
    private static let bob = RecipientKey(tenant: "default", id: "bob-of-the-tests")

    @Test func aSecondRequestGetsTheErasureThatRuns() async throws {
        try await StoreScene.with { scene in
            let ids = try await withThrowingTaskGroup(of: NotificationID.self) { group in
                // Two requests at the same time, both awaited here.
                for author in ["one", "two"] {
                    group.addTask { try await scene.store.requestErasure(of: Self.eve, by: author) }
                }
                var ids: Set<NotificationID> = []
                for try await id in group { ids.insert(id) }
                return ids
            }
            #expect(ids.count == 1)
            let first = try #require(ids.first)
            #expect(try await scene.store.requestErasure(of: Self.bob, by: "tests") != first)
            try #require(try await scene.finish(first))
            let second = try await scene.store.requestErasure(of: Self.eve, by: "tests")
            #expect(second != first, "the first one is done")
            try #require(try await scene.finish(second))
            #expect(try await scene.count("select count(*) from tidings.erased_people") == 2)
        }
    }

    /// Of a message for several people, one is taken out. A dead letter that comes after the erasure is searched when it is stored.
    @Test func refusedMessagesStayForTheOthers() async throws {
        try await StoreScene.with { scene in
            let (eve, bob) = (Self.eve.id, Self.bob.id)
            let shared = Array(#"[{"data":{"recipient":"\#(eve)"}},{"data":{"recipients":["\#(bob)","\#(eve)"]}}]"#.utf8)
            _ = try await scene.store.keepDead(Self.dead(shared, "first"), state: "open")
            let broken = Array(#"{"broken": "\#(eve)""#.utf8)
            let rows: [(raw: [UInt8], listed: [String], others: Bool)] = [
                (shared, [bob], true), (broken, [], true), (shared, [bob], false),
            ]
            for (raw, listed, others) in rows {
                _ = try await scene.system.query(
                    """
                    insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, exchange, routing_key, headers, raw,
                        size, sha256, replayable, recipients, names_others)
                    values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '', 'm', 'e', 'k', '{}', \(raw),
                        \(Int32(raw.count)), '', true, \(listed), \(others))
                    """)
            }
            let id = try await scene.store.requestErasure(of: Self.eve, by: "tests")
            try #require(try await scene.finish(id))
            let left = #"[{"data":{"recipients":["\#(bob)"]}}]"#
            #expect(try await scene.bytes(in: "dead") == [left])
            // The last row says that it lists everybody, so its bytes are not read.
            #expect(try await scene.bytes(in: "rejected") == [left, String(decoding: shared, as: UTF8.self)])
            let sizes = try await scene.count("select count(*) from tidings.rejected where size = octet_length(raw) and replayable")
            #expect(sizes == 2)

            let later = try await scene.store.keepDead(Self.dead(shared, "later"), state: "open")
            try await scene.store.forgetErased(inDead: later.id)
            #expect(try await scene.bytes(in: "dead") == [left, left])
        }
    }

    @Test func tombstonesEndWithTheReplayHorizon() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.store.requestErasure(of: Self.eve, by: "tests")
            let retention = Duration.seconds(30 * 86_400)
            try await scene.store.shiftClock(by: retention * 3)
            #expect(try await !scene.store.pruneErasures(retention: retention), "the erasure runs")
            try #require(try await scene.finish(id))
            #expect(try await scene.store.pruneErasures(retention: retention))
            #expect(try await !scene.store.isErased(Self.eve))
            #expect(try await scene.store.erasure(id, tenant: nil) != nil, "the proof is kept longer")
            try await scene.store.shiftClock(by: Store.erasuresKept + .seconds(86_400))
            #expect(try await scene.store.pruneErasures(retention: retention))
            #expect(try await scene.store.erasure(id, tenant: nil) == nil)
        }
    }

    private static func dead(_ body: [UInt8], _ key: String) -> DeadMessage {
        DeadMessage(
            queue: "q", reason: .poison, message: "m", deaths: 1, exchange: "e", routingKey: key, contentType: nil, headers: "{}",
            body: body)
    }
}

extension StoreScene {
    fileprivate func bytes(in table: String) async throws -> [String] {
        try await system.query("select convert_from(raw, 'UTF8') from tidings.\(unsafe: table) order by id").rows.map {
            try $0.decode(String.self)
        }
    }
}
