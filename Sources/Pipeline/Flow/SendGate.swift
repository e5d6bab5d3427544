import Synchronization
public import TidingsCore
public import TidingsProvider

/// Decides whether a send may begin now: room at the provider and at the host, the provider's rate, and the host's breaker,
/// after whose closing a host gets its calls back step by step.
///
/// Whoever cannot begin within a moment is turned away with the time to come back, so that one slow host never fills a worker.
public final class SendGate: Sendable {
    /// How long a send waits for room before it goes back through `due`.
    public static let patience = Duration.milliseconds(500)
    /// When whoever found no room comes back.
    public static let comeBack = Duration.seconds(1)

    public struct Pass: Sendable {
        let host: Host
    }

    /// By what breakers and the host's bound count.
    struct Host: Sendable {
        let name: String
        /// False for an address that is no URL.
        let isAuthority: Bool

        /// As it may stand in a log.
        var shown: String? { isAuthority ? name.split(separator: "@").last.map(String.init) : nil }
    }

    public enum Answer: Sendable {
        case entered(Pass)
        case refused(after: Duration, Refusal)
    }

    /// The reason why a call cannot begin now.
    public enum Refusal: Sendable {
        /// The provider's rate is used up, or there is no room at the provider or the host.
        case rateLimited
        /// The circuit breaker of the host is open.
        case breakerOpen
    }

    // Every send passes twice, and holds it for less than switching to an actor would take.
    private let room: Mutex<SendRoom>
    private let report: @Sendable (BreakerChange, Timestamp) -> Void

    /// - Parameter report: told of each change of a host's breaker, by whoever ended the call that changed it.
    public init(_ limits: ProviderLimits, now: Timestamp, report: @escaping @Sendable (BreakerChange, Timestamp) -> Void = { _, _ in }) {
        room = Mutex(SendRoom(limits, now: now))
        self.report = report
    }

    /// Hosts of which something is remembered.
    package var knownHosts: Int { room.withLock(\.knownHosts) }

    /// `address` names who is called: breakers and the host's bound count by its host.
    ///
    /// - Parameters:
    ///   - hasPlace: the call came at its place of ``RatePlaces``.
    ///   - isUrgent: the line in which it comes back if it is turned away.
    public func enter(host address: String, hasPlace: Bool = false, isUrgent: Bool = false, now: Timestamp) async -> Answer {
        let host = Self.host(of: address)
        switch room.withLock({ $0.ask(host.name, hasPlace: hasPlace, isUrgent: isUrgent, now: now) }) {
        case .granted: return .entered(Pass(host: host))
        case .refused(let wait, let reason): return .refused(after: wait, reason)
        case .full:
            if await findRoom(host.name) { return .entered(Pass(host: host)) }
            return .refused(after: room.withLock { $0.comeBack(to: host.name, isUrgent: isUrgent, now: now) }, .rateLimited)
        }
    }

    /// How long packs for this host had better stay with the broker; zero when they had not.
    func closedTime(of address: String, isUrgent: Bool, now: Timestamp) -> Duration {
        let host = Self.host(of: address)
        return room.withLock { $0.closedTime(of: host.name, isUrgent: isUrgent, now: now) }
    }

    /// Places in the line of the provider's rate for so many calls, as far as they come within `time`: before they are claimed, so that a pack whose
    /// turn is far away stays with the broker.
    package func reserve(_ calls: Int, ifWithin longest: Duration, lasting time: Duration, now: Timestamp) -> Reservation {
        switch room.withLock({ $0.reserve(calls, ifWithin: longest, lasting: time, now: now) }) {
        case .unlimited: .unlimited
        case .later(let wait): .later(wait)
        case .places(let places): .places(RatePlaces(places, of: self))
        }
    }

    package enum Reservation {
        /// The provider has no rate.
        case unlimited
        case places(RatePlaces)
        /// The line is too long: ask again after this.
        case later(Duration)
    }

    func giveBack(_ count: Int, of places: SendRoom.Places) { room.withLock { $0.giveBack(count, of: places) } }

    public func leave(_ pass: Pass, evidence: Outcome.Evidence, now: Timestamp) {
        let (next, change) = room.withLock { $0.leave(pass.host.name, evidence: evidence, now: now) }
        for waiter in next { waiter.resume(returning: true) }
        if let change { report(BreakerChange(host: pass.host.shown, change), now) }
    }

    /// Gives the gate other limits; what is known of hosts stays.
    func change(to limits: ProviderLimits, now: Timestamp) {
        for waiter in room.withLock({ $0.change(to: limits, now: now) }) { waiter.resume(returning: true) }
    }

    /// Makes this the gate of one among so many workers that call the provider: concurrency and rate are what it takes from all of them.
    public func divide(among workers: Int, now: Timestamp) {
        for waiter in room.withLock({ $0.divide(among: workers, now: now) }) { waiter.resume(returning: true) }
    }

    /// True when a place was taken for the caller within ``patience``.
    private func findRoom(_ host: String) async -> Bool {
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            // Room may have come free since the question.
            guard let ticket = room.withLock({ $0.occupyOrWait(host, continuation) }) else { return continuation.resume(returning: true) }
            // Ends the wait for room after ``patience`` and nothing else; cancelled above when room was found first.
            timer = Task {
                try await Task.sleep(for: Self.patience)
                room.withLock { $0.giveUp(ticket) }?.resume(returning: false)
            }
        }
    }

    /// The authority of a URL, so that all paths of a host share its bound; anything else stands for itself.
    private static func host(of address: String) -> Host {
        // Once for every call: looked for in the bytes, where a search for text costs more than the rest of the gate.
        let bytes = address.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return Host(name: address, isAuthority: false)
        }
        let ends = "/?#".utf8
        return Host(name: String(Substring(bytes[colon...].dropFirst(3).prefix { !ends.contains($0) })), isAuthority: true)
    }
}
