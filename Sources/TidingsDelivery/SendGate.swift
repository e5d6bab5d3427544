public import TidingsCore
public import TidingsProvider

/// Decides whether a send may begin now: room at the provider and at the host, the provider's rate, and the host's breaker.
///
/// Whoever cannot begin within a moment is turned away with the time to come back, so that one slow host never fills a worker.
public actor SendGate {
    /// How long a send waits for room before it goes back through `due`.
    public static let patience = Duration.milliseconds(500)
    /// When whoever found no room comes back.
    public static let comeBack = Duration.seconds(1)
    /// Hosts whose breakers are remembered; beyond that the healthy ones are forgotten.
    private static let rememberedHosts = 10_000

    public struct Pass: Sendable {
        let host: String
    }

    public enum Answer: Sendable {
        case entered(Pass)
        case refused(after: Duration, ReasonCode)
    }

    private struct Host {
        var inside = 0
        var breaker = Breaker()
    }

    private let limits: ProviderLimits
    /// Sends to one host at once.
    private let hostConcurrency: Int
    private var bucket: TokenBucket?
    private var inside = 0
    private var hosts: [String: Host] = [:]
    private var line: [UInt64: (host: String, continuation: CheckedContinuation<Bool, Never>)] = [:]
    /// The tickets of the line, oldest first; those that gave up are dropped when they are met.
    private var order: [UInt64] = []
    private var nextTicket: UInt64 = 0

    public init(_ limits: ProviderLimits, now: Timestamp) {
        self.limits = limits
        hostConcurrency = limits.maximumConcurrencyPerHost ?? limits.maximumConcurrency
        bucket = limits.requestsPerSecond.map { rate in
            TokenBucket(.init(perSecond: max(1, Int(rate)), burst: max(1, Int(rate))), at: now)
        }
    }

    /// `host` names who is called: breakers and the host's bound count by it.
    public func enter(host address: String, now: Timestamp) async -> Answer {
        let host = Self.host(of: address)
        if case .refused(let until) = hosts[host, default: Host()].breaker.admit(at: now) {
            return .refused(after: max(until - now, Self.comeBack), .breakerOpen)
        }
        if let wait = bucket?.take(at: now), wait > .zero { return .refused(after: max(wait, Self.comeBack), .rateLimited) }
        guard await findRoom(host) else { return .refused(after: Self.comeBack, .rateLimited) }
        return .entered(Pass(host: host))
    }

    public func leave(_ pass: Pass, evidence: Outcome.Evidence, now: Timestamp) {
        inside -= 1
        hosts[pass.host]?.inside -= 1
        hosts[pass.host]?.breaker.record(evidence, at: now)
        admitNext()
        if hosts.count > Self.rememberedHosts { hosts = hosts.filter { $0.value.inside > 0 || $0.value.breaker.isOpen } }
    }

    private func isFree(_ host: String) -> Bool {
        inside < limits.maximumConcurrency && (hosts[host]?.inside ?? 0) < hostConcurrency
    }

    private func occupy(_ host: String) {
        inside += 1
        hosts[host, default: Host()].inside += 1
    }

    /// True when a place was taken for the caller.
    private func findRoom(_ host: String) async -> Bool {
        if isFree(host) {
            occupy(host)
            return true
        }
        nextTicket += 1
        let ticket = nextTicket
        let timer = Task {
            try await Task.sleep(for: Self.patience)
            giveUp(ticket)
        }
        defer { timer.cancel() }
        order.append(ticket)
        return await withCheckedContinuation { line[ticket] = (host, $0) }
    }

    private func giveUp(_ ticket: UInt64) {
        line.removeValue(forKey: ticket)?.continuation.resume(returning: false)
    }

    /// Gives the place that was left to the longest waiting whose host has room.
    private func admitNext() {
        if line.isEmpty { order.removeAll(keepingCapacity: true) }
        guard let position = order.firstIndex(where: { line[$0].map { isFree($0.host) } ?? true }) else { return }
        guard let waiting = line.removeValue(forKey: order.remove(at: position)) else { return admitNext() }
        occupy(waiting.host)
        waiting.continuation.resume(returning: true)
    }

    /// The authority of a URL, so that all paths of a host share its bound; anything else stands for itself.
    private static func host(of address: String) -> String {
        guard let scheme = address.firstRange(of: "://") else { return address }
        return String(address[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }
}
