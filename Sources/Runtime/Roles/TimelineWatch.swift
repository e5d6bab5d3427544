import Logging
import TidingsPostgres
import TidingsStore

/// Follows the timeline of the database: asks whether it is still the latest, and records each timeline that this process sees first.
struct TimelineWatch: Sendable {
    /// The time between two looks. A look is one short query, and one message to the broker.
    package static let interval = Duration.seconds(1)
    /// The checks between two questions whether the broker still has its notes: somebody may delete the exchange.
    package static let checksBetweenQuestions = 60

    let store: Store
    let timelines: TimelineGuard
    let readiness: Readiness
    /// The id of this process.
    let worker: String
    let logger: Logger

    /// Runs until the task is cancelled. A database that answers slowly must not delay the questions to the broker, so they have a loop of
    /// their own.
    func run() async {
        await withDiscardingTaskGroup { group in
            // Each loop ends when the task is cancelled, and the group awaits both.
            group.addTask { await check() }
            group.addTask { await record() }
        }
    }

    private func check() async {
        var checks = 0
        while !Task.isCancelled {
            await timelines.check()
            show()
            checks = (checks + 1) % Self.checksBetweenQuestions
            if checks == 0 { await timelines.verifyNotes() }
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func record() async {
        var recorded: PostgresTimeline?
        while !Task.isCancelled {
            // The chores of the process log that the database is away. The next look records what this one could not.
            recorded = (try? await look(after: recorded)) ?? recorded
            // Time itself is awaited. Cancelled when the roles have ended.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Returns the recorded timeline. Nil if the timeline cannot be read.
    private func look(after recorded: PostgresTimeline?) async throws -> PostgresTimeline? {
        guard let reading = try await store.timeline() else { return recorded }
        // Behind a pooler, another server may answer than the one that was judged.
        if reading != timelines.current { await timelines.receive(reading) }
        guard reading != recorded, reading == timelines.current else { return recorded }
        try await store.noteTimeline(reading, seenBy: worker)
        if let recorded {
            logger.warning(
                "the database is on another timeline: the last commits before may be missing if the standby was asynchronous",
                metadata: ["timeline": "\(reading.number)", "before": "\(recorded.number)"])
        }
        return reading
    }

    /// Tells of the beginning and of the end of a refusal.
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
