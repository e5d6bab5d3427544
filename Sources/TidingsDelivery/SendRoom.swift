import TidingsCore
import TidingsProvider

/// Who is inside, who waits in line, and what is known of each host.
package struct SendRoom {
    /// Hosts whose breakers are remembered; beyond that the healthy ones are forgotten.
    package static let rememberedHosts = 10_000

    typealias Waiter = CheckedContinuation<Bool, Never>

    enum Answer {
        case granted
        case refused(after: Duration, ReasonCode)
        case full
    }

    private struct Host {
        var inside = 0
        var breaker = Breaker()
        var slowStart: SlowStart

        mutating func leave(_ evidence: Outcome.Evidence, at now: Timestamp) {
            inside -= 1
            let wasOpen = breaker.isOpen
            breaker.record(evidence, at: now)
            if wasOpen, !breaker.isOpen { slowStart.begin() } else { slowStart.record(evidence) }
        }
    }

    private var limits: ProviderLimits
    /// Processes that call the provider, this one among them: each has an equal share of what it takes.
    private var workers = 1
    /// Sends to one host at once, of all workers together.
    private var hostConcurrency: Int
    /// One of which nothing is known.
    private var newHost: Host
    private var bucket: TokenBucket?
    private var inside = 0
    private var hosts: [String: Host] = [:]
    private var line = WaitingLine<Waiter>()

    init(_ limits: ProviderLimits, now: Timestamp) {
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        newHost = Host(slowStart: SlowStart(usual: hostConcurrency))
        bucket = Self.bucket(limits, now: now)
    }

    private static func bucket(_ limits: ProviderLimits, now: Timestamp) -> TokenBucket? {
        limits.requestsPerSecond.map { rate in
            TokenBucket(.init(perSecond: max(1, Int(rate)), burst: max(1, Int(rate))), at: now)
        }
    }

    /// Returns who may go in because there is more room.
    mutating func change(to limits: ProviderLimits, now: Timestamp) -> [Waiter] {
        guard limits != self.limits else { return [] }
        if limits.requestsPerSecond != self.limits.requestsPerSecond { bucket = Self.bucket(limits, now: now) }
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        newHost = Host(slowStart: SlowStart(usual: hostConcurrency))
        return divide(among: workers, now: now)
    }

    mutating func ask(_ host: String, now: Timestamp) -> Answer {
        if case .refused(let until) = hosts[host, default: newHost].breaker.admit(at: now) {
            return .refused(after: max(until - now, SendGate.comeBack), .breakerOpen)
        }
        // At the provider's whole rate each call of one among many costs as much as one of each of them.
        if let wait = bucket?.take(workers, at: now), wait > .zero { return .refused(after: max(wait, SendGate.comeBack), .rateLimited) }
        guard isFree(host) else { return .full }
        occupy(host)
        return .granted
    }

    /// Returns who may go in instead, which is more than one when a host that came back is given more room.
    mutating func leave(_ host: String, evidence: Outcome.Evidence, now: Timestamp) -> [Waiter] {
        inside -= 1
        hosts[host]?.leave(evidence, at: now)
        defer {
            if hosts.count > Self.rememberedHosts {
                hosts = hosts.filter { $0.value.inside > 0 || $0.value.breaker.isOpen || $0.value.slowStart.limit != nil }
            }
        }
        return admitAll()
    }

    /// Makes this one of so many workers. Returns who may go in because there are fewer of them.
    mutating func divide(among workers: Int, now: Timestamp) -> [Waiter] {
        self.workers = max(1, workers)
        // A call must fit in the bucket.
        if let rate = bucket?.limit.perSecond { bucket?.allow(burst: max(rate, self.workers), at: now) }
        return admitAll()
    }

    /// At least one call; an equal part of more.
    private func share(of all: Int) -> Int { max(1, all / workers) }

    // MARK: The line

    /// The ticket of who now waits in line; nil when a place was taken at once.
    mutating func occupyOrWait(_ host: String, _ waiter: Waiter) -> UInt64? {
        guard !isFree(host) else {
            occupy(host)
            return nil
        }
        return line.join(host, waiter)
    }

    /// Returns who is to be told that its time is over.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? {
        line.giveUp(ticket)
    }

    private mutating func admitAll() -> [Waiter] {
        // Out of here meanwhile, for it asks the rest.
        var line = WaitingLine<Waiter>()
        swap(&line, &self.line)
        defer { swap(&line, &self.line) }
        var admitted: [Waiter] = []
        while inside < share(of: limits.maximumConcurrency), let next = line.next(where: isFree) {
            occupy(next.host)
            admitted.append(next.waiter)
        }
        return admitted
    }

    private func isFree(_ host: String) -> Bool {
        guard inside < share(of: limits.maximumConcurrency) else { return false }
        guard let known = hosts[host] else { return true }
        return known.inside < min(share(of: hostConcurrency), known.slowStart.limit ?? .max)
    }

    private mutating func occupy(_ host: String) {
        inside += 1
        hosts[host, default: newHost].inside += 1
    }
}
