import TidingsCore

/// One provider's part in `tidings capture`: it checks what the real one checks and answers as the real one does.
protocol StandIn: Sendable {
    /// Requests at and below this path are its own: `/fcm`.
    static var path: String { get }

    func answer(_ request: StandInRequest) -> StandInAnswer
}

struct StandInRequest: Sendable {
    var method: String
    /// Below the stand-in's own: `/v1/projects/shop/messages:send`.
    var path: String
    /// Names in lower case; of several with one name the last.
    var headers: [String: String]
    var body: [UInt8]
    var now: Timestamp
    /// The HTTP/2 connection it came on, from 1; 0 over HTTP/1.1, where connections mean nothing.
    var connection = 0
    /// Where it was sent to, without a path: `https://127.0.0.1:8443`.
    var origin = ""
}

/// What a stand-in makes of a request. A behaviour set for its path comes first; only when that means success does this answer go out.
struct StandInAnswer: Sendable {
    /// Whom it sends what: the person or token, and the notification where the request tells; repetitions are counted by it. Nil for a request
    /// that sends nothing.
    var messageID: String?
    var response: CaptureAnswer.Response
    /// In place of ``response`` for the first request with this id, as for ``FixedRecipient/flaky``.
    var first: CaptureAnswer.Response?
    /// No answer at all, for ``CaptureLimits/longestHold``.
    var hangs = false
    /// The connection may have as many streams at once as the server allows; until some answer says so, APNs allows one.
    var allowsManyStreams = false

    func answer(attempt: Int) -> CaptureAnswer {
        if hangs { return .close(after: CaptureLimits.longestHold) }
        return .http(attempt == 1 ? first ?? response : response)
    }
}

extension CaptureAnswer.Response {
    /// An answer in JSON, as every provider gives it.
    static func json(_ status: Int, _ body: [UInt8], headers: [(String, String)] = []) -> CaptureAnswer.Response {
        CaptureAnswer.Response(status: status, headers: [("content-type", "application/json; charset=utf-8")] + headers, body: body)
    }
}

/// Recipients with a known end: a person `test+gone`, or a device whose token contains that.
enum FixedRecipient: String, CaseIterable, Sendable {
    case delivered, rejected, gone, throttled, flaky, timeout

    /// The one that an address names; nil for every other address.
    static func named(in address: String) -> FixedRecipient? {
        allCases.first { address.contains("test+\($0.rawValue)") }
    }

    /// Seconds that ``throttled`` is told to wait.
    static let throttledSeconds = 2
}
