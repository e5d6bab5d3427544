import TidingsCore
import TidingsPipeline

extension Bounds {
    /// The bounds of the overflow queues, which keep the events of one tenant from delaying those of another.
    static var overflow: [Bound] {
        [
            Bound(
                "Router.urgentOverflowInWork", Router.urgentOverflowInWork, "batches",
                "Of the urgent lane's overflow: it leaves processors to urgent batches.")
        ] + Bound.batch("Router.overflowBatch", Router.overflowBatch, "A batch of overflow ends at the first of these three bounds.")
    }
}
