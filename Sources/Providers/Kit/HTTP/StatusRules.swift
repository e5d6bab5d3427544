public import TidingsCore
public import TidingsHTTP

/// The end of a delivery by the HTTP status of the answer: the common rules, and before them the rules of one provider.
///
/// The rules decide about the delivery alone. The evidence of the same answer about endpoint and host is another table:
/// ``TidingsCore/Outcome/evidenceRules``. If a call got no answer, ``TidingsHTTP/HTTPFailure/outcome`` decides.
public struct StatusRules: Sendable {
    public enum End: Sendable, Hashable {
        /// The delivery is retried, not before the time that `Retry-After` names.
        case retry(ReasonCode)
        case rejected(ReasonCode)
        case gone
        case misconfigured(ReasonCode)
        case unknown(ReasonCode)
    }

    /// One row of the table.
    public struct Rule: Sendable, Hashable {
        public let statuses: ClosedRange<Int>
        public let end: End
        /// The section of the standard, or the documentation of the provider.
        public let source: String

        public init(_ statuses: ClosedRange<Int>, _ end: End, _ source: String) {
            self.statuses = statuses
            self.end = end
            self.source = source
        }

        public init(_ status: Int, _ end: End, _ source: String) { self.init(status...status, end, source) }
    }

    /// The rules for every provider. The first rule with the status applies.
    ///
    /// A success of this table is one that the provider did not recognise as the answer of its service. Such an answer comes from another
    /// server, such as a proxy.
    public static let common = [
        Rule(200...299, .unknown(.outcomeUnknown), "RFC 9110, 15.3"),
        Rule(300...399, .misconfigured(.redirectRefused), "RFC 9110, 15.4"),
        Rule(401, .misconfigured(.misconfigured), "RFC 9110, 15.5.2"),
        Rule(403, .misconfigured(.misconfigured), "RFC 9110, 15.5.4"),
        Rule(408, .retry(.httpStatus), "RFC 9110, 15.5.9"),
        Rule(413, .rejected(.payloadTooLarge), "RFC 9110, 15.5.14"),
        Rule(425, .retry(.httpStatus), "RFC 8470, 5.2"),
        Rule(429, .retry(.providerThrottled), "RFC 6585, 4"),
        Rule(400...499, .rejected(.providerRejected), "RFC 9110, 15.5"),
        Rule(500...599, .retry(.providerUnavailable), "RFC 9110, 15.6"),
        Rule(600...999, .retry(.providerUnavailable), "RFC 9110, 15: an invalid status is treated as 5xx"),
    ]

    private let rules: [Rule]

    /// - Parameter own: the rules of one provider. They come before the common rules.
    public init(_ own: [Rule] = []) { rules = own + Self.common }

    /// Returns the end for a status. A status that no rule has, which no final answer has, is a refusal.
    public func end(of status: Int) -> End { rules.first { $0.statuses.contains(status) }?.end ?? .rejected(.providerRejected) }

    /// Returns the outcome for an answer.
    ///
    /// - Parameter now: the time for a `Retry-After` that is a date.
    public func outcome(of response: HTTPResponse, now: Timestamp) -> Outcome {
        switch end(of: response.status) {
        case .retry(let reason): .retry(after: response.requestedPause(now: now), reason)
        case .rejected(let reason): .rejected(reason)
        case .gone: .endpointGone
        case .misconfigured(let reason): .misconfigured(reason)
        case .unknown(let reason): .unknown(reason)
        }
    }
}
