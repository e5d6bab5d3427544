import TidingsCore

/// The pause of an endpoint that asked for fewer calls, such as with status 429. The host and its other endpoints go on.
///
/// After the pause the endpoint starts slowly. So each pause costs about one delivery an attempt, however many wait.
package struct Throttle {
    /// The first pause of an endpoint that names none. It doubles with each further one, up to ``longest``, until a good answer.
    package static let shortest = Duration.seconds(1)
    /// The longest pause of an endpoint that names none. It limits the wait after the endpoint takes calls again.
    package static let longest = Duration.seconds(60)

    /// The end of the latest pause.
    private var endsAt: Timestamp?
    /// The number of pauses since the last good answer.
    private var pauses = 0

    /// Whether there was no pause since the last good answer.
    var isNone: Bool { endsAt == nil }

    /// The end of the pause, nil if there is none now.
    func end(at now: Timestamp) -> Timestamp? { endsAt.flatMap { $0 > now ? $0 : nil } }

    /// Begins a pause of at least `named`, the time that the answer named. Answers to calls from before the pause may prolong it.
    mutating func pause(atLeast named: Duration, at now: Timestamp) {
        let named = min(named, RetryPolicy.longestProviderWait)
        if let end = end(at: now) {
            endsAt = max(end, now.adding(named))
            return
        }
        var growing = Self.shortest
        for _ in 0..<pauses where growing < Self.longest { growing = min(growing * 2, Self.longest) }
        pauses += 1
        endsAt = now.adding(max(named, growing))
    }

    /// Reports a good answer after the pause.
    mutating func worked() { (endsAt, pauses) = (nil, 0) }
}
