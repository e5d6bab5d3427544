// Failover moves a delivery to another provider. A worker only settles the delivery as `failover`. A releaser reads the history of the
// delivery (`DeliveryPast`) and plans again (`reroute`). Providers of the history fall into three groups:
//
// - failed: the provider refused the delivery or is misconfigured. The delivery does not return to it, unless an operator retries it.
// - passed over: the breaker of the provider was open, so nothing was sent. The provider comes last in the order.
// - kept: the delivery is retried or recovered, so an attempt at the present provider may have arrived. The provider comes first.

extension Outcome {
    /// Whether an attempt failed because of this provider, so that another provider may succeed.
    ///
    /// - If the notification itself is wrong, every provider refuses it.
    /// - If the device is gone, no provider reaches it.
    /// - If the attempt may have arrived, no other provider may send it as well.
    public var isOfThisProvider: Bool {
        switch self {
        case .misconfigured: true
        case .rejected(let reason): reason != .payloadTooLarge && reason != .contentMissing
        case .accepted, .retry, .endpointGone, .unknown: false
        }
    }
}

/// The history of a waiting delivery, as far as it decides where the delivery may go.
public struct DeliveryPast: Sendable, Hashable {
    /// Providers that failed with the delivery. None of them gets it again.
    public var failed: Set<String>
    /// Providers that were skipped for the delivery because their breaker was open. They get it if no other provider is left.
    public var passedOver: Set<String>
    /// The reason why its provider just failed or was skipped. Nil if neither happened.
    public var because: ReasonCode?
    /// Whether its provider has sent or tried the delivery. The delivery then stays with this provider as long as the provider serves it.
    public var keepsProvider: Bool
    /// The deliveries planned on its channel when the notification was accepted, in order: those before this delivery, and those after it.
    public var before: [PlannedDelivery]
    public var after: [PlannedDelivery]
    /// Devices that have the notification in their plan. A push is not sent there as well.
    public var plannedOn: Set<String>

    public init(
        failed: Set<String> = [], passedOver: Set<String> = [], because: ReasonCode? = nil, keepsProvider: Bool = false,
        before: [PlannedDelivery] = [], after: [PlannedDelivery] = [], plannedOn: Set<String> = []
    ) {
        self.failed = failed
        self.passedOver = passedOver
        self.because = because
        self.keepsProvider = keepsProvider
        self.before = before
        self.after = after
        self.plannedOn = plannedOn
    }

    /// Records that the delivery leaves a provider. For `breakerOpen` the provider was skipped, for every other reason it failed.
    public mutating func leave(_ provider: String, because reason: ReasonCode) {
        if reason == .breakerOpen { passedOver.insert(provider) } else { failed.insert(provider) }
    }

    var others: [PlannedDelivery] { before + after }
}

extension DeliveryPast {
    /// Returns the deliveries to send next after a failover. If no provider is left, returns the original delivery, failed with the last
    /// reason.
    ///
    /// Returns nil if the delivery must wait for its own provider. In this case the breaker of this provider is open, and every other
    /// provider that can take the delivery was skipped as well.
    func conclude(_ next: [PlannedDelivery], of planned: PlannedDelivery) -> [PlannedDelivery]? {
        guard let because else { return next }
        let open = next.filter(\.verdict.isOpen)
        if because == .breakerOpen { return open.contains { !passedOver.contains($0.provider) } ? open : nil }
        if !open.isEmpty { return open }
        guard let reason = next.first?.verdict.reason, DeliveryPast.nobodyIsLeft.contains(reason) else { return next }
        return [planned.with(.notSent(state: .failed, reason: because))]
    }

    private static let nobodyIsLeft: Set<ReasonCode> = [.noProvider, .noDevice, .noAddress, .endpointGone, .sameDevice, .permissionDenied]
}
