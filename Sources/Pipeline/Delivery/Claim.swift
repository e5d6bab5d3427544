import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsProvider
import TidingsStore

/// A pack of which at least a part belongs to this worker, divided into the calls that send it.
struct ClaimedPack: Sendable {
    let pack: Pack
    let claimedAt: Timestamp
    let calls: [Call]
}

/// One call to the provider: a delivery, or several of equal content.
struct Call: Sendable {
    let pack: Pack
    let entries: [PackEntry]
    let claims: PackClaims
    /// The places of the batch in the queue for the provider's rate. Nil if the provider has no rate.
    let places: RatePlaces?
}

/// The step before the first byte: the packs become this worker's in one commit.
///
/// A claimed pack has a lease and must not wait, so the wait for the provider comes before the claim. If the provider has a rate, the gate
/// reserves places for the calls of the batch (``RatePlaces``), and each call then takes one. A call without a place asks the gate for a
/// token of the rate. ``SendRoom`` explains the limits.
extension ProviderWorker {
    /// The longest wait for the provider before a claim. It is less than ``Store/missingAfterSeconds``, after which packs count as lost.
    package static let longestWaitUnclaimed = Duration.seconds(30)
    /// The longest queue for a provider's rate that bulk packs still join, as a wait.
    package static let bulkLine = Duration.milliseconds(500)
    /// The same for urgent packs. They join a longer queue, and so come first.
    package static let urgentLine = Duration.milliseconds(1_500)
    /// The wait after which bulk packs join the longer queue too, so that urgent packs cannot keep them out for ever.
    package static let patienceOfBulk = Duration.seconds(20)
    /// The interval at which waiting packs ask for places again.
    package static let lookAgain = Duration.seconds(1)
    /// The longest time in which waiting packs notice a stop.
    private static let stopCheck = Duration.milliseconds(200)

    /// Waits for the provider, then claims the packs of a batch.
    ///
    /// - Throws: `CancellationError` at the stop.
    func claim(_ batch: [Pack]) async throws -> [ClaimedPack] {
        let places = try await reservePlaces(for: batch)
        let began = ContinuousClock.now
        reach(.beforeClaim)
        let claim = ClaimID(store.clock.nextID())
        let claims: PackClaims
        do {
            claims = try await retrying("claim packs", logger: logger) {
                try await store.outbox.claim(batch, worker: worker, as: claim, badges: provider.showsBadge)
            }
        } catch {
            places?.keep(only: 0)
            throw error
        }
        let packs = batch.map { ClaimedPack(pack: $0, claimedAt: claims.claimedAt, calls: divide($0, claims, places)) }
        places?.keep(only: packs.reduce(0) { $0 + $1.calls.count })
        reach(.afterClaim)
        let duration = ContinuousClock.now - began
        meters.took(duration, for: .claim)
        receiver.began(after: duration)
        return packs
    }

    /// Waits until the provider takes the packs, as far as that is known before the claim. The wait is for places in the queue for its
    /// rate, and for the end of its breaker's pause. Packs that wait here cost the database nothing.
    ///
    /// The wait ends after ``longestWaitUnclaimed``, because deliveries may expire, and the broker does not show messages that it has
    /// handed over. Deliveries without a place are then due at their place in the queue.
    private func reservePlaces(for batch: [Pack]) async throws -> RatePlaces? {
        let began = ContinuousClock.now
        let deliveries = batch.reduce(0) { $0 + $1.entries.count }
        let mayFailOver = batch.contains { $0.entries.contains(where: \.mayFailOver) }
        // A place is of use while the lease has room for its call.
        let time = .seconds(Store.leaseSeconds) - provider.limits.sendTimeout - PackClaims.callSlack - Self.urgentLine
        while true {
            let now = store.clock.now()
            let waited = ContinuousClock.now - began
            var wait = mayFailOver ? .zero : gate.closedTime(of: provider.name, isUrgent: receiver.isUrgent, now: now)
            if wait == .zero {
                let isFirst = receiver.isUrgent || waited > Self.patienceOfBulk
                switch gate.reserve(deliveries, ifWithin: isFirst ? Self.urgentLine : Self.bulkLine, lasting: time, now: now) {
                case .unlimited: return nil
                case .later(let time): wait = time
                case .places(let places):
                    if places.wait > .zero { try await pause(places.wait) }
                    return places
                }
            }
            guard waited < Self.longestWaitUnclaimed else { return nil }
            // Wait for a part of the time only, because others may return their places.
            try await pause(min(wait, Self.lookAgain))
        }
    }

    /// Throws `CancellationError` at the stop.
    func pause(_ wait: Duration) async throws {
        let end = ContinuousClock.now + wait
        while ContinuousClock.now < end {
            if receiver.isStopping { throw CancellationError() }
            // Sleep in pieces, so that a stop is noticed.
            try await Task.sleep(for: min(end - .now, Self.stopCheck))
        }
    }

    /// The calls for the claimed entries of a pack. Entries of equal content go together, as many as the provider takes in one call.
    private func divide(_ pack: Pack, _ claims: PackClaims, _ places: RatePlaces?) -> [Call] {
        guard let members = claims.members[pack.id] else { return [] }
        let entries = pack.entries.filter { members.contains($0.key) }
        let most = provider.limits.maximumTogether
        guard most > 1 else { return entries.map { Call(pack: pack, entries: [$0], claims: claims, places: places) } }
        var order: [OutgoingDelivery.BatchKey] = []
        var alike: [OutgoingDelivery.BatchKey: [PackEntry]] = [:]
        for entry in entries {
            let key = outgoing(entry, claims).batchKey
            if alike[key] == nil { order.append(key) }
            alike[key, default: []].append(entry)
        }
        return order.flatMap { key in
            let all = alike[key] ?? []
            return stride(from: 0, to: all.count, by: most).map { start in
                Call(pack: pack, entries: Array(all[start..<min(start + most, all.count)]), claims: claims, places: places)
            }
        }
    }
}

extension PackEntry {
    /// Whether another provider takes the delivery while this one is failing. A delivery that may have arrived stays with its provider.
    var mayFailOver: Bool { hasStandby && !waitsForProvider }
}
