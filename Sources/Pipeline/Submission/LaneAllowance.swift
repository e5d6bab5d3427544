import Synchronization
public import TidingsCore
public import TidingsMetrics

/// The notifications that each tenant may send to the intake queue of a lane. An event beyond it goes to the overflow queue of the lane.
///
/// An intake queue is first in, first out: the events of all tenants wait behind the backlog of one. So each tenant has a rate there, and a
/// large event never goes there. The overflow of all tenants waits in a queue of its own, which a router takes beside the intake queue.
///
/// No event is refused for its size or its number. The allowance depends on nothing but the events of the tenant. A rule by the present
/// load would let a burst pass before the load shows.
public final class LaneAllowance: Sendable {
    /// The notifications of one tenant, from one process. The rate is a quarter of what a router takes on 2 cores. The burst takes a router
    /// about 100 ms.
    public static let perTenant = TokenBucket.Limit(perSecond: 2_000, burst: 1_000)
    /// The notifications of the largest event that goes to an intake queue. They take a router about 10 ms, as long as it collects a batch.
    public static let largestEvent = 100
    /// Tenants that are remembered. Tenants beyond it share one allowance.
    public static let remembered = 10_000

    private let metrics: Metrics
    private let now: @Sendable () -> Timestamp
    private let lanes: Mutex<[Lane: TokenBuckets<String>]>

    public init(metrics: Metrics, now: @escaping @Sendable () -> Timestamp) {
        self.metrics = metrics
        self.now = now
        let tenants = TokenBuckets<String>(Self.perTenant, remembered: Self.remembered, at: now())
        lanes = Mutex(Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, tenants) }))
    }

    /// Takes the notifications of an event out of the allowance of its tenant.
    ///
    /// - Returns: Whether the event goes to the intake queue of the lane. If not, nothing is taken, and the overflow is counted. A small
    ///   event may then still go to the intake queue.
    func take(_ notifications: Int, of tenant: String, in lane: Lane) -> Bool {
        let now = now()
        let isWithin = lanes.withLock { lanes -> Bool in
            guard notifications <= Self.largestEvent else { return false }
            let wait = lanes[lane]?.wait(for: notifications, of: tenant, at: now) ?? .zero
            guard wait <= .zero else { return false }
            lanes[lane]?.charge(notifications, to: tenant, at: now)
            return true
        }
        if !isWithin { metrics.apiOverflow[lane == .urgent ? .urgent : .bulk].add(notifications) }
        return isWithin
    }
}
