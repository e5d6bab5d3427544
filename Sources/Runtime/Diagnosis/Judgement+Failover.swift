import TidingsCore

/// The check of the database's timeline.
extension Judgement {
    /// Commits may be missing from this long before the first process saw the new timeline.
    static let failoverMargin = Duration.seconds(600)

    /// A failover leaves no other trace: the records that are missing are missing everywhere.
    static func failover(_ reading: SystemReading) -> [Finding] {
        guard let failover = reading.failover else { return [.ok("failover", "PostgreSQL had no failover in the last 24 h")] }
        let since = failover.seenAt.minute(now: reading.now)
        let words =
            failover.isOtherCluster
            ? "the database is in another cluster since \(since): records that the upgrade or restore did not copy are missing"
            : "the database is on timeline \(failover.timeline) since \(since), before: \(failover.previousTimeline): "
                + "the last commits before are missing if the standby was asynchronous"
        let from = failover.seenAt.adding(.zero - failoverMargin).rfc3339
        return [
            Finding(
                "failover", .warning, .failover, words,
                whatToDo:
                    "tidings reconcile --source <source> --since \(from) <file with event ids> names the events to publish again. "
                    + "Take an earlier time if the standby was away before. "
                    + "Nothing is missing after a switch-over, or if the standby was synchronous.")
        ]
    }
}
