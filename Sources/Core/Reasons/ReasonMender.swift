/// The side that must change something before a later delivery can succeed, if a delivery failed or had no provider.
public enum ReasonMender: Sendable, Hashable, CaseIterable {
    /// The operator of Tidings: settings, catalogue, content, or the address of a person.
    case `operator`
    /// The owner of the called system. Except for webhooks, whose receivers are outside, the operator has to follow it up.
    case receiver
    /// No side: the failure is a part of normal operation.
    case nobody
}

extension ReasonCode {
    /// The mender of a delivery that failed with this reason, or that was suppressed with ``noProvider``. Nil for any other reason.
    ///
    /// `tidings_ops.recent_failures` counts the same deliveries.
    public var mender: ReasonMender? {
        guard states.contains(.failed) || self == .noProvider else { return nil }
        return switch self {
        case .endpointGone, .outcomeUnknown, .workerDied: .nobody
        case .providerThrottled, .providerUnavailable, .timeout, .connectionFailed, .httpStatus, .redirectRefused, .responseTooLarge,
            .tlsFailed, .dnsFailed, .retriesExhausted:
            .receiver
        default: .operator
        }
    }
}
