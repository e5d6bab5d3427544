/// The permits of requests in progress: a maximum in all, and a maximum for each host. Further requests wait for a permit in the order of
/// their arrival, each until its deadline.
///
/// libcurl has such limits too, but a transfer that waits for them does not time out (seen with 7.88). One host that hangs would then hold
/// its callers far longer than the time-out that they set.
struct HostPermits {
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

    /// Appends a new request to the queue. ``next()`` removes it when it may begin.
    mutating func enter(_ id: UInt64, host: String, deadline: Instant) {
        waiting.append(Waiting(id: id, host: host, deadline: deadline))
    }

    /// Removes and returns the first request in the queue that may begin now. It counts as in progress until ``leave(host:)``.
    mutating func next() -> UInt64? {
        guard total < maximum, let index = waiting.firstIndex(where: { underWay[$0.host, default: 0] < maximumPerHost }) else { return nil }
        let admitted = waiting.remove(at: index)
        underWay[admitted.host, default: 0] += 1
        total += 1
        return admitted.id
    }

    /// Ends one request in progress to this host, which frees its place.
    mutating func leave(host: String) {
        total -= 1
        let left = underWay[host, default: 1] - 1
        underWay[host] = left == 0 ? nil : left
    }

    /// Removes a request from the queue, if it is still there.
    mutating func withdraw(_ id: UInt64) {
        waiting.removeAll { $0.id == id }
    }

    /// Removes and returns the requests whose deadline has passed.
    mutating func expire(at now: Instant) -> [UInt64] {
        guard let earliest = earliestDeadline, earliest <= now else { return [] }
        let expired = waiting.filter { $0.deadline <= now }.map(\.id)
        waiting.removeAll { $0.deadline <= now }
        return expired
    }

    var earliestDeadline: Instant? { waiting.lazy.map(\.deadline).min() }
}
