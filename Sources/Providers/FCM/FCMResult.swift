import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The ends of a message that differ from the common ones, for an answer without a code of FCM or google.rpc. The project stands in the
/// path.
let fcmRules = StatusRules([
    .init(404, .misconfigured(.misconfigured), "Firebase, FCM error codes")
])

/// Google's pauses before a retry.
enum FCMRetry {
    /// The pause after "too many messages" if the answer names no time.
    static let throttled = Duration.seconds(60)
    /// The shortest pause after a failure inside FCM, and after a call without FCM's answer.
    static let shortest = Duration.seconds(10)
}

/// Returns the result of a delivery for an answer of `messages:send` or a failed call.
///
/// FCM's own code counts first, then the status of google.rpc, then the status of HTTP. The last two are the same for a dead token and a
/// wrong project. After a success FCM has the message, the device does not have it yet.
func fcmResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(paused(failure.outcome), detail: failure.message)
    case .response(let response) where (200...299).contains(response.status):
        guard let name = (try? JSON.parse(leniently: response.body))?["name"]?.stringValue, !name.isEmpty else {
            return SendResult(
                paused(.unknown(.outcomeUnknown)), status: response.status, detail: "the answer names no message: \(response.text)")
        }
        return SendResult(.accepted(providerMessageID: name, delivered: false), status: response.status)
    case .response(let response):
        let error = FCMError(body: response.body)
        let after = response.requestedPause(now: now)
        let outcome =
            outcome(code: error.code, error, after) ?? outcome(status: error.status, after) ?? outcome(of: response, now: now)
        return SendResult(outcome, status: response.status, detail: error.words ?? response.text)
    }
}

/// Whether FCM refused only the access token. A fresh token may help then.
func refusesAccessToken(_ result: HTTPResult) -> Bool {
    guard case .response(let response) = result, response.status == 401 else { return false }
    return FCMError(body: response.body).code == nil
}

private func outcome(code: String?, _ error: FCMError, _ after: Duration?) -> Outcome? {
    switch code {
    case "UNREGISTERED": .endpointGone
    case "INVALID_ARGUMENT": error.saysTokenIsInvalid ? .endpointGone : .rejected(.providerRejected)
    // The token belongs to another project. Keep the device, because the configured project may be the wrong one.
    case "SENDER_ID_MISMATCH": .rejected(.tokenMalformed)
    case "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR": .misconfigured(.misconfigured)
    case "QUOTA_EXCEEDED": throttled(after)
    case "INTERNAL", "UNAVAILABLE", "UNSPECIFIED_ERROR": unavailable(after)
    default: nil
    }
}

private func outcome(status: String?, _ after: Duration?) -> Outcome? {
    switch status {
    case "UNREGISTERED": .endpointGone
    case "INVALID_ARGUMENT": .rejected(.providerRejected)
    case "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND": .misconfigured(.misconfigured)
    case "RESOURCE_EXHAUSTED": throttled(after)
    case "INTERNAL", "UNAVAILABLE": unavailable(after)
    default: nil
    }
}

/// The outcome of a status of HTTP, with Google's pauses.
private func outcome(of response: HTTPResponse, now: Timestamp) -> Outcome {
    switch fcmRules.outcome(of: response, now: now) {
    case .retry(let after, .providerThrottled): throttled(after)
    case let outcome: paused(outcome)
    }
}

/// The same outcome with at least the shortest pause before another attempt.
private func paused(_ outcome: Outcome) -> Outcome {
    switch outcome {
    case .retry(let after, let reason): .retry(after: max(after ?? .zero, FCMRetry.shortest), reason)
    case .unknown(let after, let reason): .unknown(after: max(after ?? .zero, FCMRetry.shortest), reason)
    case .accepted, .rejected, .endpointGone, .misconfigured: outcome
    }
}

private func throttled(_ after: Duration?) -> Outcome {
    .retry(after: after ?? FCMRetry.throttled, .providerThrottled)
}

private func unavailable(_ after: Duration?) -> Outcome {
    .retry(after: max(after ?? .zero, FCMRetry.shortest), .providerUnavailable)
}
