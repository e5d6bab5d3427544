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
            detail: isSuccess ? nil : response.text)
    case .failed(let failure):
        return SendResult(failure.outcomeAtRecipientsAddress, detail: failure.message)
    }
}

private func outcome(of response: HTTPResponse, now: Timestamp) -> Outcome {
    let after = response.requestedPause(now: now)
    return switch response.status {
    case 200...299: .accepted(providerMessageID: nil, delivered: true)
    case 300...399: .rejected(.redirectRefused)
    case 410: .endpointGone
    case 429: .retry(after: after, .providerThrottled)
    case 502, 503, 504: .retry(after: after, .providerUnavailable)
    default: .retry(after: after, .httpStatus)
    }
}
