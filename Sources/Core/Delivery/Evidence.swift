extension Outcome {
    /// The evidence of a call about the health of its receiver, for the ``Breaker`` of the endpoint and that of the host.
    public enum Evidence: Sendable, Hashable {
        /// The receiver answers, even if with a refusal.
        case healthy
        /// The endpoint does not work. Other endpoints of the host may work.
        case failing
        /// There is no connection to the host, so no endpoint of the host can be reached.
        case unreachable
        /// The host answers, and only asks for a later call. The answer tells nothing about the endpoint.
        case reachable
        /// The call is no evidence, because nobody was asked.
        case none
    }

    /// The evidence of the statuses of HTTP from `statuses`, with the source of the rule.
    public struct EvidenceRule: Sendable, Hashable {
        public let statuses: ClosedRange<Int>
        public let evidence: Evidence
        public let source: String
    }

    /// The evidence of an answer that asks for a retry. The first rule with the status applies.
    ///
    /// A client error speaks of the request and of its endpoint. The server that says so works.
    public static let evidenceRules = [
        EvidenceRule(statuses: 408...408, evidence: .reachable, source: "RFC 9110, 15.5.9"),
        EvidenceRule(statuses: 425...425, evidence: .reachable, source: "RFC 8470, 5.2"),
        EvidenceRule(statuses: 429...429, evidence: .reachable, source: "RFC 6585, 4"),
        EvidenceRule(statuses: 200...499, evidence: .healthy, source: "RFC 9110, 15.3 to 15.5"),
        EvidenceRule(statuses: 500...599, evidence: .failing, source: "RFC 9110, 15.6"),
        EvidenceRule(statuses: 600...999, evidence: .failing, source: "RFC 9110, 15: an invalid status is treated as 5xx"),
    ]

    /// Returns the evidence of the outcome.
    ///
    /// - Parameter status: the status of the answer, nil without an answer. A refusal without an answer is no evidence: the provider
    ///   refused the delivery before the call.
    func evidence(status: Int?) -> Evidence {
        switch self {
        case .accepted: .healthy
        // Wrong credentials concern the account: the host that refuses them works.
        case .rejected, .endpointGone, .misconfigured: status == nil ? .none : .healthy
        case .unknown: .failing
        case .retry(_, .rateLimited), .retry(_, .breakerOpen): .none
        case .retry(_, .providerThrottled): status == nil ? .none : .reachable
        case .retry(_, let reason):
            if let status {
                Self.evidenceRules.first { $0.statuses.contains(status) }?.evidence ?? .failing
            } else {
                Self.evidenceWithoutAnswer(reason)
            }
        }
    }

    /// A request that certainly did not arrive got no connection, or lost it. The path of the request plays no part in that.
    private static func evidenceWithoutAnswer(_ reason: ReasonCode) -> Evidence {
        switch reason {
        case .dnsFailed, .connectionFailed, .tlsFailed, .timeout: .unreachable
        default: .failing
        }
    }
}

extension SendResult {
    /// The evidence of the result about its receiver: that of the provider if it states one, else that of outcome and status.
    public var evidence: Outcome.Evidence { statedEvidence ?? outcome.evidence(status: status) }
}

extension SendResult {
    /// The statuses that ask for fewer calls to the endpoint, even without `Retry-After` (Standard Webhooks 1.0.0).
    public static let throttlingStatuses: Set<Int> = [429, 502, 504]

    /// The pause that the answer asks for, of all calls to its endpoint. Nil if the answer asks for none. Zero if the answer names no time.
    public var requestedPause: Duration? {
        guard let status, case .retry(let after, let reason) = outcome else { return nil }
        return after ?? (reason == .providerThrottled || Self.throttlingStatuses.contains(status) ? .zero : nil)
    }
}

extension Sequence<SendResult> {
    /// The longest ``SendResult/requestedPause`` of the results of one call.
    public var requestedPause: Duration? { lazy.compactMap(\.requestedPause).max() }

    /// The evidence of a call with several results. One good answer shows that the receiver works. Results of deliveries that the provider
    /// refused before the call do not count.
    public var evidence: Outcome.Evidence { lazy.map(\.evidence).max { $0.weight < $1.weight } ?? .none }
}

extension Outcome.Evidence {
    fileprivate var weight: Int {
        switch self {
        case .none: 0
        case .unreachable: 1
        case .reachable: 2
        case .failing: 3
        case .healthy: 4
        }
    }
}
