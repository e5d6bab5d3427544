/// What follows an attempt.
public enum NextStep: Sendable, Hashable {
    /// The delivery ends in this state.
    case settle(DeliveryState, ReasonCode)
    /// It is tried again at this time. `possibleDuplicate`: the attempt just made may have arrived.
    case retry(at: Timestamp, ReasonCode, possibleDuplicate: Bool)
    /// This provider gives it up for this reason, and the next in the market's order takes over.
    case failOver(ReasonCode)
}

/// What follows an outcome: the one place where outcomes become states.
///
/// A retry waits at least the jittered ``backoff(attempt:policy:random:)``, longer if the provider asks, at most
/// ``RetryPolicy/longestProviderWait``. Without attempts left it ends as `retriesExhausted`; a retry at or after `expiresAt` ends as
/// `expired`. What may have arrived ends as `outcomeUnknown` in both cases, for that is the truth.
///
/// A provider that is misconfigured, or refuses, gives way to one that stands by. An attempt that may have arrived never does: the same provider is
/// asked again, under the same key, or nobody. Should that one then refuse, the next takes over all the same.
///
/// - Parameters:
///   - attempt: which attempt was just made, from 1.
///   - random: in 0..<1.
public func nextStep(
    after outcome: Outcome,
    attempt: Int,
    policy: CategoryPolicy,
    now: Timestamp,
    expiresAt: Timestamp,
    random: Double,
    hasStandby: Bool = false
) -> NextStep {
    let isLast = attempt >= policy.retry.maximumAttempts
    let wait = backoff(attempt: attempt, policy: policy.retry, random: random)
    switch outcome {
    case .accepted(_, let delivered):
        return delivered ? .settle(.delivered, .delivered) : .settle(.sent, .accepted)
    case .rejected(let reason), .misconfigured(let reason):
        return hasStandby && outcome.isOfThisProvider && now < expiresAt ? .failOver(reason) : .settle(.failed, reason)
    case .endpointGone:
        return .settle(.failed, .endpointGone)
    case .retry(let after, let reason):
        if isLast { return .settle(.failed, .retriesExhausted) }
        let time = now.adding(max(wait, min(after ?? .zero, RetryPolicy.longestProviderWait)))
        return time >= expiresAt ? .settle(.expired, .expired) : .retry(at: time, reason, possibleDuplicate: false)
    case .unknown(let reason):
        let time = now.adding(wait)
        guard policy.unknownOutcome == .resend, !isLast, time < expiresAt else { return .settle(.failed, .outcomeUnknown) }
        return .retry(at: time, reason, possibleDuplicate: true)
    }
}
