import TidingsCore
import TidingsPipeline

extension Bounds {
    /// The bounds of the overflow queues, which keep the events of one tenant from delaying those of another.
    static var overflow: [Bound] {
        [
            Bound(
                "LaneAllowance.perTenant.perSecond", LaneAllowance.perTenant.perSecond, "notifications",
                "Of one tenant in a second, to the intake queue of a lane; its further events overflow."),
            Bound("LaneAllowance.perTenant.burst", LaneAllowance.perTenant.burst, "notifications", "Of one tenant at once."),
            Bound(
                "LaneAllowance.largestEvent", LaneAllowance.largestEvent, "notifications",
                "Of an event for several people that goes to the intake queue; a larger one overflows."),
            Bound(
                "LaneAllowance.contentBytes", LaneAllowance.contentBytes, "bytes",
                "Of the content of an event; with more, each of its notifications counts once for every such part."),
            Bound("LaneAllowance.remembered", LaneAllowance.remembered, "tenants", "Of each lane; tenants beyond it share one allowance."),
            Bound(
                "Router.overflowPrefetch", Router.overflowPrefetch, "messages",
                "A full batch; more would keep large events from other routers."),
            Bound(
                "Router.overflowInWork", Router.overflowInWork, "batches",
                "Of each overflow queue: it leaves processors and connections to other work."),
        ] + Bound.batch("Router.overflowBatch", Router.overflowBatch, "A batch of overflow ends at the first of these three bounds.")
    }
}
