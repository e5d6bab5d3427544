public import TidingsPostgres

/// The memory of timelines that all processes share, and that outlives them.
public protocol TimelineRegister: Sendable {
    /// Asks whether a process has noted a later timeline of the same cluster. Returns within a bounded time.
    func answer(about timeline: PostgresTimeline) async -> TimelineAnswer

    /// Notes a timeline: every lower one of the cluster is old from now on. Returns false if that was not possible.
    func note(_ timeline: PostgresTimeline) async -> Bool

    /// Asks whether the register has any note about a cluster. Nil if it cannot be asked now. Returns within a bounded time.
    ///
    /// A register that has lost its notes calls every timeline current.
    func hasNotes(about system: UInt64) async -> Bool?
}

/// The register's answer about a timeline.
public enum TimelineAnswer: Sendable, Hashable {
    /// No process has noted a later timeline of the cluster.
    case current
    /// A process has noted a later one.
    case old
    /// The register cannot be asked now.
    case unknown
}
