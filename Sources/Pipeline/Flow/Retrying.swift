import Logging
import TidingsPostgres
import TidingsWaiting

/// Runs an operation on the database until it succeeds. The pause grows while the database is away or refuses. The log has a line for the
/// first failure, and then one a minute.
///
/// A refused connection, a missing grant and a missing table are states of the server. An operator repairs them, and the operation then
/// succeeds. Therefore only three things end it early, with the error:
///
/// - values that the database will never take
/// - an answer that this version cannot read
/// - a task or a pool that ends
func retrying<Result: Sendable>(
    _ what: String, logger: Logger, _ operation: () async throws -> Result
) async throws -> Result {
    let backoff = Backoff(base: .milliseconds(50), cap: .seconds(2))
    var failures = 0
    var reminder = Reminder()
    while true {
        do {
            return try await operation()
        } catch let error as PostgresError where error.isAboutTheData || error.kind == .decoding || error.kind == .poolClosed {
            throw error
        } catch let error as PostgresError {
            logger.cannot(what, error, isDue: reminder.isDue())
        }
        failures += 1
        ProgressWork.current?.step()
        try await Task.sleep(for: backoff.pause(afterFailure: failures))
    }
}
