import TidingsCore
import TidingsProvider

/// Who is inside, who waits in line, and what is known of each host.
package struct SendRoom {
    /// Hosts that are remembered without calls under way, an estimated 200 bytes each. Beyond that the healthy one that was called longest ago is
    /// forgotten, and while more than half are failing the one that failed longest ago.
    package static let rememberedHosts = 10_000

    typealias Waiter = CheckedContinuation<Bool, Never>

    enum Answer {
        case granted
        case refused(after: Duration, SendGate.Refusal)
        case full
    }

    private var limits: ProviderLimits
    /// Processes that call the provider, this one among them: each has an equal share of what it takes.
    private var workers = 1
    /// Sends to one host at once, of all workers together.
    private var hostConcurrency: Int
    private var bucket: TokenBucket?
    private var rateLines = ComeBackLines()
    /// The number of buckets so far: a place belongs to the one that it was taken of.
    private var buckets = 0
    private var inside = 0
    private var hosts: RememberedHosts
    private var line = WaitingLine<Waiter>()

    init(_ limits: ProviderLimits, now: Timestamp) {
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        hosts = RememberedHosts(limit: Self.rememberedHosts, usual: hostConcurrency)
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
        if limits.requestsPerSecond != self.limits.requestsPerSecond {
            bucket = Self.bucket(limits, now: now)
            buckets += 1
        }
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        hosts.change(usual: hostConcurrency)
        return divide(among: workers, now: now)
    }

    /// - Parameters:
    ///   - hasPlace: the call has its place in the line of the rate already.
    ///   - isUrgent: the line in which it comes back if it is turned away.
    mutating func ask(_ host: String, hasPlace: Bool, isUrgent: Bool, now: Timestamp) -> Answer {
        if case .refused(let until) = hosts.admit(host, at: now) {
            return .refused(after: hosts.place(of: host, isUrgent: isUrgent, behind: until, now: now) - now, .breakerOpen)
        }
        if !hasPlace, let wait = bucket?.take(workers, at: now), wait > .zero {
            let interval = bucket?.interval(of: workers) ?? .zero
            return .refused(after: rateLines[isUrgent: isUrgent].place(at: now.adding(wait), every: interval, now: now) - now, .rateLimited)
        }
        guard isFree(host) else { return .full }
        occupy(host)
        return .granted
    }

    /// How long until a send to this host that found no room comes back: one after the other.
    mutating func comeBack(to host: String, isUrgent: Bool, now: Timestamp) -> Duration {
        hosts.place(of: host, isUrgent: isUrgent, behind: now, now: now) - now
    }

    // MARK: Before the claim

    /// How long packs for this host had better stay with the broker: while its breaker is open and enough have been turned away already. Those show
    /// operators what goes on, and are back as soon as it is well.
    func closedTime(of host: String, isUrgent: Bool, now: Timestamp) -> Duration {
        guard let known = hosts[host], let end = known.breaker.closedUntil, known.lines[isUrgent: isUrgent].isLong(after: end) else {
            return .zero
        }
        return max(.zero, end - now)
    }

    /// Places in the line of a rate.
    struct Places {
        let count: Int
        let first: Duration
        let interval: Duration
        let tokensOfEach: Int
        let bucket: Int
    }

    enum Reservation {
        /// The provider has no rate.
        case unlimited
        case places(Places)
        /// The line is too long: ask again after this.
        case later(Duration)
    }

    /// Takes places in the line of the rate for so many calls, unless who comes next would wait longer than `longest` for the first. No more than come
    /// within `time`, and one.
    mutating func reserve(_ calls: Int, ifWithin longest: Duration, lasting time: Duration, now: Timestamp) -> Reservation {
        // At the provider's whole rate each call of one among many costs as much as one of each of them.
        let each = workers
        guard let wait = bucket?.wait(for: each, at: now), let interval = bucket?.interval(of: each) else { return .unlimited }
        guard wait <= longest else { return .later(wait - longest) }
        let count = min(calls, max(1, Int(time / max(interval, .microseconds(1)))))
        guard let first = bucket?.reserve(count * each, by: each, at: now) else { return .unlimited }
        return .places(Places(count: count, first: first, interval: interval, tokensOfEach: each, bucket: buckets))
    }

    /// Returns places that nobody will use and whose time is still to come.
    mutating func giveBack(_ count: Int, of places: Places) {
        if places.bucket == buckets { bucket?.giveBack(count * places.tokensOfEach) }
    }

    /// Returns who may go in instead, which is more than one when a host that came back is given more room, and how the host's breaker
    /// changed.
    mutating func leave(
        _ host: String, evidence: Outcome.Evidence, now: Timestamp
    ) -> (admitted: [Waiter], change: BreakerChange.Kind?) {
        inside -= 1
        let change = hosts.leave(host, evidence, at: now)
        return (admitAll(), change)
    }

    var knownHosts: Int { hosts.count }

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
        hosts.occupy(host)
    }
}
