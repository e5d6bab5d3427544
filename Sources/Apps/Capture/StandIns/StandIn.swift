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

/// What a stand-in makes of a request. A behaviour set for its path comes first; only when that means success, with no body of its own, does
/// this answer go out.
struct StandInAnswer: Sendable {
    /// Whom it sends what: the person or token, and the notification where the request tells; repetitions are counted by it. Nil for a request
    /// that sends nothing.
    var messageID: String?
    var response: CaptureAnswer.Response
    /// In place of ``response`` for the first request with this id, as for ``FixedRecipient/flaky``.
    var first: CaptureAnswer.Response?
    /// No answer at all, for ``CaptureLimits/longestHold``.
    var hangs = false

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

/// What an address asks for: the text after its first `test+`. Looked for in the bytes, since every request asks and next to none has one.
struct AskedEnd {
    private let text: Substring.UTF8View

    /// Nil for an address that asks for nothing.
    init?(of address: String) {
        let (bytes, mark) = (address.utf8, "test+".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: "t") && bytes[$0...].starts(with: mark) }) else {
            return nil
        }
        text = bytes[start...].dropFirst(mark.count)
    }

    func begins(with name: String) -> Bool { text.starts(with: name.utf8) }
}

/// Recipients with a known end: a person `test+gone`, or a device whose token contains that.
enum FixedRecipient: String, CaseIterable, Sendable {
    case delivered, rejected, gone, throttled, flaky, timeout

    /// The one that an address names; nil for every other address.
    static func named(in address: String) -> FixedRecipient? {
        AskedEnd(of: address).flatMap { asked in allCases.first { asked.begins(with: $0.rawValue) } }
    }

    /// Seconds that ``throttled`` is told to wait.
    static let throttledSeconds = 2
}
