import TidingsCore
import TidingsProvider

/// The state of each receiver of one kind, hosts or endpoints: calls under way, breaker, slow start.
///
/// At most `limit` receivers without calls under way are remembered, even if all of them fail, because recipients choose the addresses of
/// webhooks. Each call takes constant time on average.
struct RememberedReceivers<Name: Hashable> {
    struct Receiver {
        var inside = 0
        /// The number of calls under way to endpoints of this host that have failed. Zero for an endpoint.
        var suspects = 0
        var breaker: Breaker
        var slowStart: SlowStart
        /// The pause that the receiver asked for. A host has none.
        fileprivate(set) var throttle = Throttle()
        /// The number of failures since the last good answer.
        var failures = 0
        var openSince: Timestamp?
        /// The queues of the refused sends, and of those that are tried before the pause ends.
        var lines = ComeBackLines()
        var probes = ComeBackLines()
        /// The number of the receiver's latest rest. See ``Rests``.
        var rest: UInt64 = 0

        /// Whether nothing would be lost if the receiver were forgotten.
        fileprivate var isOrdinary: Bool { breaker.isSound && slowStart.limit == nil && throttle.isNone }
    }

    private let limit: Int
    private let keepsOrdinary: Bool
    private let policy: Breaker.Policy
    private var newReceiver: Receiver
    private var receivers: [Name: Receiver] = [:]
    private var closed = Rests<Name>()
    private var open = Rests<Name>()
    private var lastRest: UInt64 = 0
    private var unknown = ComeBackLines()
    /// Receivers whose breaker is open or half-open.
    private var failing = 0

    /// - Parameters:
    ///   - keepsOrdinary: whether a receiver that works is remembered while no call to it is under way.
    ///   - usual: the number of calls at once to one healthy receiver.
    init(limit: Int, keepsOrdinary: Bool, policy: Breaker.Policy, usual: Int) {
        self.limit = limit
        self.keepsOrdinary = keepsOrdinary
        self.policy = policy
        newReceiver = Receiver(breaker: Breaker(policy: policy), slowStart: SlowStart(usual: usual))
    }

    /// Changes the number of calls for receivers that are met from now on.
    mutating func change(usual: Int) {
        newReceiver = Receiver(breaker: Breaker(policy: policy), slowStart: SlowStart(usual: usual))
    }

    var count: Int { receivers.count }

    subscript(name: Name) -> Receiver? { receivers[name] }

    /// Returns the time at which a send that this receiver's breaker refused is requeued. Unknown receivers share one queue.
    ///
    /// The turn of the send is added behind the queue: a send that should leave the trial to others does not hold them up.
    mutating func place(
        of name: Name, for part: Breaker.Part? = nil, _ prospect: Breaker.Prospect = .unknown, isUrgent: Bool, behind earliest: Timestamp,
        now: Timestamp
    ) -> Timestamp {
        guard receivers[name] != nil else { return unknown[isUrgent: isUrgent].place(at: earliest, now: now) }
        return receivers[name, default: newReceiver].place(for: part, prospect, isUrgent: isUrgent, behind: earliest, now: now)
    }

    /// Begins a call.
    mutating func occupy(
        _ name: Name, for part: Breaker.Part? = nil, _ prospect: Breaker.Prospect = .unknown, isSuspect: Bool = false, at now: Timestamp
    ) {
        receivers[name, default: newReceiver].occupy(for: part, prospect, isSuspect: isSuspect, at: now)
    }

    /// Counts calls under way to endpoints of a host that have begun to fail, or to work again.
    mutating func addSuspects(_ count: Int, at name: Name) {
        if count != 0 { receivers[name]?.suspects += count }
    }

    /// Ends a call. Returns the change of the receiver's breaker, if there was one.
    mutating func leave(
        _ name: Name, _ evidence: Outcome.Evidence, of part: Breaker.Part?, isNews: Bool = true, requestedPause: Duration? = nil,
        at now: Timestamp
    ) -> BreakerChange.Kind? {
        guard var receiver = receivers[name] else { return nil }
        receiver.inside -= 1
        let change = receiver.record(evidence, of: part, isNews: isNews, at: now)
        if let requestedPause { receiver.throttle.pause(atLeast: requestedPause, at: now) }
        if receiver.throttle.end(at: now) != nil {
            // A good answer during the pause is one to an earlier call. It does not hasten the slow start after the pause.
            receiver.slowStart.begin()
        } else if evidence == .healthy {
            receiver.throttle.worked()
        }
        switch change {
        case .opened: failing += 1
        case .closed: failing -= 1
        case nil: break
        }
        guard receiver.inside == 0 else {
            receivers[name] = receiver
            return change
        }
        if !keepsOrdinary, receiver.isOrdinary {
            receivers[name] = nil
            return change
        }
        lastRest += 1
        receiver.rest = lastRest
        receivers[name] = receiver
        if receiver.breaker.isOpen { open.append(name, lastRest) } else { closed.append(name, lastRest) }
        forget()
        return change
    }

    /// Forgets receivers until the limit is met: first the healthy one that was called longest ago. While failing receivers take more than
    /// half of the room, it forgets a failing one instead: the one whose last call ended longest ago. A new receiver needs room to count
    /// its first failures.
    private mutating func forget() {
        while receivers.count > limit {
            if failing > limit / 2, let name = open.popFirst(of: receivers, isOpen: true) {
                forget(failing: name)
            } else if let name = closed.popFirst(of: receivers, isOpen: false) {
                receivers[name] = nil
            } else if let name = open.popFirst(of: receivers, isOpen: true) {
                forget(failing: name)
            } else {
                break
            }
        }
        closed.compact(receivers, isOpen: false)
        open.compact(receivers, isOpen: true)
    }

    private mutating func forget(failing name: Name) {
        receivers[name] = nil
        failing -= 1
    }
}

extension RememberedReceivers.Receiver {
    fileprivate mutating func occupy(for part: Breaker.Part?, _ prospect: Breaker.Prospect, isSuspect: Bool, at now: Timestamp) {
        inside += 1
        if isSuspect { suspects += 1 }
        breaker.begin(of: part, prospect, at: now)
    }

    fileprivate mutating func place(
        for part: Breaker.Part?, _ prospect: Breaker.Prospect, isUrgent: Bool, behind earliest: Timestamp, now: Timestamp
    ) -> Timestamp {
        var earliest = earliest
        if prospect == .good, let end = breaker.pauseEnd {
            let interval = breaker.policy.probeInterval
            if let place = probes[isUrgent: isUrgent].place(at: earliest, every: interval, before: end, now: now) { return place }
            earliest = max(earliest, end)
        }
        return max(lines[isUrgent: isUrgent].place(at: earliest, now: now), earliest.adding(breaker.turn(of: part, prospect)))
    }

    fileprivate mutating func record(
        _ evidence: Outcome.Evidence, of part: Breaker.Part?, isNews: Bool, at now: Timestamp
    ) -> BreakerChange.Kind? {
        let wasOpen = breaker.isOpen
        breaker.record(evidence, of: part, isNews: isNews, at: now)
        if evidence == .failing || evidence == .unreachable { failures += 1 }
        defer { if evidence == .healthy { failures = 0 } }
        switch (wasOpen, breaker.isOpen) {
        case (true, false):
            slowStart.begin()
            // The places were given for the pause. Sends that find no room from now on must not queue behind them.
            (lines, probes) = (ComeBackLines(), ComeBackLines())
            defer { openSince = nil }
            return .closed(failures: failures, after: openSince.map { now - $0 } ?? .zero)
        case (false, true):
            slowStart.record(evidence)
            openSince = now
            return .opened(failures: failures, pause: breaker.policy.coolDown)
        default:
            slowStart.record(evidence)
            return nil
        }
    }
}

/// The ends of calls after which a receiver had no call under way, oldest first, for healthy or for failing receivers. Only a receiver's
/// latest entry counts. Older entries are skipped.
private struct Rests<Name: Hashable> {
    typealias Receivers = [Name: RememberedReceivers<Name>.Receiver]

    /// The number of entries below which removing skipped entries is not worth a pass.
    private static var smallest: Int { 64 }

    private struct Rest {
        let name: Name
        let number: UInt64

        func counts(_ receivers: Receivers, isOpen: Bool) -> Bool {
            guard let known = receivers[name] else { return false }
            return known.rest == number && known.inside == 0 && known.breaker.isOpen == isOpen
        }
    }

    private var rests: [Rest] = []
    private var front = 0

    mutating func append(_ name: Name, _ number: UInt64) { rests.append(Rest(name: name, number: number)) }

    /// Removes entries up to the first that counts, and returns its receiver.
    mutating func popFirst(of receivers: Receivers, isOpen: Bool) -> Name? {
        while front < rests.count {
            let rest = rests[front]
            front += 1
            if rest.counts(receivers, isOpen: isOpen) { return rest.name }
        }
        return nil
    }

    /// Removes the entries that no longer count once they are the majority. There is at most one pass for as many calls as it has entries.
    mutating func compact(_ receivers: Receivers, isOpen: Bool) {
        guard rests.count > max(2 * receivers.count, Self.smallest) else { return }
        rests = rests[front...].filter { $0.counts(receivers, isOpen: isOpen) }
        front = 0
    }
}
