/// A token bucket for each of many callers, all with the same limit. The memory is bounded.
///
/// A caller whose bucket is full again is forgotten first, because it loses nothing. While the memory is full of busy callers, the callers
/// beyond it share one bucket: a flood of new names frees none of them.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    package let limit: TokenBucket.Limit
    /// The most callers with a bucket of their own.
    private let remembered: Int
    private var buckets: [Key: TokenBucket] = [:]
    private var shared: TokenBucket
    private var sweptAt: Timestamp

    package init(_ limit: TokenBucket.Limit, remembered: Int, at now: Timestamp) {
        self.limit = limit
        self.remembered = remembered
        shared = TokenBucket(limit, at: now)
        sweptAt = now.adding(Duration.zero - Self.sweepInterval)
    }

    /// The number of callers with a bucket of their own.
    package var count: Int { buckets.count }

    /// The time until a caller has this many tokens, zero if it has them. Takes nothing.
    package mutating func wait(for tokens: Int, of key: Key, at now: Timestamp) -> Duration {
        change(key, at: now) { $0.wait(for: tokens, at: now) }
    }

    /// Takes tokens of a caller in any case, even if it does not have them yet.
    package mutating func charge(_ tokens: Int, to key: Key, at now: Timestamp) {
        change(key, at: now) { _ = $0.reserve(tokens, by: 1, at: now) }
    }

    /// Puts tokens of a caller back.
    package mutating func giveBack(_ tokens: Int, to key: Key, at now: Timestamp) {
        change(key, at: now) { $0.giveBack(tokens) }
    }

    /// The tokens of the burst that a caller has used.
    package mutating func used(by key: Key, at now: Timestamp) -> Int {
        change(key, at: now) { $0.used(at: now) }
    }

    private mutating func change<Result>(_ key: Key, at now: Timestamp, _ body: (inout TokenBucket) -> Result) -> Result {
        if buckets[key] == nil, buckets.count >= remembered {
            sweep(at: now)
            if buckets.count >= remembered { return body(&shared) }
        }
        let full = TokenBucket(limit, at: now)
        return body(&buckets[key, default: full])
    }

    /// Between two looks for callers to forget: each looks at all of them.
    private static var sweepInterval: Duration { .seconds(1) }

    private mutating func sweep(at now: Timestamp) {
        guard now - sweptAt >= Self.sweepInterval else { return }
        sweptAt = now
        buckets = buckets.filter { entry in
            var bucket = entry.value
            return bucket.used(at: now) > 0
        }
    }
}
