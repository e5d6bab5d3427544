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
        StatementCall("heartbeat") { store in
            _ = try await store.heartbeat(
                Samples.worker, handled: 1, yielding: (pause: .seconds(1), cause: .milliseconds(5)), providers: [Samples.provider],
                catalogue: "hash", obstacles: [WorkerObstacle(.blocked, subject: "s", detail: "d", lasting: .seconds(1))],
                brokerUser: "u", isLast: true)
        },
        StatementCall("heartbeat", with: ["name": .null]) { store in
            _ = try await store.heartbeat(Samples.worker, handled: 1, yielding: nil, providers: [], catalogue: "hash")
        },
        StatementCall("share") { _ = try await $0.share(brokerConnections: ["node:5672": 2], of: Samples.worker) },
        StatementCall("brokerUsers") { _ = try await $0.brokerUsers(of: ["deliver"]) },
        StatementCall("sampleQueue") { try await $0.sampleQueue("q", ready: 1, consumers: 1) },
        StatementCall("sampledQueues") { _ = try await $0.sampledQueues(except: ["q"]) },
        StatementCall("forgetSample") { try await $0.forgetSample(of: "q") },
        StatementCall("shiftClock") { try await $0.shiftClock(by: .seconds(1)) },
    ]

    private static let retention: [StatementCall] = [
        StatementCall("rollUpTally") { try await $0.rollUpTally() },
        StatementCall("foldTallyTotals") { _ = try await $0.foldTallyTotals(retention: Samples.retention) },
        StatementCall("tendPartitions") { _ = try await $0.tendPartitions(retention: Samples.retention) },
        StatementCall("makePartitions") { try await $0.makePartitions() },
        StatementCall("pruneIdempotency") { _ = try await $0.pruneIdempotency(retention: Samples.retention) },
        StatementCall("pruneWorkers") { try await $0.pruneWorkers(retention: Samples.retention) },
        StatementCall("pruneRejectedDays") { try await $0.pruneRejectedDays(retention: Samples.retention) },
        StatementCall("pruneCatalogues") { try await $0.pruneCatalogues(retention: Samples.retention) },
    ]

    /// The phases of the move of idempotency keys.
    private static let moves: [StatementCall] = [
        StatementCall("moveRecentKeys", with: ["phase": "waiting"]) { _ = try await $0.moveRecentKeys() },
        StatementCall("moveRecentKeys", with: ["phase": "copying"]) { _ = try await $0.moveRecentKeys() },
        StatementCall("moveRecentKeys", with: ["phase": "copied"]) { _ = try await $0.moveRecentKeys() },
        StatementCall("moveRecentKeys", with: ["phase": "deleting"]) { _ = try await $0.moveRecentKeys() },
    ]
}
