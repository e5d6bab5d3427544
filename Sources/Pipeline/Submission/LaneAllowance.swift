import Synchronization
import TidingsAMQP
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

    /// Chooses the queue of each event of a request. Takes the weight of the events for an intake queue out of the allowance of their tenant.
    ///
    /// All events of one tenant and lane go one way together, except large ones. So a batch does not alternate between two queues, and its
    /// events keep their order. A batch that does not fit goes to the overflow queue as a whole, and takes nothing. A later request may
    /// still go to the intake queue.
    ///
    /// - Returns: for each event, whether it goes to the intake queue of its lane. The overflow is counted.
    func choose(_ loads: [LaneLoad]) -> [Bool] {
        var weights: [LaneLoad.Account: Int] = [:]
        for load in loads where !load.isLarge { weights[load.account, default: 0] += load.weight }
        let within = charge(weights)
        return loads.map { load in
            let isWithin = !load.isLarge && within.contains(load.account)
            if !isWithin { metrics.apiOverflow[load.account.lane == .urgent ? .urgent : .bulk].add(load.notifications) }
            return isWithin
        }
    }

    /// Puts back the weight of the events that the broker did not confirm. The caller sends them again, and they are charged then.
    ///
    /// A confirmed event keeps its weight, also if another event of its request was not confirmed: both it and its repetition stand in the
    /// queue. An event whose outcome is unknown may stand there as well. The time until a request fails bounds the number of these.
    ///
    /// - Parameters:
    ///   - isWithin: the result of ``choose(_:)`` for the events.
    ///   - results: the answers of the broker, in the order of the events. An event without an answer was not confirmed.
    func giveBack(_ loads: [LaneLoad], chosen isWithin: [Bool], after results: [PublishResult]) {
        let isConfirmed = results.map { $0 == .confirmed } + loads.dropFirst(results.count).map { _ in false }
        let lost = loads.indices.filter { isWithin[$0] && !isConfirmed[$0] }.map { loads[$0] }
        guard !lost.isEmpty else { return }
        let now = self.now()
        lanes.withLock { lanes in
            for load in lost { lanes[load.account.lane]?.giveBack(load.weight, to: load.account.tenant, at: now) }
        }
    }

    /// Charges each weight that its account has, and returns the accounts that it charged. A bucket never has more than its burst.
    private func charge(_ weights: [LaneLoad.Account: Int]) -> Set<LaneLoad.Account> {
        let now = self.now()
        return lanes.withLock { lanes -> Set<LaneLoad.Account> in
            var charged: Set<LaneLoad.Account> = []
            for (account, weight) in weights where weight <= Self.perTenant.burst {
                let wait = lanes[account.lane]?.wait(for: weight, of: account.tenant, at: now) ?? .zero
                guard wait <= .zero else { continue }
                lanes[account.lane]?.charge(weight, to: account.tenant, at: now)
                charged.insert(account)
            }
            return charged
        }
    }
}
