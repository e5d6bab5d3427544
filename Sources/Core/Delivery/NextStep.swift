/// The step after an attempt.
public enum NextStep: Sendable, Hashable {
    /// The delivery ends in this state.
    case settle(DeliveryState, ReasonCode)
    /// The delivery is retried at this time. If `possibleDuplicate` is true, the last attempt may have arrived.
    case retry(at: Timestamp, ReasonCode, possibleDuplicate: Bool)
    /// The delivery fails over for this reason: the next provider in the market's order takes over.
    case failOver(ReasonCode)
}

/// Returns the step after an outcome. Every outcome of a call passes through this function. A worker calls it with a provider's answer
/// (`Pipeline/Delivery/Conclusion.swift`). A releaser calls it for the attempt of a dead worker (`Pipeline/Release/Releaser.swift`). A
/// delivery that was not sent has no outcome, so its next state is not decided here.
///
/// The function knows the number of the attempt and this outcome, and no reason of an earlier attempt.
///
/// - A retry waits at least the jittered ``backoff(attempt:policy:random:)``. It waits longer if the provider asks, at most
///   ``RetryPolicy/longestProviderWait``.
/// - If no attempt is left, the delivery ends as `retriesExhausted`. If the retry would be at or after `expiresAt`, the delivery ends as
///   `expired`.
/// - In both cases, an attempt that may have arrived ends as `outcomeUnknown`, because its real outcome is not known.
/// - If a provider is misconfigured or refuses, a standby takes over.
/// - An attempt that may have arrived never fails over. It is retried at the same provider under the same idempotency key, or not at all.
///   If that retry is refused, a standby takes over all the same.
///
/// - Parameters:
///   - attempt: the number of the attempt that was just made, from 1.
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
    func next(after asked: Duration?) -> Timestamp { now.adding(max(wait, min(asked ?? .zero, RetryPolicy.longestProviderWait))) }
    switch outcome {
    case .accepted(_, let delivered):
        return delivered ? .settle(.delivered, .delivered) : .settle(.sent, .accepted)
    case .rejected(let reason), .misconfigured(let reason):
        return hasStandby && outcome.isOfThisProvider && now < expiresAt ? .failOver(reason) : .settle(.failed, reason)
    case .endpointGone:
        return .settle(.failed, .endpointGone)
    case .retry(let after, let reason):
        if isLast { return .settle(.failed, .retriesExhausted) }
        let time = next(after: after)
        return time >= expiresAt ? .settle(.expired, .expired) : .retry(at: time, reason, possibleDuplicate: false)
    case .unknown(let after, let reason):
        let time = next(after: after)
        guard policy.unknownOutcome == .resend, !isLast, time < expiresAt else { return .settle(.failed, .outcomeUnknown) }
        return .retry(at: time, reason, possibleDuplicate: true)
    }
}
