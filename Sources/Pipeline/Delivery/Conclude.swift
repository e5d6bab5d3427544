import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsProvider
import TidingsStore

/// The settlements of a call. `nextStep` decides the step after an outcome. If there was no call, this file decides by the reason. A
/// releaser asks `nextStep` too, for the attempts of dead workers.
extension ProviderWorker {
    /// The settlements of a call.
    func conclude(_ call: SentCall) -> [Settlement] {
        call.entries.enumerated().map { position, entry in
            let result = position < call.results.count ? call.results[position] : SendResult(.unknown(.outcomeUnknown))
            return conclude(entry, result, of: call)
        }
    }

    private func conclude(_ entry: PackEntry, _ result: SendResult, of call: SentCall) -> Settlement {
        let step = nextStep(
            after: result.outcome, attempt: entry.attempt, policy: catalogues.current.catalogue.policy(for: entry.category),
            now: call.finishedAt, expiresAt: entry.expiresAt, random: store.clock.randomFraction(), hasStandby: entry.hasStandby)
        var attempt = AttemptRecord(
            outcome: result.outcome.name, reason: result.outcome.reason, status: result.status, detail: result.detail,
            startedAt: call.startedAt, finishedAt: call.finishedAt)
        switch step {
        case .settle(let state, let reason):
            var providerMessageID: String?
            if case .accepted(let id, _) = result.outcome { providerMessageID = id }
            return Settlement(
                entry, exit: .ended(state, reason), providerMessageID: providerMessageID,
                isReportedByMessageID: provider.isReportedByMessageID, attempt: attempt,
                endpointGoneAt: result.outcome == .endpointGone ? result.goneSince ?? call.startedAt : nil)
        case .failOver(let reason):
            return Settlement(entry, exit: failover(entry.attempt + 1, reason), attempt: attempt)
        case .retry(let time, let reason, let possibleDuplicate):
            attempt.possibleDuplicate = possibleDuplicate
            return Settlement(entry, exit: .waiting(until: time, kind: .retry, attempt: entry.attempt + 1, reason), attempt: attempt)
        }
    }

    /// The settlement of a delivery that was not sent: no attempt is recorded, and the attempt does not count.
    func conclude(_ entry: PackEntry, _ unsent: Unsent) -> Settlement {
        let now = store.clock.now()
        func waiting(after wait: Duration = .zero, _ kind: DueKind, _ reason: ReasonCode) -> Settlement.Exit {
            .waiting(until: now.adding(wait), kind: kind, attempt: entry.attempt, reason)
        }
        let exit: Settlement.Exit =
            switch unsent {
            case .expired: .ended(.expired, .expired)
            case .erased: .ended(.suppressed, .recipientErased)
            case .paused: waiting(.held, .paused)
            case .outdated: waiting(.recover, .afterValidity)
            case .leaseTooShort: waiting(.recover, .leaseExpired)
            case .noRoom(let wait): waiting(after: wait, .retry, .rateLimited)
            case .breakerOpen where entry.mayFailOver: failover(entry.attempt, .breakerOpen)
            case .breakerOpen(let wait): waiting(after: wait, .retry, .breakerOpen)
            }
        return Settlement(entry, exit: exit)
    }

    /// Due at once for the standby. A releaser finds out which provider that is.
    private func failover(_ attempt: Int, _ reason: ReasonCode) -> Settlement.Exit {
        .waiting(until: store.clock.now(), kind: .failover, attempt: attempt, reason)
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
