import Glibc
import Synchronization
public import TidingsCore

/// Business time in this process: the local clock moved to the database's, as last measured.
///
/// Every batch reads the database's clock anyway and corrects the offset, so ids and deadlines follow the database, also when a test shifts
/// its clock by months.
public final class DatabaseClock: Sendable {
    /// Seconds that the two machines' real clocks may differ before a role refuses to start.
    public static let maximumSkewSeconds = 5.0

    private struct State {
        var offset = Duration.zero
        var generator = IdentifierGenerator()
        var random = SystemRandomNumberGenerator()
    }

    private let state = Mutex(State())

    public init() {}

    /// What the database's clock shows about now.
    public func now() -> Timestamp {
        let local = Self.local()
        return state.withLock { local.adding($0.offset) }
    }

    /// Takes over what the database answered just now.
    public func correct(_ database: Timestamp) {
        let local = Self.local()
        state.withLock { $0.offset = database - local }
    }

    /// A new id of the current moment, larger than every earlier one of this process.
    public func nextID() -> NotificationID {
        let local = Self.local()
        return state.withLock { state in
            let random = state.random.next()
            return state.generator.next(at: local.adding(state.offset), random: random)
        }
    }

    /// A number from 0 up to 1, for jitter.
    public func randomFraction() -> Double {
        state.withLock { Double.random(in: 0..<1, using: &$0.random) }
    }

    /// The local machine's clock.
    public static func local() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}
