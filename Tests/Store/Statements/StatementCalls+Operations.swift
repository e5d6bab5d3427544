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
        StatementCall("notifications") { _ = try await $0.notifications(recipient: "p", type: nil, state: "held", limit: 10) },
        StatementCall("notification", with: recordRow) { _ = try await $0.notification(Samples.id) },
        StatementCall("content") { _ = try await $0.content(of: Samples.id) },
        StatementCall("deliveries", with: recordRow) { _ = try await $0.deliveries(of: Samples.id) },
        StatementCall("deliveries") { store in
            _ = try await store.deliveries(channel: "push", state: nil, reason: "paused", limit: 10)
        },
        StatementCall("attempts", with: recordRow) { _ = try await $0.attempts(of: Samples.id) },
        StatementCall("explain", with: recordRow) { _ = try await $0.explain(Samples.id) },
        StatementCall("decisions", with: recordRow) { _ = try await $0.decisions(of: Samples.id) },
        StatementCall("find", with: recordRow) { _ = try await $0.find("anything", tokens: ["token"]) },
        StatementCall("timeZone") { _ = try await $0.timeZone(of: "p", tenant: "t") },
        StatementCall("isAtRest") { _ = try await $0.isAtRest(Samples.id) },
        StatementCall("notificationIDs") { _ = try await $0.notificationIDs(of: Samples.published) },
        StatementCall("droppedIntents") { _ = try await $0.droppedIntents(of: Samples.published) },
        StatementCall("rejection") { _ = try await $0.rejection(of: Samples.published) },
        StatementCall("reconcile", with: ["state": "accepted"]) { store in
            _ = try await store.reconcile(["e"], source: "/tests", tenant: nil, since: Samples.now)
        },
        StatementCall("refusedWithoutID") { _ = try await $0.refusedWithoutID(since: Samples.now) },
        StatementCall("keptSince") { _ = try await $0.keptSince() },
    ]

    private static let health: [StatementCall] = [
        StatementCall("readingTime") { _ = try await $0.readingTime() },
        StatementCall("overdue") { _ = try await $0.overdue() },
        StatementCall("openBreakers") { _ = try await $0.openBreakers() },
        StatementCall("recentFailures") { _ = try await $0.recentFailures() },
        StatementCall("refusedToday") { _ = try await $0.refusedToday() },
        StatementCall("durability") { _ = try await $0.durability() },
        StatementCall("commitWaits") { _ = try await $0.commitWaits() },
        StatementCall("commitEnds") { _ = try await $0.commitEnds(within: .seconds(5)) },
        StatementCall("unconfirmed") { _ = try await $0.unconfirmed() },
        StatementCall("stateCounts") { _ = try await $0.stateCounts() },
        StatementCall("queues") { _ = try await $0.queues() },
        StatementCall("bulkYields") { _ = try await $0.bulkYields() },
        StatementCall("workers") { _ = try await $0.workers() },
        StatementCall("unaccounted") { _ = try await $0.unaccounted() },
        StatementCall("broadAPILogins") { _ = try await $0.broadAPILogins() },
        StatementCall("totals") { _ = try await $0.totals() },
    ]

    private static let acts: [StatementCall] = [
        StatementCall("cancel") { _ = try await $0.cancel(Samples.id, reason: .cancelledByOperator) },
        StatementCall("retry") { _ = try await $0.retry(Samples.key) },
        // The two audits end after the largest number of problems.
        StatementCall("audit") { _ = try await $0.audit() },
        StatementCall("auditInboxes") { _ = try await $0.auditInboxes() },
    ]

    static let measurements: [StatementCall] = [
        StatementCall("recipientsWithInbox") { _ = try await $0.recipientsWithInbox(among: ["p"], since: Samples.now) },
        StatementCall("measured") { _ = try await $0.measured(source: "/tests", since: Samples.now, unconfirmed: ["e"]) },
        StatementCall("runningWorkers") { _ = try await $0.runningWorkers() },
        StatementCall("runningWorkers") { _ = try await $0.runningWorkers(on: "host") },
    ]
}
