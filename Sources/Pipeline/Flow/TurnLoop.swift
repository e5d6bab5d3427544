import Logging

/// Repeats the turns of a loop until the task is cancelled. A turn that fails is logged, and the next one comes after the pause.
struct TurnLoop: Sendable {
    /// The pause after a turn without work, and after a turn that failed.
    let interval: Duration
    /// Watches whether turns go on.
    let progress: ProgressWatch
    let logger: Logger

    /// - Parameters:
    ///   - what: the work, such as `recover packs`, for the log.
    ///   - turn: returns whether the next turn comes at once.
    func run(_ what: String, _ turn: () async throws -> Bool) async {
        var reminder = Reminder()
        while !Task.isCancelled {
            do {
                let hasWorked = try await progress.during(what) { try await turn() }
                reminder = Reminder()
                if hasWorked { continue }
            } catch is CancellationError {
                return
            } catch {
                logger.cannot(what, error, isDue: reminder.isDue())
            }
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: interval)
        }
    }
}
