import Logging
import TidingsPostgres
import TidingsStore

/// Follows the timeline of the database: asks whether it is still the latest, and records each timeline that this process sees first.
struct TimelineWatch: Sendable {
    /// The time between two looks. A look is one short query, and one message to the broker.
    package static let interval = Duration.seconds(1)
    /// The looks between two notes at the broker, ten minutes. A note is repeated because somebody may delete the exchange.
    package static let looksBetweenNotes = 600

    let store: Store
    let timelines: TimelineGuard
    let readiness: Readiness
    /// The id of this process.
    let worker: String
    let logger: Logger

    /// Runs until the task is cancelled.
    func run() async {
        var recorded: PostgresTimeline?
        var looks = 0
        while !Task.isCancelled {
            await timelines.check()
            show()
            // The chores of the process log that the database is away. The next look records what this one could not.
            recorded = (try? await look(after: recorded)) ?? recorded
            looks = (looks + 1) % Self.looksBetweenNotes
            if looks == 0 { await timelines.noteAgain() }
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Returns the recorded timeline. Nil if the timeline cannot be read.
    private func look(after recorded: PostgresTimeline?) async throws -> PostgresTimeline? {
        guard let reading = try await store.timeline() else { return recorded }
        // Behind a pooler, another server may answer than the one that was judged.
        if reading != timelines.current { await timelines.take(reading) }
        guard reading != recorded, reading == timelines.current else { return recorded }
        try await store.noteTimeline(reading, seenBy: worker)
        if let recorded {
            logger.warning(
                "the database is on another timeline: the last commits before may be missing if the standby was asynchronous",
                metadata: ["timeline": "\(reading.number)", "before": "\(recorded.number)"])
        }
        return reading
    }

    /// Shows the state before the query, which waits for a session while every server is refused.
    private func show() {
        let problem = timelines.problem
        if readiness.timeline(problem: problem), problem == nil { logger.notice("the database is used again") }
    }
}

extension TimelineGuard.Event {
    /// Logs news of the guard.
    func log(to logger: Logger) {
        switch self {
        case .refused(let reason):
            logger.error(
                "a server of the database is refused: fence it, by a stop or another TIDINGS_DATABASE_URL",
                metadata: ["reason": "\(reason)"])
        case .unreadable:
            logger.warning("the timeline of the database cannot be read: an old primary would not be recognised, see tidings doctor")
        case .notNoted(let timeline):
            logger.warning(
                "the broker did not note the timeline of the database: other processes do not learn of it, trying again",
                metadata: ["timeline": "\(timeline)"])
        }
    }
}
