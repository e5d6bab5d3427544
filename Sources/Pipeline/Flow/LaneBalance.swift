import Synchronization

/// The pause by which bulk work yields to urgent work in one process: additive increase, multiplicative decrease, as TCP shares a link.
///
/// Bulk work that comes in batches (routing, delivering, releasing) puts each batch off by the pause. The pause doubles while urgent
/// batches take longer than ``target``, and shrinks while they do not. Without urgent work there is no pause.
public final class LaneBalance: Sendable {
    /// The longest time of an urgent batch from its receipt to its commit. It is a sixth of the 100 ms within which an urgent intent is to
    /// be visible. The confirm, the collecting and the reader's own look take the rest.
    public static let target = Duration.milliseconds(15)
    /// The first pause and the longest pause. Bulk work always continues, at about 2,000 a second with the longest pause.
    public static let firstPause = Duration.milliseconds(16)
    public static let longestPause = Duration.milliseconds(250)
    /// The amount by which the pause shrinks in a second in which urgent batches are in time, however many there are.
    public static let relief = Duration.milliseconds(100)
    /// The time between two doublings. The effect of the last doubling must show first.
    public static let reaction = Duration.milliseconds(100)
    /// The time without an urgent batch after which bulk work continues at once.
    public static let memory = Duration.seconds(1)

    private struct State {
        var pause = Duration.zero
        var cause = Duration.zero
        var doubledAt = ContinuousClock.now
        var urgentAt = ContinuousClock.now
    }

    private let state = Mutex(State())

    public init() {}

    /// Records an urgent batch that was committed at `now`, this time after it was taken.
    public func urgent(took duration: Duration, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            // Reports may overtake one another by a little.
            let since = max(.zero, now - state.urgentAt)
            // Forget the pause: it was learned under another load.
            if since > Self.memory { state.pause = .zero }
            state.urgentAt = max(state.urgentAt, now)
            if duration <= Self.target {
                state.pause = max(.zero, state.pause - Self.relief * (since / .seconds(1)))
            } else {
                state.cause = duration
                if now - state.doubledAt >= Self.reaction {
                    state.pause = min(Self.longestPause, max(Self.firstPause, state.pause * 2))
                    state.doubledAt = now
                }
            }
        }
    }

    /// Returns the pause of the next bulk batch.
    public func pause(now: ContinuousClock.Instant = .now) -> Duration {
        state.withLock { now - $0.urgentAt > Self.memory ? .zero : $0.pause }
    }

    /// Puts a bulk batch off. The batch continues afterwards, cancelled or not.
    public func yieldToUrgent() async {
        let pause = pause()
        // Only time has to pass. It belongs to the urgent work of this process and of the servers.
        if pause > .zero { try? await Task.sleep(for: pause) }
    }

    /// The pause of bulk work, and the time that the last slow urgent batch took. Nil while bulk work does not yield.
    public func yielding(now: ContinuousClock.Instant = .now) -> (pause: Duration, cause: Duration)? {
        state.withLock { now - $0.urgentAt > Self.memory || $0.pause == .zero ? nil : ($0.pause, $0.cause) }
    }
}
