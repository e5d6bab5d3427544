import Synchronization
import TidingsCore
import TidingsStore

/// The number of requests that each key and each person may make, for each process of the API.
final class RateLimits: Sendable {
    private struct State {
        var persons: [RecipientKey: TokenBucket] = [:]
        var keys: [String: TokenBucket] = [:]
    }

    /// Callers that are remembered. Beyond it all start again with a full bucket.
    static let remembered = 50_000

    private let perPerson: TokenBucket.Limit?
    private let perKey: TokenBucket.Limit?
    private let clock: DatabaseClock
    private let state = Mutex(State())

    /// - Parameters: nil sets no limit.
    init(perPerson: TokenBucket.Limit?, perKey: TokenBucket.Limit?, clock: DatabaseClock) {
        self.perPerson = perPerson
        self.perKey = perKey
        self.clock = clock
    }

    /// Counts one request. Throws a problem with the time to wait if the caller is over its limit.
    func count(_ caller: Caller) throws {
        let now = clock.now()
        let wait: Duration =
            switch caller {
            case .anyone: .zero
            case .person(let person, _):
                perPerson.map { limit in state.withLock { Self.take(person, &$0.persons, limit, now) } } ?? .zero
            case .key(let key): perKey.map { limit in state.withLock { Self.take(key.id, &$0.keys, limit, now) } } ?? .zero
            }
        if wait > .zero { throw Problem.rateLimited(retryAfter: wait) }
    }

    private static func take<Key: Hashable>(
        _ key: Key, _ buckets: inout [Key: TokenBucket], _ limit: TokenBucket.Limit, _ now: Timestamp
    ) -> Duration {
        if buckets.count >= remembered { buckets.removeAll() }
        return buckets[key, default: TokenBucket(limit, at: now)].take(at: now)
    }
}
