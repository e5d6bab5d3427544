import Logging
import Synchronization

/// Decides which repetitions of a failure are worth a line of the log: the first, and then one in a while.
package struct Reminder: Sendable {
    /// The time between two lines about the same failing operation.
    package static let interval = Duration.seconds(60)

    private var last: ContinuousClock.Instant?

    package init() {}

    package mutating func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        if let last, now - last < Self.interval { return false }
        last = now
        return true
    }
}

/// A reminder for each operation of a role, by its name.
final class Reminders: Sendable {
    private let all = Mutex<[String: Reminder]>([:])

    func isDue(_ what: String) -> Bool { all.withLock { $0[what, default: Reminder()].isDue() } }

    /// The next failure of an operation that has succeeded is due.
    func succeeded(_ what: String) { all.withLock { $0[what] = nil } }
}

extension Logger {
    /// Logs that an operation failed and is tried again. A line that is not due has the level `debug`.
    func cannot(_ what: String, _ error: any Error, isDue: Bool, level: Level = .warning) {
        log(level: isDue ? level : .debug, "cannot \(what), trying again", metadata: ["error": "\(error)"])
    }
}
