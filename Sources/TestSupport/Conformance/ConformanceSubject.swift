import TidingsCore
public import TidingsProvider

/// A provider as ``ProviderConformance`` sees it: how to make it, what it sends, and how its service answers.
public protocol ConformanceSubject: Sendable {
    /// Makes the provider that calls this service, with time-outs of two seconds.
    func makeProvider(calling service: ConformanceService) throws -> any Provider

    /// One that the provider can send: visible, with title and body, to an address of the right form.
    func delivery(calling service: ConformanceService) -> OutgoingDelivery

    /// What must never be in a result, an error or a log line: keys, tokens, passwords, as the provider was given them, and addresses that
    /// whoever knows them may send to. One of several lines is looked for line by line. What the service is sent in the `authorization`
    /// header, and JSON Web Tokens, are looked for without being named here.
    var secrets: [String] { get }

    /// Makes the provider with each secret changed, for a look at the errors; nil where it would be made all the same.
    func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)?

    /// What the provider has logged so far. A provider is given no logger; one that logs nevertheless hands its lines over here.
    var logLines: [String] { get }

    /// Outcomes that this provider cannot report, each with the reason, which a person should find good.
    var unreachable: [ConformanceOutcome: String] { get }

    /// Whether a request carries a delivery, unlike one that fetches an access token.
    func isDelivery(_ request: ConformanceRequest) -> Bool

    /// How the service answers, when it means this; for a request that is no delivery, as it does on a good day.
    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer
}

extension ConformanceSubject {
    public func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)? { nil }
    public var logLines: [String] { [] }
    public var unreachable: [ConformanceOutcome: String] { [:] }
    public func isDelivery(_ request: ConformanceRequest) -> Bool { true }
}

/// Where the service is that plays the provider's.
public struct ConformanceService: Sendable, Hashable {
    /// `https://127.0.0.1:PORT`. It speaks HTTP/2, as libcurl, AsyncHTTPClient and URLSession do over TLS.
    public var origin: String
    /// A PEM file with the certificate to trust.
    public var certificateAuthorityFile: String
}

/// What a provider can say of a delivery.
public enum ConformanceOutcome: String, Sendable, Hashable, CaseIterable {
    case accepted
    case throttled
    case unavailable
    case rejected
    case endpointGone
    case misconfigured
    case unknown

    func matches(_ outcome: Outcome) -> Bool {
        switch (self, outcome) {
        case (.accepted, .accepted), (.rejected, .rejected), (.endpointGone, .endpointGone), (.misconfigured, .misconfigured),
            (.unknown, .unknown):
            true
        case (.throttled, .retry(_, let reason)): reason == .providerThrottled
        case (.unavailable, .retry(_, let reason)): reason != .providerThrottled
        default: false
        }
    }
}

public struct ConformanceRequest: Sendable {
    public var method: String
    /// With its query.
    public var path: String
    /// Names in lower case; of several with one name the last.
    public var headers: [String: String]
    public var body: [UInt8]
}

public struct ConformanceAnswer: Sendable {
    public var status: Int
    public var headers: [(String, String)]
    public var body: String

    public init(_ status: Int, _ body: String = "", headers: [(String, String)] = []) {
        self.status = status
        self.body = body
        self.headers = headers
    }
}
