import TidingsCore
import TidingsPipeline

extension Bounds {
    /// The bounds by which a process recognises that it is stuck.
    static var liveness: [Bound] {
        [
            Bound("ProgressWatch.patience", ProgressWatch.patience, "Work in hand without progress; then /health/live says no."),
            Bound("Liveness.interval", Liveness.interval, "Between two looks of a process whether its work goes on."),
            Bound("Liveness.longestGap", Liveness.longestGap, "Between two looks; after a longer one the process was stopped."),
        ]
    }
}
