public import Logging
import TidingsCore
public import TidingsMetrics
public import TidingsStore

/// Erases people. Any number of processes may run it: each takes a turn at another erasure.
///
/// A turn is one small transaction with the progress of its erasure. So a process that dies, or a stop, loses at most one turn.
public struct Eraser: Sendable {
    /// The time between two looks while no erasure is due.
    package static let interval = Duration.seconds(1)
    /// The pause of an erasure whose turn failed. Other erasures go on meanwhile.
    package static let pauseAfterFailure = Duration.seconds(30)

    private let store: Store
    private let projections: Projections
    private let metrics: Metrics
    private let logger: Logger

    /// - Parameter projections: the modules whose tables may hold people.
    public init(store: Store, projections: Projections, metrics: Metrics, logger: Logger) {
        self.store = store
        self.projections = projections
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs until the task is cancelled.
    public func run() async {
        var reminder = Reminder()
        while !Task.isCancelled {
            if await turn(&reminder) { continue }
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Returns whether the next turn may come at once.
    private func turn(_ reminder: inout Reminder) async -> Bool {
        do {
            switch try await store.erasures.advance(projections) {
            case .idle: return false
            case .working, .waiting: return true
            case .done(let id):
                metrics.erasures.add()
                logger.notice("erased a person", metadata: ["erasure": "\(id)"])
                return true
            }
        } catch let failure as ErasureFailure {
            logger.error("an erasure failed, trying again", metadata: ["erasure": "\(failure.erasure)", "error": "\(failure.cause)"])
            return await postpone(failure.erasure)
        } catch is CancellationError {
            return false
        } catch {
            logger.cannot("erase people", error, isDue: reminder.isDue())
            return false
        }
    }

    /// Returns false if the database does not take the pause: then the process itself pauses.
    private func postpone(_ erasure: NotificationID) async -> Bool {
        do {
            try await store.erasures.postpone(erasure, by: Self.pauseAfterFailure)
            return true
        } catch {
            return false
        }
    }
}
