import TidingsContracts
import TidingsCore
import TidingsStore

/// The way in which a delivery leaves its worker. Every input of the decision is an argument. `nextStep` decides the step after an outcome.
/// A releaser asks `nextStep` too, for the attempts of dead workers. If there was no call, the reason decides.
extension Settlement {
    /// The settlement of a delivery after a call.
    ///
    /// A failover is due at once. A releaser finds out which provider takes over.
    ///
    /// - Parameters:
    ///   - result: the provider's result for this delivery.
    ///   - startedAt: the beginning of the call.
    ///   - finishedAt: the end of the call, from which the wait before a retry counts.
    ///   - policy: that of the delivery's category.
    ///   - random: in 0..<1, for the jitter of a retry.
    ///   - isReportedByMessageID: whether reports of the provider name a delivery by the provider's id of the message.
    init(
        of entry: PackEntry, after result: SendResult, startedAt: Timestamp, finishedAt: Timestamp, policy: CategoryPolicy, random: Double,
        isReportedByMessageID: Bool
    ) {
        let step = nextStep(
            after: result.outcome, attempt: entry.attempt, policy: policy, now: finishedAt, expiresAt: entry.expiresAt, random: random,
            hasStandby: entry.hasStandby)
        var attempt = AttemptRecord(
            outcome: result.outcome.name, reason: result.outcome.reason, status: result.status, detail: result.detail,
            startedAt: startedAt, finishedAt: finishedAt)
        switch step {
        case .settle(let state, let reason):
            var providerMessageID: String?
            if case .accepted(let id, _) = result.outcome { providerMessageID = id }
            self.init(
                entry, exit: .ended(state, reason), providerMessageID: providerMessageID, isReportedByMessageID: isReportedByMessageID,
                attempt: attempt, endpointGoneAt: result.outcome == .endpointGone ? result.goneSince ?? startedAt : nil)
        case .failOver(let reason):
            self.init(
                entry, exit: .waiting(until: finishedAt, kind: .failover, attempt: entry.attempt + 1, reason), attempt: attempt)
        case .retry(let time, let reason, let possibleDuplicate):
            attempt.possibleDuplicate = possibleDuplicate
            self.init(entry, exit: .waiting(until: time, kind: .retry, attempt: entry.attempt + 1, reason), attempt: attempt)
        }
    }

    /// The settlement of a delivery that was not sent: no attempt is recorded, and the attempt does not count.
    init(of entry: PackEntry, notSent reason: Unsent, now: Timestamp) {
        func waiting(after wait: Duration = .zero, _ kind: DueKind, _ reason: ReasonCode) -> Exit {
            .waiting(until: now.adding(wait), kind: kind, attempt: entry.attempt, reason)
        }
        let exit: Exit =
            switch reason {
            case .expired: .ended(.expired, .expired)
            case .erased: .ended(.suppressed, .recipientErased)
            case .paused: waiting(.held, .paused)
            case .outdated: waiting(.recover, .afterValidity)
            case .leaseTooShort: waiting(.recover, .leaseExpired)
            case .noRoom(let wait): waiting(after: wait, .retry, .rateLimited)
            case .breakerOpen where entry.mayFailOver: waiting(.failover, .breakerOpen)
            case .breakerOpen(let wait): waiting(after: wait, .retry, .breakerOpen)
            }
        self.init(entry, exit: exit)
    }
}

extension SentCall {
    /// The result of the entry at this position. If the provider said nothing of the delivery, the outcome is unknown.
    func result(at position: Int) -> SendResult {
        position < results.count ? results[position] : SendResult(.unknown(.outcomeUnknown))
    }
}

extension Outcome {
    /// The name of the outcome in `tidings_ops.attempts.outcome`.
    var name: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "retry"
        case .rejected: "rejected"
        case .endpointGone: "endpointGone"
        case .misconfigured: "misconfigured"
        case .unknown: "unknown"
        }
    }

    var reason: ReasonCode {
        switch self {
        case .accepted(_, let delivered): delivered ? .delivered : .accepted
        case .retry(_, let reason), .rejected(let reason), .misconfigured(let reason), .unknown(_, let reason): reason
        case .endpointGone: .endpointGone
        }
    }
}
