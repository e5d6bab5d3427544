import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The ends of a message that differ from the common ones. For a 400 the words of the answer decide.
let brazeRules = StatusRules([
    .init(404, .misconfigured(.misconfigured), "Braze, API errors")
])

/// Returns the result of every delivery in a call, for Braze's answer or a failed call.
///
/// Every success means that Braze accepted the message. Errors in such an answer are about single people, whom Braze does not name.
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

/// Braze's answer: `{"message": "success", "dispatch_id": "…", "errors": ["…"]}`. Every member may be absent.
private struct BrazeAnswer {
    var message: String?
    var dispatchID: String?
    var errors: [String]
    /// The message and the errors; the body itself if the answer has neither.
    var words: String

    var isSuccess: Bool { message == "success" }

    init(_ body: [UInt8]) {
        let json = try? JSON.parse(leniently: body)
        message = json?["message"]?.stringValue
        dispatchID = json?["dispatch_id"]?.stringValue
        errors = (json?["errors"]?.arrayValue ?? []).map { $0.stringValue ?? $0.serialized }
        let said = [message].compactMap(\.self) + errors
        words = said.isEmpty ? String(decoding: body, as: UTF8.self) : said.joined(separator: "; ")
    }
}

private func outcome(of response: HTTPResponse, _ answer: BrazeAnswer, now: Timestamp) -> Outcome {
    if (200...299).contains(response.status), answer.isSuccess {
        return .accepted(providerMessageID: answer.dispatchID, delivered: false)
    }
    if response.status == 400 { return refusal(answer.words) }
    let outcome = brazeRules.outcome(of: response, now: now)
    guard case .retry(let after, .providerThrottled) = outcome else { return outcome }
    return .retry(after: untilReset(response, now: now) ?? after, .providerThrottled)
}

/// Returns the outcome of a 400. Only the words of the answer tell the cause.
private func refusal(_ words: String) -> Outcome {
    let words = words.lowercased()
    if configurationFaults.contains(where: words.contains) { return .misconfigured(.misconfigured) }
    if words.contains("push length exceeded") { return .rejected(.payloadTooLarge) }
    return .rejected(.providerRejected)
}

private let configurationFaults = [
    "invalid campaign id", "message variant unspecified", "invalid message variant", "mismatched message type",
]

/// Returns the time until the limit is reset. `X-RateLimit-Reset` is a time in Unix seconds, not a delay.
private func untilReset(_ response: HTTPResponse, now: Timestamp) -> Duration? {
    guard let seconds = response.header("x-ratelimit-reset").flatMap({ Int64($0) }) else { return nil }
    return min(max(.zero, Timestamp(seconds: seconds) - now), longestReset)
}

/// One hour, because Braze counts calls by the hour. A longer wait comes from a wrong clock.
private let longestReset = Duration.seconds(3_600)
