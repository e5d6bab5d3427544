import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// Deliveries that wait for a time, and packs of dead workers.
extension StatementCall {
    static let due: [StatementCall] = [
        StatementCall("due.release") { try await Self.release($0) },
        // The delivery moves to another provider, and has a history.
        StatementCall("due.release", with: ["kind": "failover"]) { try await Self.release($0) },
        StatementCall("due.release", with: ["kind": "again", "channel": "inApp"]) { try await Self.release($0) },
        StatementCall("due.park") { _ = try await $0.due.park(Samples.key) },
        StatementCall("due.recover") { try await Self.recover($0, .retry(at: Samples.now, .workerDied, possibleDuplicate: true)) },
        StatementCall("due.recover") { try await Self.recover($0, .settle(.failed, .outcomeUnknown)) },
        StatementCall("due.recover") { try await Self.recover($0, .failOver(.misconfigured)) },
        StatementCall("due.hasExpiredLease") { _ = try await $0.due.hasExpiredLease() },
        StatementCall("due.divideOrPark") { _ = try await $0.due.divideOrPark(Samples.id) },
        StatementCall("due.takeBackStranded") { _ = try await $0.due.takeBackStranded(limit: 100, catalogue: Samples.catalogue) },
        StatementCall("due.unconfirmedPacks") { _ = try await $0.due.unconfirmedPacks(limit: 100, bytes: 1 << 20) },
        StatementCall("due.forgetConfirm") { try await $0.due.forgetConfirm(of: Samples.id) },
        StatementCall("due.forgetConfirmsOfMissing") { _ = try await $0.due.forgetConfirmsOfMissing() },
        StatementCall("due.forgetConfirms") { try await $0.due.forgetConfirms(channel: .push, provider: Samples.provider, lane: .bulk) },
    ]

    /// Judges each delivery anew, with one planned delivery of each verdict in its place.
    private static func release(_ store: Store) async throws {
        _ = try await store.due.release { release in
            let due = try await release.take(
                .bulk, limit: 100, bytes: 1 << 20, catalogue: Samples.catalogue, zones: Samples.zones, passingOver: [Samples.otherKey])
            let judgements = due.all.map { delivery -> [PlannedDelivery] in
                Samples.verdicts(at: due.now).map { verdict -> PlannedDelivery in
                    var planned = delivery.planned
                    planned.verdict = verdict
                    return planned
                }
            }
            return try await release.write(judgements, of: due, catalogue: Samples.catalogue)
        }
    }

    private static func recover(_ store: Store, _ step: NextStep) async throws {
        _ = try await store.due.recover { recovery in
            let deadline = ContinuousClock.now + .seconds(60).patient
            let abandoned = try await recovery.take(limit: 100, passingOver: [Samples.other], before: deadline)
            return try await recovery.write(abandoned.all.map { _ in step }, of: abandoned)
        }
    }
}
