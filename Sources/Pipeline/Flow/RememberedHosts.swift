import TidingsCore
import TidingsProvider

/// The state of each host: calls under way, breaker, slow start.
///
/// At most `limit` hosts without calls under way are remembered, even if all of them fail, because recipients choose the hosts of webhooks.
/// Each call takes constant time on average.
struct RememberedHosts {
    struct Host {
        var inside = 0
        var breaker = Breaker()
        var slowStart: SlowStart
        /// The number of failures since the last good answer.
        var failures = 0
        var openSince: Timestamp?
        /// The queues of the refused sends.
        var lines = ComeBackLines()
        /// The number of the host's latest rest. See ``Rests``.
        var rest: UInt64 = 0
    }

    private let limit: Int
    private var newHost: Host
    private var hosts: [String: Host] = [:]
    private var closed = Rests()
    private var open = Rests()
    private var lastRest: UInt64 = 0
    private var unknown = ComeBackLines()
    /// Hosts whose breaker is open or half-open.
    private var failing = 0

    /// - Parameter usual: the number of calls at once to one healthy host.
    init(limit: Int, usual: Int) {
        self.limit = limit
        newHost = Host(slowStart: SlowStart(usual: usual))
    }

    /// Changes the number of calls for hosts that are met from now on.
    mutating func change(usual: Int) { newHost = Host(slowStart: SlowStart(usual: usual)) }

    var count: Int { hosts.count }

    subscript(host: String) -> Host? { hosts[host] }

    /// Asks the breaker of the host. An unknown host stays unknown.
    func admission(of host: String, at now: Timestamp) -> Breaker.Admission { hosts[host]?.breaker.admission(at: now) ?? .allowed }

    /// Returns the time at which a refused send to this host is requeued. Unknown hosts share one queue.
    mutating func place(of host: String, isUrgent: Bool, behind earliest: Timestamp, now: Timestamp) -> Timestamp {
        guard hosts[host] != nil else { return unknown[isUrgent: isUrgent].place(at: earliest, now: now) }
        return hosts[host, default: newHost].lines[isUrgent: isUrgent].place(at: earliest, now: now)
    }

    mutating func occupy(_ host: String, at now: Timestamp) {
        hosts[host, default: newHost].inside += 1
        hosts[host]?.breaker.begin(at: now)
    }

    /// Ends a call. Returns the change of the host's breaker, if there was one.
    mutating func leave(_ name: String, _ evidence: Outcome.Evidence, at now: Timestamp) -> BreakerChange.Kind? {
        guard var host = hosts[name] else { return nil }
        host.inside -= 1
        let change = host.record(evidence, at: now)
        switch change {
        case .opened: failing += 1
        case .closed: failing -= 1
        case nil: break
        }
        if host.inside == 0 {
            lastRest += 1
            host.rest = lastRest
        }
        hosts[name] = host
        guard host.inside == 0 else { return change }
        if host.breaker.isOpen { open.append(name, lastRest) } else { closed.append(name, lastRest) }
        forget()
        return change
    }

    /// Forgets hosts until the limit is met: first the healthy host that was called longest ago. While failing hosts take more than half of
    /// the room, it forgets a failing host instead: the one whose last call ended longest ago. A new host needs room to count its first
    /// failures.
    private mutating func forget() {
        while hosts.count > limit {
            if failing > limit / 2, let name = open.popFirst(of: hosts, isOpen: true) {
                forget(failing: name)
            } else if let name = closed.popFirst(of: hosts, isOpen: false) {
                hosts[name] = nil
            } else if let name = open.popFirst(of: hosts, isOpen: true) {
                forget(failing: name)
            } else {
                break
            }
        }
        closed.compact(hosts, isOpen: false)
        open.compact(hosts, isOpen: true)
    }

    private mutating func forget(failing name: String) {
        hosts[name] = nil
        failing -= 1
    }
}

extension RememberedHosts.Host {
    fileprivate mutating func record(_ evidence: Outcome.Evidence, at now: Timestamp) -> BreakerChange.Kind? {
        let wasOpen = breaker.isOpen
        breaker.record(evidence, at: now)
        if evidence == .failing || evidence == .unreachable { failures += 1 }
        defer { if evidence == .healthy { failures = 0 } }
        switch (wasOpen, breaker.isOpen) {
        case (true, false):
            slowStart.begin()
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

/// The ends of calls after which a host had no call under way, oldest first, for healthy or for failing hosts. Only a host's latest entry
/// counts. Older entries are skipped.
private struct Rests {
    /// The number of entries below which removing skipped entries is not worth a pass.
    private static let smallest = 64

    private struct Rest {
        let host: String
        let number: UInt64

        func counts(_ hosts: [String: RememberedHosts.Host], isOpen: Bool) -> Bool {
            guard let known = hosts[host] else { return false }
            return known.rest == number && known.inside == 0 && known.breaker.isOpen == isOpen
        }
    }

    private var rests: [Rest] = []
    private var front = 0

    mutating func append(_ host: String, _ number: UInt64) { rests.append(Rest(host: host, number: number)) }

    /// Removes entries up to the first that counts, and returns its host.
    mutating func popFirst(of hosts: [String: RememberedHosts.Host], isOpen: Bool) -> String? {
        while front < rests.count {
            let rest = rests[front]
            front += 1
            if rest.counts(hosts, isOpen: isOpen) { return rest.host }
        }
        return nil
    }

    /// Removes the entries that no longer count once they are the majority. There is at most one pass for as many calls as it has entries.
    mutating func compact(_ hosts: [String: RememberedHosts.Host], isOpen: Bool) {
        guard rests.count > max(2 * hosts.count, Self.smallest) else { return }
        rests = rests[front...].filter { $0.counts(hosts, isOpen: isOpen) }
        front = 0
    }
}
