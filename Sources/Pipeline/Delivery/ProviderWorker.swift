public import Logging
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsMetrics
public import TidingsProvider
public import TidingsStore

/// Delivers the packs of one provider: claim → send each entry, bounded → record the outcomes → ack.
///
/// The claim is committed before the first byte leaves. From then on the pack's row, with its lease, stands for what is out: should this
/// process die, a releaser finds the row and applies the category's policy for unknown outcomes.
public struct ProviderWorker: Sendable {
    /// A pack that is still out after this long gives its message back, so that one hanging host holds up nobody's queue; its claim goes on.
    package static let patience = Duration.seconds(1)
    /// How long an outcome waits for others of its pack before it is written.
    package static let gathering = Duration.milliseconds(20)

    let store: Store
    private let catalogues: CatalogueSource
    let provider: any Provider
    let packs: PackIntake
    let gate: SendGate
    private let budget: PackBudget
    private let settler: Settler
    private let meters: DeliveryMeters
    private let calls: CallMeters
    private let worker: String
    private let logger: Logger

    public init(
        store: Store, catalogues: CatalogueSource, provider: any Provider, gate: SendGate, budget: PackBudget, packs: PackIntake,
        meters: DeliveryMeters, calls: CallMeters, worker: String, logger: Logger
    ) {
        self.store = store
        self.catalogues = catalogues
        self.provider = provider
        self.packs = packs
        self.gate = gate
        self.budget = budget
        self.meters = meters
        self.calls = calls
        self.worker = worker
        self.logger = logger
        settler = Settler(store: store, worker: worker, meters: meters, logger: logger)
    }

    /// Runs until the consumer is stopped, then waits for what is out.
    public func run() async {
        let out = Outstanding()
        let line = budget.line()
        await packs.run { batch in
            // Before the claim: a claimed pack does not wait.
            let share = await line.take(batch)
            let places = try await places(for: batch)
            let began = ContinuousClock.now
            passing(.beforeClaim)
            let claim = ClaimID(store.clock.nextID())
            let claims: PackClaims
            do {
                claims = try await patiently("claim packs", logger: logger) {
                    try await store.claim(batch, worker: worker, as: claim, badges: provider.showsBadge)
                }
            } catch {
                places?.keep(only: 0)
                throw error
            }
            let calls = batch.map { (pack: $0, calls: sentTogether(of: $0, claims)) }
            places?.keep(only: calls.reduce(0) { $0 + $1.calls.count })
            passing(.afterClaim)
            let duration = ContinuousClock.now - began
            meters.took(duration, for: .claim)
            packs.began(after: duration)
            await out.run(waitingAtMost: Self.patience) {
                defer { share.end() }
                await withDiscardingTaskGroup { group in
                    // Each pack settles by itself: one with a slow host holds up none of its neighbours.
                    for (pack, calls) in calls { group.addTask { await deliver(calls, of: pack, claims, places) } }
                }
            }
        }
        await out.drain()
    }

    /// Sends what was claimed of a pack. Outcomes that come together are written together; one that comes early waits for no other.
    private func deliver(_ calls: [[PackEntry]], of pack: Pack, _ claims: PackClaims, _ places: RatePlaces?) async {
        // nil comes when the first outcome that is not written yet has waited long enough.
        await withTaskGroup(of: [Settlement]?.self) { group in
            // A task for each call, for each waits for the network by itself. ``PackBudget`` bounds the packs of all workers, ``Outstanding``
            // the batches of this one, and the gate how many calls are out.
            for call in calls { group.addTask { await deliver(call, of: pack, claims, places) } }
            var open = calls.reduce(0) { $0 + $1.count }
            guard open > 0 else { return }
            var ready: [Settlement] = []
            for await outcomes in group {
                if let outcomes {
                    open -= outcomes.count
                    let isFirst = ready.isEmpty
                    ready += outcomes
                    if open > 0 {
                        // Ends by itself, or with the last outcome.
                        if isFirst { group.addTask { (try? await Task.sleep(for: Self.gathering), nil as [Settlement]?).1 } }
                        continue
                    }
                    // The pause that may still be running has nothing to end.
                    group.cancelAll()
                }
                if !ready.isEmpty { await settler.settle(PackSettlement(pack, ready, isLast: open == 0)) }
                ready = []
            }
        }
    }

    /// The entries of each call of what was claimed: those of equal content together, as far as the provider takes several.
    private func sentTogether(of pack: Pack, _ claims: PackClaims) -> [[PackEntry]] {
        guard let members = claims.members[pack.id] else { return [] }
        let entries = pack.entries.filter { members.contains($0.key) }
        let most = provider.limits.maximumTogether
        guard most > 1 else { return entries.map { [$0] } }
        var order: [OutgoingDelivery.BatchKey] = []
        var alike: [OutgoingDelivery.BatchKey: [PackEntry]] = [:]
        for entry in entries {
            let key = outgoing(entry, claims).batchKey
            if alike[key] == nil { order.append(key) }
            alike[key, default: []].append(entry)
        }
        return order.flatMap { key in
            let all = alike[key] ?? []
            return stride(from: 0, to: all.count, by: most).map { Array(all[$0..<min($0 + most, all.count)]) }
        }
    }

    private func outgoing(_ entry: PackEntry, _ claims: PackClaims) -> OutgoingDelivery {
        OutgoingDelivery(
            entry, address: claims.addresses[entry.key], badge: claims.badges[entry.key],
            type: catalogues.current.catalogue.types[entry.type])
    }

    /// One call, with what comes before and after it; a settlement for each entry.
    private func deliver(_ entries: [PackEntry], of pack: Pack, _ claims: PackClaims, _ places: RatePlaces?) async -> [Settlement] {
        // Before the looks, which would be old when the place is reached.
        let place = places?.next()
        if let wait = place.map({ $0 - .now }), wait > .zero {
            guard claims.hasRoom(forCall: wait + provider.limits.sendTimeout) else {
                calls.deferred(.rateLimited)
                return entries.map { again($0, after: max(wait, SendGate.comeBack), .rateLimited) }
            }
            do { try await pause(wait) } catch { return entries.map { again($0, after: .zero, .rateLimited) } }
        }
        var settlements: [Settlement] = []
        var going: [PackEntry] = []
        let now = store.clock.now()
        let outdated = await outdated(entries, claims)
        for entry in entries {
            if let early = settledUnsent(entry, of: pack, isOutdated: outdated.contains(entry.key), now: now) {
                settlements.append(early)
            } else {
                going.append(entry)
            }
        }
        let items = going.map { outgoing($0, claims) }
        guard let first = items.first else { return settlements }
        let answer = await gate.enter(
            host: provider.host(of: first) ?? provider.name, hasPlace: place.map(RatePlaces.isFresh) ?? false, isUrgent: packs.isUrgent,
            now: store.clock.now())
        switch answer {
        case .refused(let wait, let reason):
            calls.deferred(reason)
            return settlements + going.map { turnedAway($0, after: wait, reason) }
        case .entered(let pass):
            let startedAt = store.clock.now()
            passing(.beforeSend, first.recipient)
            // The last look before the first byte: after the lease the deliveries may be cancelled, or sent by another worker.
            guard claims.hasRoom(forCall: provider.limits.sendTimeout) else {
                gate.leave(pass, evidence: .none, now: startedAt)
                return settlements + going.map { again($0, after: .zero, .leaseExpired) }
            }
            let results = await calls.measure { items.count == 1 ? [await provider.send(items[0])] : await provider.send(together: items) }
            passing(.afterSend, first.recipient)
            let finishedAt = store.clock.now()
            gate.leave(pass, evidence: results.first?.outcome.evidence ?? .none, now: finishedAt)
            return settlements
                + going.enumerated().map { position, entry in
                    // A provider that says nothing of one has left its end open.
                    let result = position < results.count ? results[position] : SendResult(.unknown(.outcomeUnknown))
                    return conclude(entry, result, startedAt: startedAt, finishedAt: finishedAt)
                }
        }
    }

    /// For what is not to be sent now, or not as it is.
    private func settledUnsent(_ entry: PackEntry, of pack: Pack, isOutdated: Bool, now: Timestamp) -> Settlement? {
        if entry.expiresAt <= now { return Settlement(entry, exit: .ended(.expired, .expired)) }
        if catalogues.pauses.holding(channel: pack.channel, provider: pack.provider, type: entry.type, tenant: entry.tenant, at: now) != nil
        {
            return again(entry, after: .zero, .paused)
        }
        if entry.validUntil <= now || isOutdated { return again(entry, after: .zero, .afterValidity) }
        return nil
    }

    /// The deliveries whose recipient changed since the decision. The claim has read that; if it was a while ago, the database is asked again,
    /// and while it does not answer nothing is sent.
    private func outdated(_ entries: [PackEntry], _ claims: PackClaims) async -> Set<DeliveryKey> {
        guard claims.needsAnotherLook() else { return claims.outdated }
        do {
            return try await store.outdated(entries)
        } catch {
            logger.warning("cannot look at recipients again, their deliveries go back", metadata: ["error": "\(error)"])
            return Set(entries.map(\.key))
        }
    }

    /// Back through `due` without having been sent: the attempt does not count. A paused delivery is due at once, and the releaser puts it with
    /// the others that wait for the pause.
    private func again(_ entry: PackEntry, after wait: Duration, _ reason: ReasonCode) -> Settlement {
        let kind: DueKind =
            switch reason {
            case .afterValidity, .leaseExpired: .recover
            case .paused: .held
            default: .retry
            }
        return Settlement(entry, exit: .waiting(until: store.clock.now().adding(wait), kind: kind, attempt: entry.attempt, reason))
    }

    /// Its provider was not called. One that has been failing gives way to another, unless it may have sent it already or the other has been failing
    /// too; for room and the rate of its own it waits.
    private func turnedAway(_ entry: PackEntry, after wait: Duration, _ reason: ReasonCode) -> Settlement {
        guard reason == .breakerOpen, entry.mayFailOver else { return again(entry, after: wait, reason) }
        return givenUp(entry, because: reason, attempt: entry.attempt, record: nil)
    }

    /// Due at once for the provider that stands by: a releaser finds out which, when this is committed.
    private func givenUp(_ entry: PackEntry, because reason: ReasonCode, attempt: Int, record: AttemptRecord?) -> Settlement {
        Settlement(entry, exit: .waiting(until: store.clock.now(), kind: .failover, attempt: attempt, reason), attempt: record)
    }

    /// The one place where an outcome becomes a state.
    private func conclude(
        _ entry: PackEntry, _ result: SendResult, startedAt: Timestamp, finishedAt: Timestamp
    ) -> Settlement {
        let step = nextStep(
            after: result.outcome, attempt: entry.attempt, policy: catalogues.current.catalogue.policy(for: entry.category),
            now: finishedAt,
            expiresAt: entry.expiresAt, random: store.clock.randomFraction(), hasStandby: entry.hasStandby)
        var record = AttemptRecord(
            outcome: result.outcome.name, reason: result.outcome.reason, status: result.status, detail: result.detail, startedAt: startedAt,
            finishedAt: finishedAt)
        var providerMessageID: String?
        if case .accepted(let id, _) = result.outcome { providerMessageID = id }
        switch step {
        case .settle(let state, let reason):
            return Settlement(
                entry, exit: .ended(state, reason), providerMessageID: providerMessageID, attempt: record,
                endpointGoneAt: result.outcome == .endpointGone ? result.goneSince ?? startedAt : nil)
        case .failOver(let reason):
            return givenUp(entry, because: reason, attempt: entry.attempt + 1, record: record)
        case .retry(let time, let reason, let possibleDuplicate):
            record.possibleDuplicate = possibleDuplicate
            return Settlement(
                entry, exit: .waiting(until: time, kind: .retry, attempt: entry.attempt + 1, reason), attempt: record)
        }
    }
}

extension OutgoingDelivery {
    init(_ entry: PackEntry, address: EndpointAddress?, badge: Int?, type: NotificationType?) {
        let silent = type?.silent ?? false
        self.init(
            notificationID: entry.notificationID, ordinal: entry.ordinal, attempt: entry.attempt, tenant: entry.tenant,
            recipient: entry.recipient, type: entry.type, category: entry.category, content: entry.content, createdAt: entry.createdAt,
            endpointAddress: address?.address, secrets: address?.secrets ?? [], idempotencyKey: entry.key.idempotencyKey,
            traceparent: entry.traceparent, silent: silent, interruptionLevel: type?.interruptionLevel, badge: silent ? nil : badge,
            expiresAt: entry.expiresAt,
            device: address?.platform.map { OutgoingDevice(platform: $0, environment: address?.environment ?? "production") })
    }
}

extension Outcome {
    /// As `tidings_ops.attempts.outcome` spells it.
    var name: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "retry"
        case .rejected: "rejected"
        case .endpointGone: "endpointGone"
        case .misconfigured: "misconfigured"
        case .unknown: "unknown"
        }
    }

    var reason: ReasonCode {
        switch self {
        case .accepted(_, let delivered): delivered ? .delivered : .accepted
        case .retry(_, let reason), .rejected(let reason), .misconfigured(let reason), .unknown(let reason): reason
        case .endpointGone: .endpointGone
        }
    }
}
