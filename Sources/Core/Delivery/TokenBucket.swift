/// A rate limit that allows short bursts. A value: time is passed in, and the answer says how long to wait.
public struct TokenBucket: Sendable, Hashable {
    /// How many a second on average, and how many at once after a quiet while. Both at least 1 and at most ``largest``; other values are
    /// moved there.
    public struct Limit: Sendable, Hashable {
        public let perSecond: Int
        public let burst: Int

        public init(perSecond: Int, burst: Int) {
            self.perSecond = min(max(perSecond, 1), Limit.largest)
            self.burst = min(max(burst, 1), Limit.largest)
        }

        /// A million a second is above any provider's limit, and keeps the arithmetic far from overflow.
        public static let largest = 1_000_000
    }

    public private(set) var limit: Limit
    /// In millionths of a token: at `perSecond` tokens a second, exactly `perSecond` of these come each microsecond.
    private var level: Int64
    private var updated: Timestamp

    /// A full bucket.
    public init(_ limit: Limit, at now: Timestamp) {
        self.limit = limit
        level = Int64(limit.burst) * TokenBucket.unit
        updated = now
    }

    /// Takes tokens if they are there.
    ///
    /// - Parameter count: more than the burst can never be there at once, so it counts as the burst; less than 1 takes nothing.
    /// - Returns: zero when taken; else how long until they would be there, and nothing is taken.
    public mutating func take(_ count: Int = 1, at now: Timestamp) -> Duration {
        refill(at: now)
        let wanted = Int64(min(max(count, 0), limit.burst)) * TokenBucket.unit
        if level >= wanted {
            level -= wanted
            return .zero
        }
        let rate = Int64(limit.perSecond)
        return .microseconds((wanted - level + rate - 1) / rate)
    }

    /// Takes tokens in any case, those that are still to come included, so that later callers wait behind this one.
    ///
    /// - Returns: how long until the first `step` of them are there; each further `step` takes ``interval(of:)`` longer. Less than zero if they
    ///   have been there for a while.
    public mutating func reserve(_ count: Int, by step: Int, at now: Timestamp) -> Duration {
        refill(at: now)
        let first = Int64(min(max(step, 1), limit.burst)) * TokenBucket.unit
        defer { level -= Int64(min(max(count, 0), Limit.largest)) * TokenBucket.unit }
        return .microseconds((first - level) / Int64(limit.perSecond))
    }

    /// How long `count` tokens take to come.
    public func interval(of count: Int) -> Duration { .microseconds(Int64(max(count, 0)) * TokenBucket.unit / Int64(limit.perSecond)) }

    /// Returns tokens that were reserved and not used.
    public mutating func giveBack(_ count: Int) {
        level = min(level + Int64(min(max(count, 0), Limit.largest)) * TokenBucket.unit, Int64(limit.burst) * TokenBucket.unit)
    }

    /// How long until `count` tokens are there; zero when they are. Takes nothing.
    public mutating func wait(for count: Int, at now: Timestamp) -> Duration {
        refill(at: now)
        let wanted = Int64(min(max(count, 0), limit.burst)) * TokenBucket.unit
        return level >= wanted ? .zero : .microseconds((wanted - level) / Int64(limit.perSecond))
    }

    /// Allows another burst from now on. What there is stays, as far as there is room for it: a larger bucket fills with time.
    public mutating func allow(burst: Int, at now: Timestamp) {
        refill(at: now)
        limit = Limit(perSecond: limit.perSecond, burst: burst)
        level = min(level, Int64(limit.burst) * TokenBucket.unit)
    }

    /// Tokens come with time that has passed. A moment before the latest one brings none, and counts only if the clock was set back: callers do not
    /// come in order, and one interval must not count twice.
    private mutating func refill(at now: Timestamp) {
        let capacity = Int64(limit.burst) * TokenBucket.unit
        let elapsed = (now - updated).saturatedMicroseconds
        guard elapsed > 0 else {
            if elapsed < -TokenBucket.disorder { updated = now }
            return
        }
        updated = now
        let rate = Int64(limit.perSecond)
        level = elapsed >= (capacity - level) / rate + 1 ? capacity : level + elapsed * rate
    }

    private static let unit: Int64 = 1_000_000
    /// Microseconds: callers are out of order by less, and a clock that was set back by less is waited for.
    private static let disorder: Int64 = 5_000_000
}
