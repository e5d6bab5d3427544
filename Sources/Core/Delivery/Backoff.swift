/// Returns the wait after a failed attempt: a random part ("full jitter") of a ceiling that doubles with each attempt. Because of the
/// random part, deliveries that failed together are not retried together. The wait is never negative and never above `policy.cap`.
///
/// - Parameters:
///   - attempt: the number of the attempt that failed, from 1. A smaller number counts as 1.
///   - random: in 0..<1. Another number is moved to the nearest bound, NaN to 0.
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
