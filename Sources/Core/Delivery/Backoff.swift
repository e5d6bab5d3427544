/// How long to wait after a failed attempt: a random part ("full jitter") of a ceiling that doubles with each attempt, so that what failed
/// together does not come back together. Never negative, never above `policy.cap`.
///
/// - Parameters:
///   - attempt: which attempt just failed, from 1; less counts as 1.
///   - random: in 0..<1; anything else is moved to the nearest bound, what is no number to 0.
public func backoff(attempt: Int, policy: RetryPolicy, random: Double) -> Duration {
    let cap = max(0, policy.cap.saturatedMicroseconds)
    var ceiling = min(max(0, policy.base.saturatedMicroseconds), cap)
    var doublings = max(attempt, 1) - 1
    while doublings > 0, ceiling > 0, ceiling < cap {
        ceiling = ceiling > cap / 2 ? cap : ceiling * 2
        doublings -= 1
    }
    let part = random > 0 ? min(random, 1) : 0
    let wait = part < 1 ? Int64(Double(ceiling) * part) : ceiling
    return .microseconds(min(wait, ceiling))
}
