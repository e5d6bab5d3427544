import Glibc
import Synchronization
public import TidingsCore

/// Business time in this process: what the database's clock showed when it was last asked, and what has gone by since.
///
/// Every batch reads the database's clock anyway, so ids and deadlines follow the database, also when a test shifts its clock by months. What
/// has gone by is told by a clock that nobody sets: a jump of this machine's wall clock plans no retry a day late and lets nothing expire.
public final class DatabaseClock: Sendable {
    /// Seconds that the two machines' real clocks may differ before a role refuses to start.
    public static let maximumSkewSeconds = 5.0

    private struct State {
        /// From ``steady()`` to the database's clock; until it was asked, to this machine's.
        var offset = DatabaseClock.local() - DatabaseClock.steady()
        var generator = IdentifierGenerator()
        var random = SystemRandomNumberGenerator()
    }

    private let state = Mutex(State())

    public init() {}

    /// What the database's clock shows about now.
    public func now() -> Timestamp {
        let steady = Self.steady()
        return state.withLock { steady.adding($0.offset) }
    }

    /// Takes over what the database answered just now.
    public func correct(_ database: Timestamp) {
        let steady = Self.steady()
        state.withLock { $0.offset = database - steady }
    }

    /// A new id of the current moment, larger than every earlier one of this process.
    public func nextID() -> NotificationID {
        let steady = Self.steady()
        return state.withLock { state in
            let random = state.random.next()
            return state.generator.next(at: steady.adding(state.offset), random: random)
        }
    }

    /// A number from 0 up to 1, for jitter.
    public func randomFraction() -> Double {
        state.withLock { Double.random(in: 0..<1, using: &$0.random) }
    }

    /// The wall clock of this machine, which may be set at any moment.
    public static func local() -> Timestamp { read(CLOCK_REALTIME) }

    /// Since this machine was started, also while it was suspended.
    private static func steady() -> Timestamp { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> Timestamp {
        var time = timespec()
        clock_gettime(clock, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
