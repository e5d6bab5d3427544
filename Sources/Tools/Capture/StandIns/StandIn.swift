import TidingsCore

/// The part of `tidings capture` that plays one provider. Makes the provider's checks and gives the provider's answers.
protocol StandIn: Sendable {
    /// The path of the stand-in, such as `/fcm`. Requests at and below this path belong to it.
    static var path: String { get }

    func answer(_ request: StandInRequest) -> StandInAnswer
}

struct StandInRequest: Sendable {
    var method: String
    /// The path below the stand-in's own: `/v1/projects/shop/messages:send`.
    var path: String
    /// Names in lower case. If a name appears more than once, the last value counts.
    var headers: [String: String]
    var body: [UInt8]
    var now: Timestamp
    /// The number of the request's HTTP/2 connection, from 1. 0 over HTTP/1.1, where the connection has no meaning.
    var connection = 0
    /// The address of the server without a path: `https://127.0.0.1:8443`.
    var origin = ""
}

/// The answer of a stand-in to a request. A behaviour that was set for the path has priority. The stand-in's answer is sent only if there
/// is no such behaviour, or if the behaviour means success and has no body of its own.
struct StandInAnswer: Sendable {
    /// The person or token, and the notification if the request names one. Repetitions are counted by this id. Nil for a request that sends
    /// nothing.
    var messageID: String?
    var response: CaptureAnswer.Response
    /// The answer to the first request with this id, instead of ``response``. For example for ``FixedRecipient/flaky``.
    var first: CaptureAnswer.Response?
    /// Whether the request gets no answer, for ``CaptureLimits/longestHold``.
    var hangs = false

    func answer(attempt: Int) -> CaptureAnswer {
        if hangs { return .close(after: CaptureLimits.longestHold) }
        return .http(attempt == 1 ? first ?? response : response)
    }
}

extension CaptureAnswer.Response {
    /// An answer in JSON, which every provider uses.
    static func json(_ status: Int, _ body: [UInt8], headers: [(String, String)] = []) -> CaptureAnswer.Response {
        CaptureAnswer.Response(status: status, headers: [("content-type", "application/json; charset=utf-8")] + headers, body: body)
    }
}

/// The end that an address asks for: the text after its first `test+`. The search compares bytes, because every request is searched and
/// almost none asks for an end.
struct AskedEnd {
    private let text: Substring.UTF8View

    /// Returns nil if the address asks for nothing.
    init?(of address: String) {
        let (bytes, mark) = (address.utf8, "test+".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: "t") && bytes[$0...].starts(with: mark) }) else {
            return nil
        }
        text = bytes[start...].dropFirst(mark.count)
    }

    func begins(with name: String) -> Bool { text.starts(with: name.utf8) }
}

/// Recipients with a fixed end: a person `test+gone`, or a device whose token contains that text.
enum FixedRecipient: String, CaseIterable, Sendable {
    case delivered, rejected, gone, throttled, flaky, timeout

    /// Returns the fixed recipient that an address names; nil for every other address.
    static func named(in address: String) -> FixedRecipient? {
        AskedEnd(of: address).flatMap { asked in allCases.first { asked.begins(with: $0.rawValue) } }
    }

    /// The seconds in the `retry-after` for ``throttled``.
    static let throttledSeconds = 2
}
