import Logging
import Synchronization
import TidingsTimeZones

/// Follows the zone data while roles run. A new release of the data takes effect without a restart. If the data is gone, the process is not
/// ready.
///
/// The roles go on without zone data. A delivery that needs no zone is sent. A delivery that needs one is held as `timeZoneUnknown`.
final class ZoneWatch: Sendable {
    /// The time between two looks, the same as between heartbeats. A look costs about half a millisecond when all zones have been read.
    static let interval = Duration.seconds(5)

    private struct State {
        var lookedAt: ContinuousClock.Instant?
        var problem: TimeZoneError?
    }

    private let zones: TimeZoneDatabase
    private let readiness: Readiness
    private let logger: Logger
    private let state = Mutex(State())

    init(_ zones: TimeZoneDatabase, readiness: Readiness, logger: Logger) {
        self.zones = zones
        self.readiness = readiness
        self.logger = logger
    }

    /// Looks if ``interval`` has passed since the last look. It may be called as often as you like.
    func look() {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            if let last = state.lookedAt, now - last < Self.interval { return false }
            state.lookedAt = now
            return true
        }
        guard isDue else { return }
        let found = zones.look()
        readiness.zoneData(problem: found.problem.map { "\($0)" })
        for failure in found.failures {
            logger.error("a time zone is unknown: deliveries to people with quiet hours in it wait", metadata: ["error": "\(failure)"])
        }
        let before = state.withLock { state in
            defer { state.problem = found.problem }
            return state.problem
        }
        if let problem = found.problem, before == nil {
            logger.error("zone data is gone: deliveries to people with quiet hours wait", metadata: ["error": "\(problem)"])
        } else if found.problem == nil, before != nil {
            logger.notice("zone data is back", metadata: ["folder": "\(zones.directory)"])
        } else if found.problem == nil, found.hasChanged {
            logger.notice("zone data has changed, reading it again", metadata: ["folder": "\(zones.directory)"])
        }
    }
}
