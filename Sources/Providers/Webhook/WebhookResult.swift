import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Returns the result of a delivery for an answer or a failed call: the table of Standard Webhooks 1.0.0.
///
/// A redirect counts as a refusal. Redirects are never followed, and another attempt would get the same redirect.
func webhookResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .response(let response):
        let isSuccess = (200...299).contains(response.status)
        return SendResult(
            outcome(of: response, now: now), status: response.status,
            detail: isSuccess ? nil : String(decoding: response.body, as: UTF8.self))
    case .failed(let failure):
        return SendResult(outcome(of: failure), detail: failure.message)
    }
}

private func outcome(of response: HTTPResponse, now: Timestamp) -> Outcome {
    let after = response.header("retry-after").flatMap { retryAfter($0, now: now) }
    return switch response.status {
    case 200...299: .accepted(providerMessageID: nil, delivered: true)
    case 300...399: .rejected(.redirectRefused)
    case 410: .endpointGone
    case 429: .retry(after: after, .providerThrottled)
    case 502, 503, 504: .retry(after: after, .providerUnavailable)
    default: .retry(after: after, .httpStatus)
    }
}

/// A bad address is no fault of the operator: the recipient chose the address.
private func outcome(of failure: HTTPFailure) -> Outcome {
    switch failure.kind {
    case .addressRefused, .schemeRefused, .portRefused, .invalidURL: .rejected(.addressRefused)
    case .invalidHeader: .rejected(.providerRejected)
    default: failure.outcome
    }
}
