package import TidingsPostgres
package import TidingsStore

extension Finding {
    /// The finding about the server that answers: an old primary looks sound in every other check.
    ///
    /// - Parameters:
    ///   - timeline: nil if the server does not tell it.
    ///   - answer: of the register at the broker.
    package init(timeline: PostgresTimeline?, _ answer: TimelineAnswer) {
        guard let timeline else {
            self.init(
                "timeline", .warning, .timelineUnreadable,
                "this user cannot read the timeline of PostgreSQL: an old primary would not be recognised",
                whatToDo: "An administrator runs: grant execute on function pg_control_system(), pg_walfile_name(pg_lsn), "
                    + "pg_current_wal_lsn() to public. Some managed services do not have them.")
            return
        }
        switch answer {
        case .current: self = .ok("timeline", "PostgreSQL is on timeline \(timeline.number), and no process has seen a later one")
        case .old:
            self.init(
                "timeline", .error, .oldTimeline,
                "this server is on timeline \(timeline.number), and a process has seen a later one: it is an old primary",
                whatToDo: "Fence it: stop this server, or take it out of TIDINGS_DATABASE_URL. The processes refuse it. "
                    + "If it is the result of a restore that is meant, run tidings db accept-timeline.")
        case .unknown:
            self.init(
                "timeline", .note, .timelineUnverified,
                "PostgreSQL is on timeline \(timeline.number); the broker did not say whether a later one was seen")
        }
    }
}
