import Logging
import TidingsCore

/// Finds the pauses that began or ended between two looks, so that the log of each role has a line for each pause.
struct PauseWatch: Sendable {
    enum Change: Sendable, Hashable {
        case began(Pause)
        case ended(Pause)

        func log(to logger: Logger) {
            switch self {
            case .began(let pause):
                logger.notice(
                    "a pause begins", metadata: Self.metadata(pause).merging(["until": "\(pause.until?.rfc3339 ?? "resumed")"]) { $1 })
            case .ended(let pause): logger.notice("a pause is over", metadata: Self.metadata(pause))
            }
        }

        private static func metadata(_ pause: Pause) -> Logger.Metadata {
            ["pause": "\(pause.id)", "scope": "\(pause.scope.rawValue)", "name": "\(pause.name)"]
        }
    }

    private var known: [Int: Pause] = [:]

    /// Returns ended pauses first, then begun pauses, both sorted by number. The first look returns every pause in force.
    mutating func follow(_ pauses: Pauses) -> [Change] {
        let now = Dictionary(pauses.all.map { ($0.id, $0) }) { _, later in later }
        let ended = known.values.filter { now[$0.id] == nil }.sorted { $0.id < $1.id }
        let began = now.values.filter { known[$0.id] == nil }.sorted { $0.id < $1.id }
        known = now
        return ended.map(Change.ended) + began.map(Change.began)
    }
}
