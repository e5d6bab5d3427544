import Glibc
import Synchronization
public import TidingsCore

/// Business time in this process: the last reading of the database's clock, plus the time that has passed since.
///
/// Every batch reads the database's clock anyway, so ids and deadlines follow the database. This holds even when a test shifts the
/// database's clock by months. The time since the reading comes from a clock that nobody sets. A jump of this machine's wall clock
/// therefore neither delays a retry by a day nor expires a delivery.
public final class DatabaseClock: Sendable {
    /// Seconds that the two machines' real clocks may differ before a role refuses to start.
    public static let maximumSkewSeconds = 5.0

    private struct State {
        /// The difference from ``steady()`` to the database's clock. Before the first reading: to this machine's wall clock.
        var offset = DatabaseClock.local() - DatabaseClock.steady()
        var generator = IdentifierGenerator()
        var random = SystemRandomNumberGenerator()
    }

    private let state = Mutex(State())

    public init() {}

    /// The approximate time of the database's clock.
    public func now() -> Timestamp {
        let steady = Self.steady()
        return state.withLock { steady.adding($0.offset) }
    }

    /// Sets the clock to a reading that the database has just answered.
    public func correct(_ database: Timestamp) {
        let steady = Self.steady()
        state.withLock { $0.offset = database - steady }
    }

    /// Returns a new id of the current moment. The id is larger than every earlier id of this process.
    public func nextID() -> NotificationID {
        let steady = Self.steady()
        return state.withLock { state in
            let random = state.random.next()
            return state.generator.next(at: steady.adding(state.offset), random: random)
        }
    }

    /// A random number from 0 up to, but not including, 1, for jitter.
    public func randomFraction() -> Double {
        state.withLock { Double.random(in: 0..<1, using: &$0.random) }
    }

    /// Returns by how many seconds the database's real clock is ahead of this machine's at the least. A reading between the question and its
    /// answer is no difference: the answer may have been on its way for long. Below zero if the database's clock is behind.
    public static func skew(of reading: Timestamp, asked: Timestamp, answered: Timestamp) -> Double {
        if reading < asked { return Double(reading.microseconds - asked.microseconds) / 1_000_000 }
        return Double(max(0, reading.microseconds - answered.microseconds)) / 1_000_000
    }

    /// The wall clock of this machine. An administrator may set this clock at any moment.
    public static func local() -> Timestamp { read(CLOCK_REALTIME) }

    /// The time since this machine was started. Time in suspension counts too.
    private static func steady() -> Timestamp { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Timestamp {
        var time = timespec()
        clock_gettime(clock, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
