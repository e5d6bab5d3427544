package import TidingsPostgres

/// The timelines that a process knows, and the judgement of the one that a session is on. Without I/O.
///
/// The register is shared by all processes, and its answer counts. While it cannot be asked, a process goes on with a timeline that it has
/// verified before, and refuses every lower one.
package struct TimelineMemory: Sendable {
    package enum Verdict: Sendable, Hashable {
        case admitted
        case refused(Refusal)
    }

    /// The reason why a server is not used.
    package enum Refusal: Sendable, Hashable {
        /// Another process has noted a later timeline.
        case passed
        /// This process has seen this later timeline.
        case below(UInt32)
        /// The timeline was never verified, and the register cannot be asked.
        case unverified
    }

    private struct Highest {
        var number: UInt32
        /// Whether the register has it. Until then, the register may call a lower timeline current.
        var isNoted: Bool
    }

    /// The highest timeline that this process has admitted, for each cluster.
    private var highest: [UInt64: Highest] = [:]
    /// Timelines that the register called old.
    private var old: Set<PostgresTimeline> = []

    package init() {}

    /// Judges the timeline of a session, and remembers the answer.
    ///
    /// If the register calls a timeline current that is lower than a noted one, an operator accepted it, after a restore. The higher one is
    /// then forgotten.
    ///
    /// - Parameter wasNoted: whether the register had the highest timeline before it was asked (``isNoted(in:)``). Otherwise its answer about
    ///   a lower one may be out of date.
    package mutating func judge(_ timeline: PostgresTimeline, _ answer: TimelineAnswer, wasNoted: Bool = true) -> Verdict {
        let known = highest[timeline.system]
        switch answer {
        case .old:
            old.insert(timeline)
            return .refused(.passed)
        case .current:
            if let known, timeline.number < known.number, !(known.isNoted && wasNoted) { return .refused(.below(known.number)) }
            old.remove(timeline)
        case .unknown:
            guard !old.contains(timeline) else { return .refused(.passed) }
            guard let known else { return .refused(.unverified) }
            guard timeline.number >= known.number else { return .refused(.below(known.number)) }
        }
        if known?.number != timeline.number { highest[timeline.system] = Highest(number: timeline.number, isNoted: false) }
        return .admitted
    }

    /// Takes a later answer about a timeline that was admitted. Returns whether the timeline must not be used any more.
    package mutating func isOld(_ timeline: PostgresTimeline, _ answer: TimelineAnswer) -> Bool {
        if answer == .old { old.insert(timeline) }
        return !isAdmitted(timeline)
    }

    /// Records that the register has a timeline.
    package mutating func noted(_ timeline: PostgresTimeline) {
        if highest[timeline.system]?.number == timeline.number { highest[timeline.system]?.isNoted = true }
    }

    /// Records that the register has lost what it had noted about a cluster.
    package mutating func lostNotes(about system: UInt64) { highest[system]?.isNoted = false }

    /// Whether the register has the highest timeline of a cluster that was admitted.
    package func isNoted(in system: UInt64) -> Bool { highest[system]?.isNoted ?? false }

    /// Whether the register must still be told of a timeline that was admitted.
    package func mustNote(_ timeline: PostgresTimeline) -> Bool {
        highest[timeline.system].map { $0.number == timeline.number && !$0.isNoted } ?? false
    }

    /// Whether a timeline is lower than one that was admitted.
    package func isBelow(_ timeline: PostgresTimeline) -> Bool { timeline.number < highest[timeline.system]?.number ?? 0 }

    /// Whether a session on a timeline that was admitted may still be used.
    package func isAdmitted(_ timeline: PostgresTimeline) -> Bool { !old.contains(timeline) && !isBelow(timeline) }
}
