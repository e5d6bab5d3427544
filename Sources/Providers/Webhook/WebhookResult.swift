import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Returns the result of a delivery, from the receiver's answer or from the failed call. The meaning of each status is that of Standard
/// Webhooks 1.0.0.
///
/// A redirect ends the delivery as rejected: Tidings never follows a redirect, and another attempt would get the same answer.
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
