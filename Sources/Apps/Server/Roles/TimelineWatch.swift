import Logging
import TidingsPostgres
import TidingsStore

/// Follows the timeline of the database, and records each timeline that this process sees first.
struct TimelineWatch: Sendable {
    /// The time between two looks. A look is one short query.
    package static let interval = Duration.seconds(1)

    let store: Store
    /// The id of this process.
    let worker: String
    let logger: Logger

    /// Runs until the task is cancelled.
    func run() async {
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
        guard let reading = try await store.timeline(), reading != recorded else { return recorded }
        try await store.noteTimeline(reading, seenBy: worker)
        if let recorded {
            logger.warning(
                "the database is on another timeline: the last commits before may be missing if the standby was asynchronous",
                metadata: ["timeline": "\(reading.number)", "before": "\(recorded.number)"])
        }
        return reading
    }
}
