import TidingsCore
import TidingsPostgres

/// The rows of a recovery: for each abandoned delivery an attempt with an unknown outcome, and the row in which it waits or has ended.
struct RecoveryWrite {
    private let now: Timestamp
    private var ended: [EndedRow] = []
    private var due: [DueRow] = []
    private var tally = TallyRows()
    private var attempts: [AttemptRow] = []
    private(set) var ends: [EscalationStep] = []

    init(now: Timestamp) {
        self.now = now
    }

    /// - Parameter step: the step after an unknown outcome. `nextStep` never answers `failOver` to that: a delivery that may have been sent
    ///   stays with its provider.
    mutating func add(_ delivery: AbandonedDelivery, _ step: NextStep) {
        switch step {
        case .retry(let later, let reason, let possibleDuplicate):
            attempts.append(AttemptRow(abandoned: delivery, possibleDuplicate: possibleDuplicate, at: now))
            // The first recovery is due now, because the lease already took time. From the second on, the deliveries are spread over time:
            // if one of them crashes its worker, the others end up in other packs.
            due.append(
                DueRow(
                    id: delivery.key.notificationID, ordinal: delivery.key.ordinal, lane: delivery.lane,
                    time: delivery.attempt == 1 ? now : later, kind: .recover, tenant: delivery.tenant, channel: delivery.channel,
                    provider: delivery.provider, endpoint: delivery.endpoint, attempt: delivery.attempt + 1, reason: reason))
        case .settle(let state, let reason): end(delivery, state, reason)
        case .failOver(let reason): end(delivery, .failed, reason)
        }
    }

    private mutating func end(_ delivery: AbandonedDelivery, _ state: DeliveryState, _ reason: ReasonCode) {
        attempts.append(AttemptRow(abandoned: delivery, possibleDuplicate: false, at: now))
        ended.append(
            EndedRow(
                id: delivery.key.notificationID, ordinal: delivery.key.ordinal, tenant: delivery.tenant, channel: delivery.channel,
                provider: delivery.provider, endpoint: delivery.endpoint, state: state, reason: reason, attempts: delivery.attempt))
        tally.addEnded(tenant: delivery.tenant, channel: delivery.channel, state: state, reason: reason)
        if delivery.escalates { ends.append(EscalationStep(delivery.key)) }
    }

    var statements: [SQL] {
        [AttemptRow.insert(attempts), EndedRow.insert(ended), DueRow.insert(due), tally.insert].compactMap { $0 }
    }
}

extension AttemptRow {
    /// An attempt whose worker died, so that its outcome is unknown.
    fileprivate init(abandoned delivery: AbandonedDelivery, possibleDuplicate: Bool, at now: Timestamp) {
        self.init(
            key: delivery.key, attempt: delivery.attempt, channel: delivery.channel, provider: delivery.provider, outcome: "unknown",
            reason: .workerDied, possibleDuplicate: possibleDuplicate, worker: delivery.worker, startedAt: delivery.claimedAt,
            finishedAt: now)
    }
}
