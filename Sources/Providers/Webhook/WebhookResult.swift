import TidingsCore
import TidingsHTTP
import TidingsProvider

/// What an answer, or its absence, means for the delivery: the table of Standard Webhooks 1.0.0.
///
/// A redirect is a refusal: it is never followed, and trying again would meet it again.
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

/// The recipient chose the address, so a bad one is no fault of ours.
private func outcome(of failure: HTTPFailure) -> Outcome {
    switch failure.kind {
    case .addressRefused, .schemeRefused, .portRefused, .invalidURL: .rejected(.addressRefused)
    case .invalidHeader: .rejected(.providerRejected)
    default: failure.outcome
    }
}
