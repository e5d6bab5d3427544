/// A rate limit that allows short bursts. The bucket is a value and never waits: callers pass in the time, and the result gives the wait.
public struct TokenBucket: Sendable, Hashable {
    /// The tokens a second on average, and the burst: the tokens available at once after an idle time. Both are at least 1 and at most
    /// ``largest``. Another value is moved to the nearest bound.
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
    /// The tokens in millionths. At `perSecond` tokens a second, exactly `perSecond` millionths arrive each microsecond.
    private var level: Int64
    private var updated: Timestamp

    /// A full bucket.
    public init(_ limit: Limit, at now: Timestamp) {
        self.limit = limit
        level = Int64(limit.burst) * TokenBucket.unit
        updated = now
    }

    /// Takes tokens if enough are available.
    ///
    /// - Parameter count: a count above the burst counts as the burst, because more tokens are never available at once. A count below 1
    ///   takes nothing.
    /// - Returns: zero if the tokens were taken. Otherwise the time until they are available, and nothing is taken.
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

    /// Takes tokens in any case, even if they are not yet available. Later callers then wait behind this one.
    ///
    /// - Returns: the time until the first `step` tokens are available. Each further `step` takes ``interval(of:)`` longer. The time is
    ///   negative if the tokens have been available for a while.
    public mutating func reserve(_ count: Int, by step: Int, at now: Timestamp) -> Duration {
        refill(at: now)
        let first = Int64(min(max(step, 1), limit.burst)) * TokenBucket.unit
        defer { level -= Int64(min(max(count, 0), Limit.largest)) * TokenBucket.unit }
        return .microseconds((first - level) / Int64(limit.perSecond))
    }

    /// Returns the time that `count` tokens take to arrive.
    public func interval(of count: Int) -> Duration { .microseconds(Int64(max(count, 0)) * TokenBucket.unit / Int64(limit.perSecond)) }

    /// Puts back tokens that were reserved and not used.
    public mutating func giveBack(_ count: Int) {
        level = min(level + Int64(min(max(count, 0), Limit.largest)) * TokenBucket.unit, Int64(limit.burst) * TokenBucket.unit)
    }

    /// Returns the time until `count` tokens are available, zero if they are. Takes nothing.
    public mutating func wait(for count: Int, at now: Timestamp) -> Duration {
        refill(at: now)
        let wanted = Int64(min(max(count, 0), limit.burst)) * TokenBucket.unit
        return level >= wanted ? .zero : .microseconds((wanted - level) / Int64(limit.perSecond))
    }

    /// Returns the tokens of the burst that are taken, rounded up. More than the burst if tokens were reserved that have not arrived yet.
    public mutating func used(at now: Timestamp) -> Int {
        refill(at: now)
        let missing = Int64(limit.burst) * TokenBucket.unit - level
        return Int((missing + TokenBucket.unit - 1) / TokenBucket.unit)
    }

    /// Changes the burst from now on. The present tokens stay if there is room for them. A larger bucket fills with time.
    public mutating func allow(burst: Int, at now: Timestamp) {
        refill(at: now)
        limit = Limit(perSecond: limit.perSecond, burst: burst)
        level = min(level, Int64(limit.burst) * TokenBucket.unit)
    }

    /// Adds the tokens of the time since the latest call. An earlier time adds none: callers do not arrive in order, and one interval must
    /// not count twice. If the time is earlier by more than ``disorder``, the clock was set back, and the bucket continues from there.
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
    /// The largest disorder of callers, in microseconds. If the clock was set back by less, no token arrives until the clock has caught up.
    private static let disorder: Int64 = 5_000_000
}
