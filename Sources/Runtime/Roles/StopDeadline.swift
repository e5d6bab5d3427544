package import Logging

/// Ends the process when its stop has taken too long.
///
/// After ``RolesService/drainLimit`` all work is cancelled. Only the writes of outcomes that providers have answered do not end then.
/// Such a write waits until the database is back, which may be tomorrow.
///
/// The deadline ends that wait with the process. A releaser recovers the delivery when its lease is over, as after any death of a process.
package struct StopDeadline {
    /// The time from the beginning of the stop to the end of the process. It is less than the 30 s after which supervisors kill.
    static let limit = RolesService.drainLimit + .seconds(2)

    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    /// - Parameter code: the exit code of the process: 0 if it was asked to stop, 1 if a role failed.
    package func begin(exitCode code: Int32) {
        let logger = logger
        // Not a child task, which would be cancelled with all the services. This task ends with the process. Time itself is awaited.
        Task {
            try await Task.sleep(for: Self.limit)
            logger.error("some work could not be finished: a releaser recovers it")
            ProcessEnd.now(code)
        }
    }
}
