import TidingsCore
import TidingsProvider

/// The state behind a gate: the calls under way, the queue of waiting sends, and the receivers.
///
/// The rate, the concurrency and the breakers of hosts and endpoints bound the calls to a provider. A worker asks twice:
///
/// - before the claim (`Delivery/Claim.swift`), for packs: ``closedTime(of:isUrgent:now:)`` and ``reserve(_:ifWithin:lasting:now:)``. A
///   pack without a place stays with the broker, which costs no row.
/// - before the call (`Delivery/Admit.swift`), for one call: ``ask(_:hasPlace:isUrgent:now:)``. A call that finds no room waits in `line`
///   for ``SendGate/patience``. A refused call goes back to `due`, each at its own time (``ComeBackLine``).
package struct SendRoom {
    /// The number of hosts remembered without calls under way, about 400 bytes each. Beyond it, the healthy host that was called longest
    /// ago is forgotten. While more than half are failing, the host that failed longest ago is forgotten.
    package static let rememberedHosts = 10_000
    /// The same for endpoints that have failed. An endpoint that works is not remembered.
    package static let rememberedEndpoints = 10_000
    /// One call in this many to a host is kept free for endpoints without a call under way, and one in this many to the provider for hosts
    /// without one. A fourth is enough for them to go on, and costs a host with one endpoint little.
    package static let reservedPart = 4
    /// The age after which a call counts as hanging. Most receivers answer sooner, and a delivery that waits so long is still on time.
    package static let hangingAfter = Duration.seconds(2)

    typealias Waiter = CheckedContinuation<Bool, Never>

    enum Answer {
        case granted
        case refused(after: Duration, SendGate.Refusal)
        case full
    }

    private var limits: ProviderLimits
    /// The number of processes that call the provider, this one included. Each has an equal part of the provider's limits.
    private var workers = 1
    /// The number of sends to one host at once, of all workers together.
    private var hostConcurrency: Int
    private var bucket: TokenBucket?
    private var rateLines = ComeBackLines()
    /// The number of buckets so far. A place belongs to the bucket it was taken from.
    private var buckets = 0
    private var inside = 0
    private var receivers: Receivers
    private var line = WaitingLine<Waiter>()

    init(_ limits: ProviderLimits, now: Timestamp) {
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        receivers = Receivers(usual: hostConcurrency)
        bucket = Self.bucket(limits, now: now)
    }

    private static func bucket(_ limits: ProviderLimits, now: Timestamp) -> TokenBucket? {
        limits.requestsPerSecond.map { rate in
            TokenBucket(.init(perSecond: max(1, Int(rate)), burst: max(1, Int(rate))), at: now)
        }
    }

    /// Changes the limits. Returns the waiters that may begin because there is more room.
    mutating func change(to limits: ProviderLimits, now: Timestamp) -> [Waiter] {
        guard limits != self.limits else { return [] }
        if limits.requestsPerSecond != self.limits.requestsPerSecond {
            bucket = Self.bucket(limits, now: now)
            buckets += 1
        }
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        receivers.change(usual: hostConcurrency)
        return divide(among: workers, now: now)
    }

    /// - Parameters:
    ///   - hasPlace: whether the call has its place in the queue for the rate already.
    ///   - isUrgent: selects the queue of requeue places if the call is refused.
    mutating func ask(_ call: GateCall, hasPlace: Bool, isUrgent: Bool, now: Timestamp) -> Answer {
        if let time = receivers.refusal(of: call, isUrgent: isUrgent, now: now) { return .refused(after: time - now, .breakerOpen) }
        if let time = receivers.endOfPause(of: call, isUrgent: isUrgent, now: now) { return .refused(after: time - now, .rateLimited) }
        if !hasPlace, let wait = bucket?.take(workers, at: now), wait > .zero {
            let interval = bucket?.interval(of: workers) ?? .zero
            return .refused(after: rateLines[isUrgent: isUrgent].place(at: now.adding(wait), every: interval, now: now) - now, .rateLimited)
        }
        guard hasRoom(call, at: now) else {
            // A trial call does not wait for room: the breaker may close or open meanwhile.
            return receivers.isTrial(call) ? .refused(after: comeBack(call, isUrgent: isUrgent, now: now), .rateLimited) : .full
        }
        occupy(call, at: now)
        return .granted
    }

    /// Returns the time until a send that found no room is requeued. Such sends are requeued one after another.
    mutating func comeBack(_ call: GateCall, isUrgent: Bool, now: Timestamp) -> Duration {
        receivers.place(of: call, isUrgent: isUrgent, now: now) - now
    }

    // MARK: Before the claim

    /// The time for which packs for this host should stay with the broker. It is zero unless the host's breaker is open and the queue of
    /// refused sends is long. The refused sends show operators the failure, and return as soon as the host works again.
    func closedTime(of host: String, isUrgent: Bool, now: Timestamp) -> Duration {
        guard let known = receivers.host(host), !known.breaker.isOnTrial, let end = known.breaker.pauseEnd,
            known.lines[isUrgent: isUrgent].isLong(after: end)
        else { return .zero }
        return max(.zero, end - now)
    }

    /// Places in the queue for a rate.
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
        /// The queue is too long. The caller asks again after this time.
        case later(Duration)
    }

    /// Reserves places in the queue for the rate, for this number of calls. Reserves none if the wait for the first place is longer than
    /// `longest`. The places come within `time`, except that at least one is reserved.
    mutating func reserve(_ calls: Int, ifWithin longest: Duration, lasting time: Duration, now: Timestamp) -> Reservation {
        // The bucket fills at the provider's whole rate, so a call of this process costs one token for each process.
        let each = workers
        guard let wait = bucket?.wait(for: each, at: now), let interval = bucket?.interval(of: each) else { return .unlimited }
        guard wait <= longest else { return .later(wait - longest) }
        let count = min(calls, max(1, Int(time / max(interval, .microseconds(1)))))
        guard let first = bucket?.reserve(count * each, by: each, at: now) else { return .unlimited }
        return .places(Places(count: count, first: first, interval: interval, tokensOfEach: each, bucket: buckets))
    }

    /// Returns places that no call will use and whose time is still to come.
    mutating func giveBack(_ count: Int, of places: Places) {
        if places.bucket == buckets { bucket?.giveBack(count * places.tokensOfEach) }
    }

    /// Ends a call. Returns the waiters that may begin instead, and the changes of the breakers. There are several waiters if a host that
    /// works again gets more room.
    mutating func leave(
        _ call: GateCall, evidence: Outcome.Evidence, requestedPause: Duration?, now: Timestamp
    ) -> (admitted: [Waiter], host: BreakerChange.Kind?, endpoint: BreakerChange.Kind?) {
        inside -= 1
        let changes = receivers.leave(call, evidence, requestedPause: requestedPause, at: now)
        return (admitAll(at: now), changes.host, changes.endpoint)
    }

    var knownHosts: Int { receivers.knownHosts }
    var knownEndpoints: Int { receivers.knownEndpoints }

    /// Divides the limits among this number of workers. Returns the waiters that may begin because there are fewer workers.
    mutating func divide(among workers: Int, now: Timestamp) -> [Waiter] {
        self.workers = max(1, workers)
        // One call must fit into the bucket.
        if let rate = bucket?.limit.perSecond { bucket?.allow(burst: max(rate, self.workers), at: now) }
        return admitAll(at: now)
    }

    /// An equal part of a limit, at least one call.
    private func share(of all: Int) -> Int { max(1, all / workers) }

    /// The reserve of a share, see ``reservedPart``. It is at least one call.
    static func reserve(of share: Int) -> Int { max(1, share / reservedPart) }

    /// The rest of a share, which is at least one call too.
    static func unreserved(of share: Int) -> Int { max(1, share - reserve(of: share)) }

    // MARK: The queue

    /// Returns the ticket of the send that now waits in the queue. Nil if a place was taken at once.
    mutating func occupyOrWait(_ call: GateCall, _ waiter: Waiter, now: Timestamp) -> UInt64? {
        guard !hasRoom(call, at: now) || receivers.isTrial(call) else {
            occupy(call, at: now)
            return nil
        }
        return line.join(call, waiter)
    }

    /// Returns the waiter whose time has ended.
    mutating func giveUp(_ ticket: UInt64) -> Waiter? {
        line.giveUp(ticket)
    }

    private mutating func admitAll(at now: Timestamp) -> [Waiter] {
        // Takes the queue out, because `roomForWaiter` reads the rest of this value.
        var line = WaitingLine<Waiter>()
        swap(&line, &self.line)
        defer { swap(&line, &self.line) }
        var admitted: [Waiter] = []
        while inside < providerShare, let next = line.next(where: { roomForWaiter($0, at: now) }) {
            occupy(next.call, at: now)
            admitted.append(next.waiter)
        }
        return admitted
    }

    private var hostShare: Receivers.Share { Receivers.Share(calls: share(of: hostConcurrency), spare: limits.spareCallsPerHost) }

    private var providerShare: Int { share(of: limits.maximumConcurrency) }

    private func hasRoom(_ call: GateCall, at now: Timestamp) -> Bool {
        hasPlace(for: call) && receivers.room(for: call, hostShare, at: now) == .free
    }

    private func roomForWaiter(_ call: GateCall, at now: Timestamp) -> Receivers.Room {
        guard hasPlace(for: call) else { return receivers.isFirst(call) ? .endpointFull : .hostFull }
        return receivers.room(forWaiting: call, hostShare, at: now)
    }

    /// Whether the provider has a place for the call. The reserve is for hosts without a call under way, and for endpoints that have not
    /// failed. So hosts that hang cannot take all places. A provider whose host may take all places has no reserve.
    private func hasPlace(for call: GateCall) -> Bool {
        let hasReserve = hostConcurrency < limits.maximumConcurrency
        let mayUseAll = !hasReserve || receivers.isFirst(call) && receivers.isSound(call)
        return inside < (mayUseAll ? providerShare : Self.unreserved(of: providerShare))
    }

    private mutating func occupy(_ call: GateCall, at now: Timestamp) {
        inside += 1
        receivers.occupy(call, at: now)
    }
}
