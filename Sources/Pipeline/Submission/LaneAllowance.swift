import Synchronization
public import TidingsCore
public import TidingsMetrics

/// The work that each tenant may send to the intake queue of a lane. An event beyond it goes to the overflow queue of the lane.
///
/// An intake queue is first in, first out: the events of all tenants wait behind the backlog of one. So each tenant has a rate there, and a
/// large event never goes there. The overflow of all tenants waits in a queue of its own, which a router takes beside the intake queue.
///
/// No event is refused for its size or its number. The allowance depends on nothing but the events of the tenant. A rule by the present
/// load would let a burst pass before the load shows.
public final class LaneAllowance: Sendable {
    /// The weight of the events of one tenant, from one process. With small contents, the rate is a quarter of the notifications that a
    /// router takes on 2 cores, and the burst takes a router about 100 ms. With large contents, the burst is 2 MiB of rows.
    public static let perTenant = TokenBucket.Limit(perSecond: 2_000, burst: 1_000)
    /// The weight of the largest event for several people that goes to an intake queue. With a small content, it takes a router about
    /// 10 ms, as long as the router collects a batch. With a large content, it is 200 KiB of rows.
    public static let largestEvent = 100
    /// The bytes of the content of an event, without the list of its recipients, for which a notification counts once. Nearly every event
    /// has less. At its full rate, a tenant so has 4 MiB of content a second, and a burst fits into a portion of intake.
    public static let contentBytes = 2_048
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

    /// Takes the weight of an event out of the allowance of its tenant.
    ///
    /// - Returns: Whether the event goes to the intake queue of the lane. If not, nothing is taken, and the overflow is counted. A small
    ///   event may then still go to the intake queue.
    func take(_ load: LaneLoad) -> Bool {
        let (now, tenant, lane) = (self.now(), load.account.tenant, load.account.lane)
        let isWithin = lanes.withLock { lanes -> Bool in
            guard !load.isLarge else { return false }
            let wait = lanes[lane]?.wait(for: load.weight, of: tenant, at: now) ?? .zero
            guard wait <= .zero else { return false }
            lanes[lane]?.charge(load.weight, to: tenant, at: now)
            return true
        }
        if !isWithin { metrics.apiOverflow[lane == .urgent ? .urgent : .bulk].add(load.notifications) }
        return isWithin
    }
}
