/// Keeps connections from being opened one upon the other to a server that takes none: after failures in a row the next one waits, longer
/// each time, whatever is asked for meanwhile.
struct OpeningPause {
    /// After the first failure; each further one doubles it.
    static let base = Duration.milliseconds(100)
    /// The longest pause, jitter included.
    static let cap = Duration.seconds(5)

    private var failures = 0
    private var pause: (end: ContinuousClock.Instant, problem: String)?

    /// Counts a failure. Those of connections that were opened together count once: they come while the first one's pause lasts.
    mutating func begin(after problem: String, at now: ContinuousClock.Instant, jitter: Double = .random(in: 0...1)) {
        guard end(at: now) == nil else { return }
        failures += 1
        pause = (now + Self.length(afterFailures: failures, jitter: jitter), problem)
    }

    /// A connection was of use.
    mutating func reset() {
        failures = 0
        pause = nil
    }

    /// When a connection may be opened again; nil when one may be now.
    func end(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        pause.flatMap { now < $0.end ? $0.end : nil }
    }

    /// What failed before the pause that lasts now.
    func problem(at now: ContinuousClock.Instant) -> String? { end(at: now) == nil ? nil : pause?.problem }

    /// `jitter`, 0 to 1, picks a point in the upper half of the step, so that many clients of one server spread out.
    static func length(afterFailures failures: Int, jitter: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 30)  // 2^30 × base passes the cap by far.
        let step = min(base * (1 << doublings), cap)
        return step * (0.5 + 0.5 * min(max(jitter, 0), 1))
    }
}
