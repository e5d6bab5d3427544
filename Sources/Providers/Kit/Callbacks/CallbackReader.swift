public import TidingsCore

/// Reads the requests with which a service reports the fate of deliveries. A module of a provider makes one from its settings.
///
/// A reader checks first that the service itself sent the request, and only then reads the body. It compares secrets in constant time, and
/// no answer contains a secret. It has no state and makes no call.
///
/// A body is written by others. A part that the reader does not need must not cost the reports: read JSON with
/// ``TidingsJSON/JSON/parse(leniently:limits:refusingDuplicates:)``.
public protocol CallbackReader: Sendable {
    /// The content types that the reader reads, in lower case and without parameters: `application/json`. A request with another type is
    /// refused before its body is read.
    var mediaTypes: [String] { get }

    /// Judges the headers of a request before its body is read. The answer of a reader without this function is ``CallbackProof/open``.
    ///
    /// A stranger then costs no memory. ``read(_:)`` judges the whole request again.
    ///
    /// - Parameter head: the request with an empty body.
    func proof(in head: CallbackRequest) -> CallbackProof

    func read(_ request: CallbackRequest) -> CallbackReading
}

extension CallbackReader {
    public func proof(in head: CallbackRequest) -> CallbackProof { .open }
}

/// The proof that the headers of a request give.
public enum CallbackProof: Sendable, Hashable {
    /// No body makes the request one of the service. The reason is for the operator's log and contains no secret.
    case refused(reason: String)
    /// The service sent the request, whatever the body is.
    case proven
    /// The body decides.
    case open
}

/// A request of a service, as it arrived.
public struct CallbackRequest: Sendable {
    /// The most bytes of a body.
    public static let maximumBodyBytes = 256 << 10
    /// The most reports of one body. A body with more is malformed.
    public static let maximumReports = 1_000

    public let method: String
    /// Path and query as they arrived, still percent-encoded. A signature may cover the address: the origin that the service calls is then
    /// a setting of the provider, because a proxy may stand between.
    public let target: String
    /// The bytes that a signature covers. At most ``maximumBodyBytes``.
    public let body: [UInt8]
    public let receivedAt: Timestamp
    private let headers: [(name: String, value: String)]

    public init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8], receivedAt: Timestamp) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.receivedAt = receivedAt
    }

    /// The value of a header. Nil if the header is absent, and also if it comes twice: the value that counts would then be a guess.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }
        return values.count == 1 ? values[0].value : nil
    }
}

/// The content of a request of a service.
public enum CallbackReading: Sendable, Hashable {
    /// The request does not prove that the service sent it. The reason is for the operator's log and contains no secret.
    case unauthenticated(reason: String)
    /// The service sent the request, and the body as a whole is not in the form that the settings describe.
    case malformed(reason: String)
    /// The reports in the order of the body. Empty if the body has none.
    ///
    /// `unreadable` has a reason for each event from which no report can be made, for the operator's log. The request still counts as
    /// taken: the service would only send the same events again.
    case reports([DeliveryReport], unreadable: [String] = [])
}
