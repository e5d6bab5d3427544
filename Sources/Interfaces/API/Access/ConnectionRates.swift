import Synchronization
import TidingsCore

/// The rate at which an address opens connections. A connection costs more than a request on it, so a client should keep its connections.
/// With TLS a refused connection still costs its handshake, in which the refusal is told.
///
/// A trusted proxy has no rate, because it carries the connections of many: see ``TrustedProxies/connectionGroup(of:)``.
final class ConnectionRates: Sendable {
    /// An address opens a quarter of its connections in a second, for as long as it likes. All of them may come at once: the clients behind
    /// one address connect again when a process stops.
    static let secondsForAll = 4
    /// Addresses that are remembered. Addresses beyond it share one limit.
    static let remembered = 50_000

    private let now: @Sendable () -> Timestamp
    private let state: Mutex<TokenBuckets<String>>

    /// - Parameter connectionsPerAddress: the connections that an address may have open.
    init(connectionsPerAddress: Int, now: @escaping @Sendable () -> Timestamp) {
        self.now = now
        let limit = TokenBucket.Limit(perSecond: connectionsPerAddress / Self.secondsForAll, burst: connectionsPerAddress)
        state = Mutex(TokenBuckets(limit, remembered: Self.remembered, at: now()))
    }

    /// Counts a connection. Returns whether the group of its address has not opened too many.
    func admit(_ group: String) -> Bool {
        let now = now()
        return state.withLock { buckets in
            guard buckets.wait(for: 1, of: group, at: now) <= .zero else { return false }
            buckets.charge(1, to: group, at: now)
            return true
        }
    }
}
