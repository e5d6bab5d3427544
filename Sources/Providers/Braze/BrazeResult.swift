import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// What Braze's answer, or its absence, means for every delivery of the call.
///
/// Any success means that Braze took it: errors beside it are about single people, whom it does not name.
func brazeResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(failure.outcome, detail: failure.message)
    case .response(let response):
        let answer = BrazeAnswer(response.body)
        let outcome = outcome(of: response, answer, now: now)
        if case .accepted = outcome {
            return SendResult(outcome, status: response.status, detail: answer.errors.joined(separator: "; "))
        }
        return SendResult(outcome, status: response.status, detail: answer.words)
    }
}

/// `{"message": "success", "dispatch_id": "…", "errors": ["…"]}`, each member where it is there.
private struct BrazeAnswer {
    var message: String?
    var dispatchID: String?
    var errors: [String]
    /// All that was said; the answer itself where it is something else.
    var words: String

    var isSuccess: Bool { message == "success" }

    init(_ body: [UInt8]) {
        let json = try? JSON.parse(body)
        message = json?["message"]?.stringValue
        dispatchID = json?["dispatch_id"]?.stringValue
        errors = (json?["errors"]?.arrayValue ?? []).map { $0.stringValue ?? $0.serialized }
        let said = [message].compactMap(\.self) + errors
        words = said.isEmpty ? String(decoding: body, as: UTF8.self) : said.joined(separator: "; ")
    }
}

private func outcome(of response: HTTPResponse, _ answer: BrazeAnswer, now: Timestamp) -> Outcome {
    let after = response.header("retry-after").flatMap { retryAfter($0, now: now) }
    return switch response.status {
    case 200...299: answer.isSuccess ? .accepted(providerMessageID: answer.dispatchID, delivered: false) : .unknown(.outcomeUnknown)
    case 300...399: .misconfigured(.redirectRefused)
    case 400: refusal(answer.words)
    case 401, 403, 404: .misconfigured(.misconfigured)
    case 429: .retry(after: untilReset(response, now: now) ?? after, .providerThrottled)
    case 500...599: .retry(after: after, .providerUnavailable)
    default: .retry(after: after, .httpStatus)
    }
}

/// What a 400 is about, which only its words tell.
private func refusal(_ words: String) -> Outcome {
    let words = words.lowercased()
    if configurationFaults.contains(where: words.contains) { return .misconfigured(.misconfigured) }
    if words.contains("push length exceeded") { return .rejected(.payloadTooLarge) }
    return .rejected(.providerRejected)
}

private let configurationFaults = [
    "invalid campaign id", "message variant unspecified", "invalid message variant", "mismatched message type",
]

/// `X-RateLimit-Reset` is an instant in Unix seconds, no delay.
private func untilReset(_ response: HTTPResponse, now: Timestamp) -> Duration? {
    guard let seconds = response.header("x-ratelimit-reset").flatMap({ Int64($0) }) else { return nil }
    return min(max(.zero, Timestamp(seconds: seconds) - now), longestReset)
}

/// Braze counts by the hour; more is a clock that is wrong.
private let longestReset = Duration.seconds(3_600)
