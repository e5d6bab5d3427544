public import TidingsCore
public import TidingsProvider

/// A provider as ``ProviderConformance`` needs it: a way to make it, its deliveries, and the answers of its service.
public protocol ConformanceSubject: Sendable {
    /// Makes the provider that calls this service, with timeouts of two seconds.
    func makeProvider(calling service: ConformanceService) throws -> any Provider

    /// A delivery that the provider can send: visible, with title and body, to an address of the right form.
    func delivery(calling service: ConformanceService) -> OutgoingDelivery

    /// The secrets that must never be in a result, an error or a log line.
    ///
    /// Name keys, tokens and passwords as the provider was given them. Also name addresses to which anybody who knows them may send. A
    /// secret of several lines is searched for line by line. The contents of the `authorization` header and JSON Web Tokens are searched
    /// for without being named here.
    var secrets: [String] { get }

    /// Makes the provider with each secret changed, to check its errors. Returns nil if the provider does not check its secrets.
    func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)?

    /// The provider's log lines so far. Tidings gives a provider no logger. A provider that logs nevertheless must return its lines here.
    var logLines: [String] { get }

    /// Outcomes that this provider cannot report, each with a reason for a human reviewer.
    var unreachable: [ConformanceOutcome: String] { get }

    /// Whether a request carries a delivery. False for example for a request that fetches an access token.
    func isDelivery(_ request: ConformanceRequest) -> Bool

    /// The content of a delivery's request, in the places where the service looks for it. Without it, the content is not tested.
    func content(of request: ConformanceRequest) -> ConformanceContent

    /// The tokens of devices that the test registers and sends to. Nil for a provider whose endpoints are no devices.
    func tokens(calling service: ConformanceService) -> ConformanceTokens?

    /// The service's answer with this meaning. For a request that is not a delivery, the meaning is always success.
    func answer(to request: ConformanceRequest, meaning outcome: ConformanceOutcome) -> ConformanceAnswer
}

extension ConformanceSubject {
    public func makeProvider(calling service: ConformanceService, changing change: (String) -> String) throws -> (any Provider)? { nil }
    public var logLines: [String] { [] }
    public var unreachable: [ConformanceOutcome: String] { [:] }
    public func isDelivery(_ request: ConformanceRequest) -> Bool { true }
    public func content(of request: ConformanceRequest) -> ConformanceContent { ConformanceContent() }
    public func tokens(calling service: ConformanceService) -> ConformanceTokens? { nil }
}

/// Tokens as apps write them, and their reader.
public struct ConformanceTokens: Sendable {
    /// `ProviderFactory.deviceToken(_:)` of the provider.
    public var read: @Sendable (String) throws(DeviceToken.Fault) -> DeviceToken
    /// Spellings of one token. All of them name the same device, and deliveries to each arrive.
    public var spellings: [String]
    /// Tokens of other devices.
    public var others: [String]
    /// Texts to which no delivery can ever arrive.
    public var malformed: [String]

    public init(
        read: @escaping @Sendable (String) throws(DeviceToken.Fault) -> DeviceToken, spellings: [String], others: [String],
        malformed: [String]
    ) {
        self.read = read
        self.spellings = spellings
        self.others = others
        self.malformed = malformed
    }
}

/// The address of the service that replaces the provider's own.
public struct ConformanceService: Sendable, Hashable {
    /// `https://127.0.0.1:PORT`. The service speaks HTTP/2, as libcurl, AsyncHTTPClient and URLSession do over TLS.
    public var origin: String
    /// A PEM file with the certificate to trust.
    public var certificateAuthorityFile: String
}

/// The outcomes that a provider can report for a delivery.
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
    /// The path with its query.
    public var path: String
    /// Names in lower case. If a name appears more than once, the last value counts.
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
