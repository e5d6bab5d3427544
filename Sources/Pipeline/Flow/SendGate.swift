import Synchronization
public import TidingsCore
public import TidingsProvider

/// Decides whether a send may begin now. The decision depends on the room at the provider, the host and the endpoint, on the provider's
/// rate, and on the breakers of host and endpoint. After a breaker closes, its receiver gets its calls back step by step.
///
/// A send that cannot begin within a moment is refused, with the time of its requeue. So one slow host never fills a worker.
public final class SendGate: Sendable {
    /// The time that a send waits for room before it is requeued through `due`.
    public static let patience = Duration.milliseconds(500)
    /// The shortest time after which a refused send is requeued.
    public static let comeBack = Duration.seconds(1)

    public struct Pass: Sendable {
        let host: Host
        let parts: CallParts
        let askedAt: Timestamp

        var call: GateCall { GateCall(host: host.name, parts: parts, askedAt: askedAt) }
    }

    /// The host by which breakers and the host's bound are counted.
    struct Host: Sendable {
        /// Scheme and authority of a URL. Any other address is a host of its own.
        let name: String
        /// False for an address that is no URL.
        let isURL: Bool

        /// The authority in the form that may appear in a log.
        var shown: String? {
            guard isURL, let scheme = name.firstRange(of: "://") else { return nil }
            return name[scheme.upperBound...].split(separator: "@").last.map(String.init)
        }
    }

    public enum Answer: Sendable {
        case entered(Pass)
        case refused(after: Duration, Refusal)
    }

    /// The reason why a call cannot begin now.
    public enum Refusal: Sendable {
        /// The provider's rate is used up, the endpoint asked for a pause, or there is no room at the provider or the host.
        case rateLimited
        /// The circuit breaker of the host or of the endpoint is open.
        case breakerOpen
    }

    // A mutex, because every send passes twice and holds it for less time than a switch to an actor would take.
    private let room: Mutex<SendRoom>
    private let report: @Sendable (BreakerChange, Timestamp) -> Void

    /// - Parameter report: called for each change of a breaker, by the call that caused the change.
    public init(_ limits: ProviderLimits, now: Timestamp, report: @escaping @Sendable (BreakerChange, Timestamp) -> Void = { _, _ in }) {
        room = Mutex(SendRoom(limits, now: now))
        self.report = report
    }

    /// The number of remembered hosts, and that of remembered endpoints.
    package var knownHosts: Int { room.withLock(\.knownHosts) }
    package var knownEndpoints: Int { room.withLock(\.knownEndpoints) }

    /// Asks for a send. `address` names the receiver. The bound and the breaker of the host are counted by its scheme and authority.
    ///
    /// - Parameters:
    ///   - parts: the endpoint and the delivery of the call. A call without them counts for its host alone.
    ///   - hasPlace: whether the call comes at its place of ``RatePlaces``.
    ///   - isUrgent: selects the queue of requeue places if the send is refused.
    public func enter(
        host address: String, _ parts: CallParts = CallParts(), hasPlace: Bool = false, isUrgent: Bool = false, now: Timestamp
    ) async -> Answer {
        let pass = Pass(host: Self.host(of: address), parts: parts, askedAt: now)
        let call = pass.call
        switch room.withLock({ $0.ask(call, hasPlace: hasPlace, isUrgent: isUrgent, now: now) }) {
        case .granted: return .entered(pass)
        case .refused(let wait, let reason): return .refused(after: wait, reason)
        case .full:
            if await findRoom(call, now: now) { return .entered(pass) }
            return .refused(after: room.withLock { $0.comeBack(call, isUrgent: isUrgent, now: now) }, .rateLimited)
        }
    }

    /// The time for which packs for this host should stay with the broker. Zero if they need not.
    func closedTime(of address: String, isUrgent: Bool, now: Timestamp) -> Duration {
        let host = Self.host(of: address)
        return room.withLock { $0.closedTime(of: host.name, isUrgent: isUrgent, now: now) }
    }

    /// Reserves places in the queue for the provider's rate for this number of calls, as far as they come within `time`. The reservation
    /// comes before the claim, so that a pack with a late place stays with the broker.
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
        /// The queue is too long. The caller asks again after this time.
        case later(Duration)
    }

    func giveBack(_ count: Int, of places: SendRoom.Places) { room.withLock { $0.giveBack(count, of: places) } }

    /// Reports the end of a call.
    ///
    /// - Parameter requestedPause: see ``TidingsCore/SendResult/requestedPause``.
    public func leave(_ pass: Pass, evidence: Outcome.Evidence, requestedPause: Duration? = nil, now: Timestamp) {
        let (next, host, endpoint) = room.withLock {
            $0.leave(pass.call, evidence: evidence, requestedPause: requestedPause, now: now)
        }
        for waiter in next { waiter.resume(returning: true) }
        if let host { report(BreakerChange(host: pass.host.shown, host), now) }
        if let endpoint { report(BreakerChange(host: pass.host.shown, isOfEndpoint: true, endpoint), now) }
    }

    /// Gives the gate other limits. The state of the hosts stays.
    func change(to limits: ProviderLimits, now: Timestamp) {
        for waiter in room.withLock({ $0.change(to: limits, now: now) }) { waiter.resume(returning: true) }
    }

    /// Divides concurrency and rate by the number of workers that call the provider. The gate then keeps to its part of them.
    public func divide(among workers: Int, now: Timestamp) {
        for waiter in room.withLock({ $0.divide(among: workers, now: now) }) { waiter.resume(returning: true) }
    }

    /// Whether a place for the caller was found within ``patience``.
    private func findRoom(_ call: GateCall, now: Timestamp) async -> Bool {
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            // Room may have become free since the question.
            guard let ticket = room.withLock({ $0.occupyOrWait(call, continuation, now: now) }) else {
                return continuation.resume(returning: true)
            }
            // The task only ends the wait after ``patience``. It is cancelled above if room is found first.
            timer = Task {
                try await Task.sleep(for: Self.patience)
                room.withLock { $0.giveUp(ticket) }?.resume(returning: false)
            }
        }
    }

    /// Scheme and authority of a URL, so that all paths of a host share its bound. Another scheme is another port.
    private static func host(of address: String) -> Host {
        // This runs for every call. It searches the bytes, because a text search costs more than the rest of the gate.
        let bytes = address.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return Host(name: address, isURL: false)
        }
        let ends = "/?#".utf8
        let authority = bytes[colon...].dropFirst(3).prefix { !ends.contains($0) }
        return Host(name: String(address[..<authority.endIndex]), isURL: true)
    }
}
