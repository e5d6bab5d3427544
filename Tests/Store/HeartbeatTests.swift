import Testing
import TidingsCore
import TidingsJSON
import TidingsStore

/// A heartbeat records what keeps the process from its work.
@Suite struct HeartbeatTests {
    @Test func theObstaclesOfAProcessAreInItsRow() async throws {
        try await StoreScene.with { scene in
            let worker = WorkerIdentity(role: "router", host: "host", pid: 1, version: "1", instance: "a")
            func beat(_ obstacles: [WorkerObstacle]) async throws -> [JSON]? {
                _ = try await scene.store.heartbeat(
                    worker, handled: 0, yielding: nil, providers: [], catalogue: "c", obstacles: obstacles)
                return try await scene.store.workers().first?["obstacles"]?.arrayValue
            }
            #expect(try await beat([]) == [])
            let said = try #require(
                try await beat([
                    WorkerObstacle(.blocked, subject: "publisher", detail: "low on \"memory\"", lasting: .seconds(30)),
                    WorkerObstacle(.commitsWait, lasting: .zero),
                ]))
            #expect(said.map { $0["kind"]?.stringValue } == ["blocked", "commitsWait"])
            #expect(said[0]["subject"] == "publisher" && said[0]["detail"] == "low on \"memory\"")
            let since = try #require(said[0]["since"]?.stringValue.flatMap { Timestamp(rfc3339: $0) })
            let age = scene.store.clock.now() - since
            #expect(age >= .seconds(29) && age < .seconds(90), "\(age)")
            #expect(try await beat([]) == [], "the latest heartbeat counts")
        }
    }
}
