import TidingsCore
import TidingsJSON
import TidingsTestSupport

@testable import TidingsStore

/// Readings and acts of the command line, and readings of measurements.
extension StatementCall {
    static let operations: [StatementCall] = [records, health, acts].flatMap { $0 }

    /// A report row that every type of ``NotificationRecord`` reads.
    static let recordRow: [String: MadeUpValue] = ["row_to_json": .text(RecordRows.merged.serialized)]

    private static let records: [StatementCall] = [
        StatementCall("operations.notifications") {
            _ = try await $0.operations.notifications(recipient: "p", type: nil, state: "held", limit: 10)
        },
        StatementCall("operations.notification", with: recordRow) { _ = try await $0.operations.notification(Samples.id) },
        StatementCall("operations.content") { _ = try await $0.operations.content(of: Samples.id) },
        StatementCall("operations.deliveries", with: recordRow) { _ = try await $0.operations.deliveries(of: Samples.id) },
        StatementCall("operations.deliveries") { store in
            _ = try await store.operations.deliveries(channel: "push", state: nil, reason: "paused", limit: 10)
        },
        StatementCall("operations.attempts", with: recordRow) { _ = try await $0.operations.attempts(of: Samples.id) },
        StatementCall("operations.explain", with: recordRow) { _ = try await $0.operations.explain(Samples.id) },
        StatementCall("operations.decisions", with: recordRow) { _ = try await $0.operations.decisions(of: Samples.id) },
        StatementCall("operations.find", with: recordRow) { _ = try await $0.operations.find("anything", tokens: ["token"]) },
        StatementCall("operations.timeZone") { _ = try await $0.operations.timeZone(of: "p", tenant: "t") },
        StatementCall("operations.isAtRest") { _ = try await $0.operations.isAtRest(Samples.id) },
        StatementCall("operations.notificationIDs") { _ = try await $0.operations.notificationIDs(of: Samples.published) },
        StatementCall("operations.droppedIntents") { _ = try await $0.operations.droppedIntents(of: Samples.published) },
        StatementCall("operations.rejection") { _ = try await $0.operations.rejection(of: Samples.published) },
        StatementCall("operations.reconcile", with: ["state": "accepted"]) { store in
            _ = try await store.operations.reconcile(["e"], source: "/tests", tenant: nil, since: Samples.now)
        },
        StatementCall("operations.refusedWithoutID") { _ = try await $0.operations.refusedWithoutID(since: Samples.now) },
        StatementCall("operations.keptSince") { _ = try await $0.operations.keptSince() },
    ]

    private static let health: [StatementCall] = [
        StatementCall("operations.readingTime") { _ = try await $0.operations.readingTime() },
        StatementCall("operations.overdue") { _ = try await $0.operations.overdue() },
        StatementCall("operations.openBreakers") { _ = try await $0.operations.openBreakers() },
        StatementCall("operations.recentFailures") { _ = try await $0.operations.recentFailures() },
        StatementCall("operations.refusedToday") { _ = try await $0.operations.refusedToday() },
        StatementCall("operations.durability") { _ = try await $0.operations.durability() },
        StatementCall("operations.commitWaits") { _ = try await $0.operations.commitWaits() },
        StatementCall("operations.commitEnds") { _ = try await $0.operations.commitEnds(within: .seconds(5)) },
        StatementCall("operations.unconfirmed") { _ = try await $0.operations.unconfirmed() },
        StatementCall("operations.stateCounts") { _ = try await $0.operations.stateCounts() },
        StatementCall("operations.queues") { _ = try await $0.operations.queues() },
        StatementCall("operations.bulkYields") { _ = try await $0.operations.bulkYields() },
        StatementCall("operations.workers") { _ = try await $0.operations.workers() },
        StatementCall("operations.unaccounted") { _ = try await $0.operations.unaccounted() },
        StatementCall("operations.broadAPILogins") { _ = try await $0.operations.broadAPILogins() },
        StatementCall("operations.totals") { _ = try await $0.operations.totals() },
    ]

    private static let acts: [StatementCall] = [
        StatementCall("operations.cancel") { _ = try await $0.operations.cancel(Samples.id, reason: .cancelledByOperator) },
        StatementCall("operations.retry") { _ = try await $0.operations.retry(Samples.key) },
        // The two audits end after the largest number of problems.
        StatementCall("operations.audit") { _ = try await $0.operations.audit() },
        StatementCall("operations.auditInboxes") { _ = try await $0.operations.auditInboxes() },
    ]

    static let measurements: [StatementCall] = [
        StatementCall("operations.recipientsWithInbox") {
            _ = try await $0.operations.recipientsWithInbox(among: ["p"], since: Samples.now)
        },
        StatementCall("operations.measured") {
            _ = try await $0.operations.measured(source: "/tests", since: Samples.now, unconfirmed: ["e"])
        },
        StatementCall("operations.runningWorkers") { _ = try await $0.operations.runningWorkers() },
        StatementCall("operations.runningWorkers") { _ = try await $0.operations.runningWorkers(on: "host") },
    ]
}
