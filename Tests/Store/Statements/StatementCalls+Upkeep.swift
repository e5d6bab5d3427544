import TidingsCore

@testable import TidingsStore

/// Chores of processes between their turns, and the timelines of PostgreSQL.
extension StatementCall {
    static let timelines: [StatementCall] = [
        StatementCall("timeline") { _ = try await $0.timeline() },
        StatementCall("noteTimeline") { _ = try await $0.noteTimeline(Samples.timeline, seenBy: "worker") },
        StatementCall("lastFailover") { _ = try await $0.lastFailover() },
    ]

    static let upkeep: [StatementCall] = [processes, retention, moves].flatMap { $0 }

    private static let processes: [StatementCall] = [
        StatementCall("upkeep.heartbeat") { store in
            _ = try await store.upkeep.heartbeat(
                Samples.worker, handled: 1, yielding: (pause: .seconds(1), cause: .milliseconds(5)), providers: [Samples.provider],
                catalogue: "hash", obstacles: [WorkerObstacle(.blocked, subject: "s", detail: "d", lasting: .seconds(1))],
                brokerUser: "u", isLast: true)
        },
        StatementCall("upkeep.heartbeat", with: ["name": .null]) { store in
            _ = try await store.upkeep.heartbeat(Samples.worker, handled: 1, yielding: nil, providers: [], catalogue: "hash")
        },
        StatementCall("upkeep.share") { _ = try await $0.upkeep.share(brokerConnections: ["node:5672": 2], of: Samples.worker) },
        StatementCall("upkeep.brokerUsers") { _ = try await $0.upkeep.brokerUsers(of: ["deliver"]) },
        StatementCall("upkeep.sampleQueue") { try await $0.upkeep.sampleQueue("q", ready: 1, consumers: 1) },
        StatementCall("upkeep.sampledQueues") { _ = try await $0.upkeep.sampledQueues(except: ["q"]) },
        StatementCall("upkeep.forgetSample") { try await $0.upkeep.forgetSample(of: "q") },
        StatementCall("upkeep.shiftClock") { try await $0.upkeep.shiftClock(by: .seconds(1)) },
    ]

    private static let retention: [StatementCall] = [
        StatementCall("upkeep.rollUpTally") { try await $0.upkeep.rollUpTally() },
        StatementCall("upkeep.foldTallyTotals") { _ = try await $0.upkeep.foldTallyTotals(retention: Samples.retention) },
        StatementCall("upkeep.tendPartitions") { _ = try await $0.upkeep.tendPartitions(retention: Samples.retention) },
        StatementCall("upkeep.makePartitions") { try await $0.upkeep.makePartitions() },
        StatementCall("upkeep.pruneIdempotency") { _ = try await $0.upkeep.pruneIdempotency(retention: Samples.retention) },
        StatementCall("upkeep.pruneWorkers") { try await $0.upkeep.pruneWorkers(retention: Samples.retention) },
        StatementCall("upkeep.pruneRejectedDays") { try await $0.upkeep.pruneRejectedDays(retention: Samples.retention) },
        StatementCall("upkeep.pruneCatalogues") { try await $0.upkeep.pruneCatalogues(retention: Samples.retention) },
    ]

    /// The phases of the move of idempotency keys.
    private static let moves: [StatementCall] = [
        StatementCall("upkeep.moveRecentKeys", with: ["phase": "waiting"]) { _ = try await $0.upkeep.moveRecentKeys() },
        StatementCall("upkeep.moveRecentKeys", with: ["phase": "copying"]) { _ = try await $0.upkeep.moveRecentKeys() },
        StatementCall("upkeep.moveRecentKeys", with: ["phase": "copied"]) { _ = try await $0.upkeep.moveRecentKeys() },
        StatementCall("upkeep.moveRecentKeys", with: ["phase": "deleting"]) { _ = try await $0.upkeep.moveRecentKeys() },
    ]
}
