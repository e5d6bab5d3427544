import Logging
import TidingsContracts
import TidingsCore
import TidingsProvider
import TidingsStore

/// The reason why a delivery is not sent now. Its attempt does not count.
enum Unsent: Sendable, Equatable {
    /// The delivery's time to live has ended.
    case expired
    /// A pause holds the delivery. It is due at once, and the releaser puts it with the others that wait for the pause.
    case paused
    /// The person was erased. The delivery ends here.
    case erased
    /// The decision is too old, or the recipient's settings changed. The delivery is routed again.
    case outdated
    /// The lease is too short for a call. The delivery is routed again.
    case leaseTooShort
    /// The provider has no room, its rate is used up, or the endpoint asked for a pause.
    case noRoom(retryAfter: Duration)
    /// The circuit breaker of the host or of the endpoint is open. The standby takes over, if there is one and the delivery may fail over.
    case breakerOpen(retryAfter: Duration)

    init(_ refusal: SendGate.Refusal, retryAfter wait: Duration) {
        switch refusal {
        case .rateLimited: self = .noRoom(retryAfter: wait)
        case .breakerOpen: self = .breakerOpen(retryAfter: wait)
        }
    }
}

/// The deliveries of a call that go now.
struct Admission: Sendable {
    let entries: [PackEntry]
    /// The same deliveries as the provider gets them.
    let deliveries: [OutgoingDelivery]
    let pass: SendGate.Pass
    /// The deliveries of the call that are not sent now.
    let unsent: [Settlement]
}

/// The last checks before a call.
extension ProviderWorker {
    enum Answer: Sendable {
        case admitted(Admission)
        /// No delivery of the call goes now.
        case refused([Settlement])
    }

    /// Waits for the call's place in the provider's rate, drops the deliveries that must not go any more, and asks the gate.
    func admit(_ call: Call) async -> Answer {
        // Wait before the checks, whose results would be old when the place is reached.
        let place = call.places?.next()
        if let unsent = await wait(for: place, call.claims) { return .refused(call.entries.map { conclude($0, unsent) }) }
        let now = store.clock.now()
        let changed = await changed(call)
        var unsent: [Settlement] = []
        var entries: [PackEntry] = []
        for entry in call.entries {
            if changed.erased.contains(entry.key) {
                unsent.append(conclude(entry, .erased))
            } else if let reason = check(entry, of: call.pack, isOutdated: changed.outdated.contains(entry.key), now: now) {
                unsent.append(conclude(entry, reason))
            } else {
                entries.append(entry)
            }
        }
        let deliveries = entries.map { outgoing($0, call.claims) }
        guard let first = deliveries.first else { return .refused(unsent) }
        let parts = CallParts(deliveries, isTogether: provider.limits.maximumTogether > 1)
        let answer = await gate.enter(
            host: provider.host(of: first) ?? provider.name, parts, hasPlace: place.map(RatePlaces.isFresh) ?? false,
            isUrgent: receiver.isUrgent, now: store.clock.now())
        switch answer {
        case .refused(let wait, let refusal):
            calls.deferred(refusal)
            return .refused(unsent + entries.map { conclude($0, Unsent(refusal, retryAfter: wait)) })
        case .entered(let pass):
            reach(.beforeSend, first.recipient)
            // Check last before the first byte: after the lease, an operator may cancel the deliveries, or another worker may send them.
            guard call.claims.hasRoom(forCall: provider.limits.sendTimeout) else {
                gate.leave(pass, evidence: .none, now: store.clock.now())
                return .refused(unsent + entries.map { conclude($0, .leaseTooShort) })
            }
            return .admitted(Admission(entries: entries, deliveries: deliveries, pass: pass, unsent: unsent))
        }
    }

    /// Waits for the call's place. Returns nil when the place is reached, or if there is none to wait for.
    private func wait(for place: ContinuousClock.Instant?, _ claims: PackClaims) async -> Unsent? {
        guard let wait = place.map({ $0 - .now }), wait > .zero else { return nil }
        guard claims.hasRoom(forCall: wait + provider.limits.sendTimeout) else {
            calls.deferred(.rateLimited)
            return .noRoom(retryAfter: max(wait, SendGate.comeBack))
        }
        do { try await pause(wait) } catch { return .noRoom(retryAfter: .zero) }
        return nil
    }

    /// Nil if the delivery may go now, as it is.
    private func check(_ entry: PackEntry, of pack: Pack, isOutdated: Bool, now: Timestamp) -> Unsent? {
        if entry.expiresAt <= now { return .expired }
        let pause = catalogues.pauses.holding(
            channel: pack.channel, provider: pack.provider, type: entry.type, tenant: entry.tenant, at: now)
        if pause != nil { return .paused }
        return entry.validUntil <= now || isOutdated ? .outdated : nil
    }

    /// The deliveries whose recipient changed since the decision, or was erased, as the claim read them. If the claim is too old, the
    /// database is asked again. While it does not answer, nothing is sent.
    private func changed(_ call: Call) async -> (outdated: Set<DeliveryKey>, erased: Set<DeliveryKey>) {
        guard call.claims.needsAnotherLook() else { return (call.claims.outdated, call.claims.erased) }
        do {
            return try await store.outbox.changed(call.entries)
        } catch {
            logger.warning("cannot check recipients again, their deliveries are requeued", metadata: ["error": "\(error)"])
            return (Set(call.entries.map(\.key)), [])
        }
    }
}
