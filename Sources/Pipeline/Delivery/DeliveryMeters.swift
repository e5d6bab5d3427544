public import TidingsCore
public import TidingsMetrics
import TidingsStore

/// The meters of one provider's workers. They are looked up once, so that recording takes no lock.
public struct DeliveryMeters: Sendable {
    private let left: [DeliveryState: Counter]
    private let steps: ClosedFamily<Metrics.Step, Histogram>

    /// The states in which a delivery may leave a worker: ended, or waiting in `due`. Operators see a waiting delivery as retrying, or as
    /// held if it is paused.
    private static let states: [DeliveryState] = [.delivered, .sent, .failed, .expired, .retrying, .held]

    public init(_ metrics: Metrics, channel: Channel, provider: String) {
        left = Dictionary(uniqueKeysWithValues: Self.states.map { ($0, metrics.deliveries(channel.rawValue, provider, $0.rawValue)) })
        steps = metrics.batchDuration
    }

    func count(_ deliveries: Int, as state: DeliveryState) { left[state]?.add(deliveries) }

    func count(_ settlements: [Settlement]) {
        var states: [DeliveryState: Int] = [:]
        for settlement in settlements { states[settlement.state, default: 0] += 1 }
        for (state, deliveries) in states { count(deliveries, as: state) }
    }

    func took(_ duration: Duration, for step: Metrics.Step) { steps[step].observe(duration) }
}

/// The meters of the calls to one provider.
public struct CallMeters: Sendable {
    private let accepted, retry, rejected, endpointGone, misconfigured, unknown: Histogram
    private let inFlight: Gauge
    private let rateLimited, breakerOpen: Counter

    public init(_ metrics: Metrics, provider: String) {
        accepted = metrics.providerCalls(provider, "accepted")
        retry = metrics.providerCalls(provider, "retry")
        rejected = metrics.providerCalls(provider, "rejected")
        endpointGone = metrics.providerCalls(provider, "endpointGone")
        misconfigured = metrics.providerCalls(provider, "misconfigured")
        unknown = metrics.providerCalls(provider, "unknown")
        inFlight = metrics.providerCallsInFlight(provider)
        rateLimited = metrics.providerCallsDeferred(provider, "rateLimited")
        breakerOpen = metrics.providerCallsDeferred(provider, "breakerOpen")
    }

    /// Counts a call while it is under way, then records its duration by outcome.
    func measure(_ call: () async -> [SendResult]) async -> [SendResult] {
        inFlight.add(1)
        let began = ContinuousClock.now
        let results = await call()
        if let outcome = results.first?.outcome { calls(of: outcome).observe(ContinuousClock.now - began) }
        inFlight.add(-1)
        return results
    }

    /// Counts a call that did not begin.
    func deferred(_ refusal: SendGate.Refusal) {
        switch refusal {
        case .rateLimited: rateLimited.add()
        case .breakerOpen: breakerOpen.add()
        }
    }

    private func calls(of outcome: Outcome) -> Histogram {
        switch outcome {
        case .accepted: accepted
        case .retry: retry
        case .rejected: rejected
        case .endpointGone: endpointGone
        case .misconfigured: misconfigured
        case .unknown: unknown
        }
    }
}

extension Settlement {
    /// The state that `tidings_ops.deliveries` shows after the commit.
    var state: DeliveryState {
        switch exit {
        case .ended(let state, _): state
        case .waiting(_, .held, _, _): .held
        case .waiting: .retrying
        }
    }
}
