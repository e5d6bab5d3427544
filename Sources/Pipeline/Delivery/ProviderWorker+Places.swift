import TidingsContracts
import TidingsCore
import TidingsProvider
import TidingsStore

extension ProviderWorker {
    /// How long packs wait for the provider before they are claimed. Less than ``Store/missingAfterSeconds``, after which they would count as
    /// lost.
    package static let longestWaitUnclaimed = Duration.seconds(30)
    /// The longest line of a provider's rate that packs still join; urgent ones join a longer one, and so come first.
    package static let bulkLine = Duration.milliseconds(500)
    package static let urgentLine = Duration.milliseconds(1_500)
    /// Bulk packs that have waited for longer join the longer line too, so that urgent ones cannot keep them out for ever.
    package static let patienceOfBulk = Duration.seconds(20)
    /// How often packs that wait ask for places again.
    package static let lookAgain = Duration.seconds(1)
    /// How soon a stop is noticed by packs that wait.
    private static let stopCheck = Duration.milliseconds(200)

    /// Waits until the provider takes the packs, as far as that is known before they are claimed: places in the line of its rate, if it has one,
    /// and the end of its breaker's pause. What waits here costs the database nothing.
    ///
    /// Not for longer than ``longestWaitUnclaimed``, for deliveries may expire, and the broker does not show what it has handed over. The
    /// deliveries that find no place then are due at their place in the line.
    ///
    /// - Throws: `CancellationError` at the stop.
    func places(for batch: [Pack]) async throws -> RatePlaces? {
        let began = ContinuousClock.now
        let deliveries = batch.reduce(0) { $0 + $1.entries.count }
        let mayGoElsewhere = batch.contains { $0.entries.contains(where: \.mayFailOver) }
        // A place is of use while the lease has room for its call.
        let time = .seconds(Store.leaseSeconds) - provider.limits.sendTimeout - PackClaims.callSlack - Self.urgentLine
        while true {
            let now = store.clock.now()
            let waited = ContinuousClock.now - began
            var wait = mayGoElsewhere ? .zero : gate.closedTime(of: provider.name, isUrgent: packs.isUrgent, now: now)
            if wait == .zero {
                let isFirst = packs.isUrgent || waited > Self.patienceOfBulk
                switch gate.reserve(deliveries, ifWithin: isFirst ? Self.urgentLine : Self.bulkLine, lasting: time, now: now) {
                case .unlimited: return nil
                case .later(let time): wait = time
                case .places(let places):
                    if places.wait > .zero { try await pause(places.wait) }
                    return places
                }
            }
            guard waited < Self.longestWaitUnclaimed else { return nil }
            // Not for all of it: others may give their places back.
            try await pause(min(wait, Self.lookAgain))
        }
    }

    /// Throws `CancellationError` at the stop.
    func pause(_ wait: Duration) async throws {
        let end = ContinuousClock.now + wait
        while ContinuousClock.now < end {
            if packs.isStopping { throw CancellationError() }
            // Time itself is what is waited for, in pieces, so that a stop is not.
            try await Task.sleep(for: min(end - .now, Self.stopCheck))
        }
    }
}

extension PackEntry {
    /// Whether another provider takes it while this one is failing.
    var mayFailOver: Bool { hasStandby && !waitsForProvider }
}
