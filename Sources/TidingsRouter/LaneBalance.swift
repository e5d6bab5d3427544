import Synchronization
public import TidingsMetrics

/// How much bulk yields to urgent in one router: additive increase, multiplicative decrease, as TCP shares a link.
///
/// A bulk batch is put off by a pause. It doubles while urgent batches take longer than ``target`` from the broker's hand to their commit, and
/// shrinks with each one that does not. Without urgent work there is nothing to yield to.
public final class LaneBalance: Sendable {
    /// What an urgent batch may take. A sixth of the 100 ms within which an urgent intent is to be seen: confirm, collecting and the reader's
    /// own look come on top.
    package static let target = Duration.milliseconds(15)
    /// The first pause, and the longest: bulk always goes on, at about 2,000 intents a second even then.
    package static let firstPause = Duration.milliseconds(16)
    package static let longestPause = Duration.milliseconds(250)
    /// What a good urgent batch takes off the pause.
    package static let relief = Duration.milliseconds(1)
    /// Between two doublings: what the last one brought must show first.
    package static let reaction = Duration.milliseconds(100)
    /// After this long without an urgent batch bulk goes on at once.
    package static let memory = Duration.seconds(1)

    private struct State {
        var pause = Duration.zero
        var doubledAt = ContinuousClock.now
        var urgentAt = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let metrics: Metrics

    public init(metrics: Metrics) {
        self.metrics = metrics
    }

    /// An urgent batch was committed at `now`, this long after it was taken.
    package func urgent(took duration: Duration, now: ContinuousClock.Instant = .now) {
        let pause = state.withLock { state in
            state.urgentAt = now
            if duration <= Self.target {
                state.pause = max(.zero, state.pause - Self.relief)
            } else if now - state.doubledAt >= Self.reaction {
                state.pause = min(Self.longestPause, max(Self.firstPause, state.pause * 2))
                state.doubledAt = now
            }
            return state.pause
        }
        metrics.bulkPause.set(Int(pause / .milliseconds(1)))
    }

    /// How long the next bulk batch waits.
    package func pause(now: ContinuousClock.Instant = .now) -> Duration {
        state.withLock { now - $0.urgentAt > Self.memory ? .zero : $0.pause }
    }
}
