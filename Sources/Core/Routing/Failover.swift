extension Outcome {
    /// Whether an attempt failed for what this provider is or says, so that another may do better. What is wrong with the notification itself is
    /// wrong everywhere; a device that is gone is gone; and what may have arrived is not sent by somebody else as well.
    public var isOfThisProvider: Bool {
        switch self {
        case .misconfigured: true
        case .rejected(let reason): reason != .payloadTooLarge && reason != .contentMissing
        case .accepted, .retry, .endpointGone, .unknown: false
        }
    }
}

/// What a waiting delivery has behind it, as far as it says where it may go.
public struct DeliveryPast: Sendable, Hashable {
    /// Providers that gave it up. None of them gets it again.
    public var failed: Set<String>
    /// Providers that were not called for it because they had been failing. They get it when nobody else is left.
    public var passedOver: Set<String>
    /// Why its provider just gave it up; nil when it did not.
    public var because: ReasonCode?
    /// It has been sent, or tried, by its provider, and stays there while that carries it.
    public var keepsProvider: Bool
    /// What was to go out on its channel when the notification was accepted, in order: what came before it, and after it.
    public var before: [PlannedDelivery]
    public var after: [PlannedDelivery]
    /// Devices whose plan has the notification; a push does not go there as well.
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

    /// Takes a provider for one that gave it up, or that was passed over.
    public mutating func leave(_ provider: String, because reason: ReasonCode) {
        if reason == .breakerOpen { passedOver.insert(provider) } else { failed.insert(provider) }
    }

    var others: [PlannedDelivery] { before + after }
}

extension DeliveryPast {
    /// The end of a failover: those that go out go out, and where nobody is left the last reason is the end.
    ///
    /// Nil when its provider is to be asked again after all: it was passed over for failing lately, and so was everybody else who can take it.
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
