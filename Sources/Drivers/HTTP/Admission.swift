/// Which requests may be under way: so many in all, so many to one host, the others in the order they came, each until its deadline.
///
/// libcurl has limits like these, but a transfer that waits for them does not time out (seen with 7.88), so one host that hangs would hold
/// its callers far beyond the time they asked for.
struct Admission {
    typealias Instant = ContinuousClock.Instant

    private struct Waiting {
        var id: UInt64
        var host: String
        var deadline: Instant
    }

    private let maximum: Int
    private let maximumPerHost: Int
    private var underWay: [String: Int] = [:]
    private var total = 0
    private var waiting: [Waiting] = []

    init(maximum: Int, maximumPerHost: Int) {
        self.maximum = maximum
        self.maximumPerHost = maximumPerHost
    }

    /// A new request: joins the queue, from which ``next()`` takes it.
    mutating func enter(_ id: UInt64, host: String, deadline: Instant) {
        waiting.append(Waiting(id: id, host: host, deadline: deadline))
    }

    /// The first in the queue that may begin now; it counts as under way until ``leave(host:)``.
    mutating func next() -> UInt64? {
        guard total < maximum, let index = waiting.firstIndex(where: { underWay[$0.host, default: 0] < maximumPerHost }) else { return nil }
        let admitted = waiting.remove(at: index)
        underWay[admitted.host, default: 0] += 1
        total += 1
        return admitted.id
    }

    /// A request that was under way has ended.
    mutating func leave(host: String) {
        total -= 1
        let left = underWay[host, default: 1] - 1
        underWay[host] = left == 0 ? nil : left
    }

    /// Takes a request out of the queue, if it is still there.
    mutating func withdraw(_ id: UInt64) {
        waiting.removeAll { $0.id == id }
    }

    /// Takes out and returns those whose deadline has come.
    mutating func expire(at now: Instant) -> [UInt64] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        let expired = waiting.filter { $0.deadline <= now }.map(\.id)
        waiting.removeAll { $0.deadline <= now }
        return expired
    }

    var earliestDeadline: Instant? { waiting.lazy.map(\.deadline).min() }
}
