import Glibc
package import Logging

/// Ends the process when its stop has taken too long.
///
/// After ``RolesService/drainLimit`` everything is cancelled and ends, but for what must not be given up lightly: an outcome that a provider has
/// answered is written as soon as the database is back, and that may be tomorrow. A releaser finds it by its lease, as after any death.
package struct StopDeadline {
    /// From the beginning of the stop to the end of the process. Less than the 30 s after which supervisors kill.
    static let limit = RolesService.drainLimit + .seconds(2)

    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    /// - Parameter code: what the process exits with: 0 when it was asked to stop, 1 when a role failed.
    package func begin(exitCode code: Int32) {
        let logger = logger
        // A child would be cancelled with all the services; this runs on, and ends with the process. Time itself is what is waited for.
        Task {
            try await Task.sleep(for: Self.limit)
            logger.error("not all that was in work could be finished: a releaser brings it back")
            exit(code)
        }
    }
}
