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
                _ = try await scene.store.upkeep.heartbeat(
                    worker, handled: 0, yielding: nil, providers: [], catalogue: "c", obstacles: obstacles)
                return try await scene.store.operations.workers().first?["obstacles"]?.arrayValue
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

    @Test func theBrokerUsersOfARoleAreThoseOfItsRunningProcesses() async throws {
        try await StoreScene.with { scene in
            func beat(_ role: String, _ user: String?, isLast: Bool = false) async throws {
                let worker = WorkerIdentity(role: role, host: "host", pid: 1, version: "1", instance: user ?? "none")
                _ = try await scene.store.upkeep.heartbeat(
                    worker, handled: 0, yielding: nil, providers: [], catalogue: "c", brokerUser: user, isLast: isLast)
            }
            for (role, user) in [("router", "b"), ("router", nil), ("all", "a"), ("api", "c"), ("router", "gone")] as [(String, String?)] {
                try await beat(role, user)
            }
            try await beat("router", "gone", isLast: true)
            #expect(try await scene.store.upkeep.brokerUsers(of: ["router", "all"]) == ["a", "b"])
            #expect(try await scene.store.upkeep.brokerUsers(of: ["release"]).isEmpty)
            #expect(
                try await scene.store.operations.workers().compactMap { $0["broker_user"]?.stringValue }.sorted() == [
                    "a", "b", "c", "gone",
                ])
            try await scene.store.upkeep.shiftClock(by: .seconds(60))
            #expect(try await scene.store.upkeep.brokerUsers(of: ["router", "all"]).isEmpty)
        }
    }

    /// The processes tell each other how many connections they have on each node of the broker.
    @Test func eachProcessLearnsTheConnectionsOfTheOthers() async throws {
        try await StoreScene.with { scene in
            let workers = ["a", "b", "c"].map { WorkerIdentity(role: "router", host: "host", pid: 1, version: "1", instance: $0) }
            let (first, second, third) = (workers[0], workers[1], workers[2])
            func beat(_ worker: WorkerIdentity, isLast: Bool = false) async throws {
                _ = try await scene.store.upkeep.heartbeat(worker, handled: 0, yielding: nil, providers: [], catalogue: "c", isLast: isLast)
            }
            for worker in workers { try await beat(worker) }
            #expect(try await scene.store.upkeep.share(brokerConnections: ["one:1": 2, "two:2": 1], of: first) == BrokerConnections())
            #expect(
                try await scene.store.upkeep.share(brokerConnections: ["one:1": 1, "two:2": 1], of: second)
                    == BrokerConnections(byNode: ["one:1": 2, "two:2": 1], processes: 1))
            #expect(
                try await scene.store.upkeep.share(brokerConnections: [:], of: third)
                    == BrokerConnections(byNode: ["one:1": 3, "two:2": 2], processes: 2))
            #expect(
                try await scene.store.upkeep.share(brokerConnections: ["two:2": 3], of: first)
                    == BrokerConnections(byNode: ["one:1": 1, "two:2": 1], processes: 1), "a process with one node has none to share")
            let rows = try await scene.store.operations.workers().map { $0["broker_connections"]?.serialized }
            #expect(Set(rows) == [#"{"two:2":3}"#, #"{"one:1":1,"two:2":1}"#, "{}"])
            try await beat(second, isLast: true)
            let left = try await scene.store.upkeep.share(brokerConnections: [:], of: third)
            #expect(left.byNode == ["two:2": 3], "a process that stopped has none")
        }
    }
}
