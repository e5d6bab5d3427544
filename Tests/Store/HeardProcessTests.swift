import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The processes that `tidings status` judges.
@Suite struct HeardProcessTests {
    @Test func theLastAPIIsRememberedForAWeek() async throws {
        try await StoreScene.with { scene in
            try await Self.insert("deliver", hoursAgo: 0, scene)
            try await Self.insert("router", hoursAgo: 2, scene)
            for hours in [2, 3, 160] { try await Self.insert("api", hoursAgo: hours, scene) }
            #expect(try await Self.heard(scene) == ["api-2", "deliver-0"])
            _ = try await scene.system.query("delete from tidings.workers where id in ('api-2', 'api-3')")
            #expect(try await Self.heard(scene) == ["api-160", "deliver-0"])
            try await Self.insert("api", hoursAgo: 0, scene)
            #expect(try await Self.heard(scene) == ["api-0", "deliver-0"])
            _ = try await scene.system.query(
                "update tidings.workers set heartbeat_at = heartbeat_at - interval '169 hours' where role = 'api'")
            #expect(try await Self.heard(scene) == ["deliver-0"])
        }
    }

    private static func heard(_ scene: StoreScene) async throws -> [String?] {
        try await scene.store.operations.workers().map { $0["worker_id"]?.stringValue }
    }

    /// Inserts a process that sent its last heartbeat so many hours ago.
    private static func insert(_ role: String, hoursAgo hours: Int, _ scene: StoreScene) async throws {
        let id = "\(role)-\(hours)"
        _ = try await scene.system.query(
            """
            insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at)
            select \(id), \(role), 'host', 1, '1', at, at
            from (select tidings.clock() - make_interval(hours => \(Int32(hours)))) as last(at)
            """)
    }
}
