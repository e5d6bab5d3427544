import Logging

/// Finds the outages of the database as this process sees them, so that the log has one line for the beginning of each and one for its end.
struct DatabaseOutage: Sendable {
    enum Change: Sendable, Hashable {
        /// The database has not answered for this time.
        case began(silence: Duration)
        /// The database answered again after this time.
        case ended(after: Duration)

        /// - Parameter failure: the reason for which the last connection was refused, if there was one.
        func log(to logger: Logger, failure: String?) {
            switch self {
            case .began(let silence):
                logger.warning(
                    "the database does not answer",
                    metadata: Self.metadata(silence).merging(failure.map { ["error": "\($0)"] } ?? [:]) { $1 })
            case .ended(let time): logger.notice("the database answers again", metadata: Self.metadata(time))
            }
        }

        private static func metadata(_ time: Duration) -> Logger.Metadata { ["seconds": "\(Int(time / .seconds(1)))"] }
    }

    /// A longer silence is an outage. A heartbeat on a busy database takes less, and a failover takes more.
    static let limit = Duration.seconds(3)
    /// The time between two looks at the last answer.
    static let interval = Duration.milliseconds(500)
    /// A longer time between two looks means that this process was stopped. The silence meanwhile was its own.
    static let longestGap = Duration.seconds(2)

    private var lookedAt: ContinuousClock.Instant
    /// The time since which this process has run without a stop.
    private var awakeSince: ContinuousClock.Instant
    /// The beginning of the silence, during an outage.
    private var silentSince: ContinuousClock.Instant?

    init(at now: ContinuousClock.Instant = .now) {
        lookedAt = now
        awakeSince = now
    }

    /// - Parameter answeredAt: the time of the last answer of the database. Nil if there was none.
    mutating func look(answeredAt: ContinuousClock.Instant?, at now: ContinuousClock.Instant = .now) -> Change? {
        if now - lookedAt > Self.longestGap { awakeSince = now }
        lookedAt = now
        if let since = silentSince {
            guard let answeredAt, answeredAt > since else { return nil }
            silentSince = nil
            return .ended(after: answeredAt - since)
        }
        let since = max(answeredAt ?? awakeSince, awakeSince)
        guard now - since >= Self.limit else { return nil }
        silentSince = since
        return .began(silence: now - since)
    }
}
