import Synchronization

/// How much bulk work yields to urgent work in one process: additive increase, multiplicative decrease, as TCP shares a link.
///
/// Whatever bulk work comes in batches (routing, delivering, releasing) puts each of them off by a pause. It doubles while urgent batches take
/// longer than ``target``, and shrinks as long as they do not. Without urgent work there is nothing to yield to.
public final class LaneBalance: Sendable {
    /// What an urgent batch may take from the broker's hand to its commit. A sixth of the 100 ms within which an urgent intent is to be seen:
    /// confirm, collecting and the reader's own look come on top.
    public static let target = Duration.milliseconds(15)
    /// The first pause, and the longest: bulk always goes on, at about 2,000 a second even then.
    public static let firstPause = Duration.milliseconds(16)
    public static let longestPause = Duration.milliseconds(250)
    /// What comes off the pause in a second while urgent batches are in time, however many there are.
    public static let relief = Duration.milliseconds(100)
    /// Between two doublings: what the last one brought must show first.
    public static let reaction = Duration.milliseconds(100)
    /// After this long without an urgent batch bulk goes on at once.
    public static let memory = Duration.seconds(1)

    private struct State {
        var pause = Duration.zero
        var cause = Duration.zero
        var doubledAt = ContinuousClock.now
        var urgentAt = ContinuousClock.now
    }

    private let state = Mutex(State())

    public init() {}

    /// An urgent batch was committed at `now`, this long after it was taken.
    public func urgent(took duration: Duration, now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            // Reports may overtake each other by a little.
            let since = max(.zero, now - state.urgentAt)
            // What was learned before is about another hour.
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

    /// How long the next bulk batch waits.
    public func pause(now: ContinuousClock.Instant = .now) -> Duration {
        state.withLock { now - $0.urgentAt > Self.memory ? .zero : $0.pause }
    }

    /// Puts a bulk batch off. Cancelled or not, it goes on afterwards.
    public func yieldToUrgent() async {
        let pause = pause()
        // Time itself is what is waited for: it is left to the urgent work of this process and of the servers.
        if pause > .zero { try? await Task.sleep(for: pause) }
    }

    /// The pause of bulk work, and what the last urgent batch took that was too slow; nil while bulk does not yield.
    public func yielding(now: ContinuousClock.Instant = .now) -> (pause: Duration, cause: Duration)? {
        state.withLock { now - $0.urgentAt > Self.memory || $0.pause == .zero ? nil : ($0.pause, $0.cause) }
    }
}
