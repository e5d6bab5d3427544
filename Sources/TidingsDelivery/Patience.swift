import Logging
import TidingsPostgres

/// Runs an operation on the database until it succeeds, with growing pauses while the database is away. Ends early, with the error, only when
/// the error is permanent or the task is cancelled.
func patiently<Result: Sendable>(
    _ what: String, logger: Logger, _ operation: () async throws -> Result
) async throws -> Result {
    let longestPause = Duration.seconds(2)
    var pause = Duration.milliseconds(50)
    while true {
        do {
            return try await operation()
        } catch let error as PostgresError where error.verdict == .permanent {
            throw error
        } catch let error as PostgresError {
            logger.warning("cannot \(what), trying again", metadata: ["error": "\(error)"])
        }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, longestPause)
    }
}
