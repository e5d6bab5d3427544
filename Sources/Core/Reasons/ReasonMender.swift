/// The side that must change something before a later delivery can succeed, if a delivery failed.
public enum ReasonMender: Sendable, Hashable, CaseIterable {
    /// The operator of Tidings: settings, catalogue, content, or the address of a person.
    case `operator`
    /// The owner of the called system. Except for webhooks, whose receivers are outside, the operator has to follow it up.
    case receiver
    /// No side: the failure is a part of normal operation.
    case nobody
}

extension ReasonCode {
    /// The mender of a failed delivery with this reason. Nil for a reason that no failed delivery has.
    public var mender: ReasonMender? {
        guard states.contains(.failed) else { return nil }
        return switch self {
        case .endpointGone, .outcomeUnknown, .workerDied: .nobody
        case .providerThrottled, .providerUnavailable, .timeout, .connectionFailed, .httpStatus, .redirectRefused, .responseTooLarge,
            .tlsFailed, .dnsFailed, .retriesExhausted:
            .receiver
        default: .operator
        }
    }
}
