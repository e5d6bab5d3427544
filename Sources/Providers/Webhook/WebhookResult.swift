import TidingsCore
import TidingsHTTP
import TidingsProvider

/// The ends of a webhook that differ from the common ones.
///
/// - Standard Webhooks retries every failure by the schedule, a client error too: the receiver may deploy the missing path.
/// - A redirect ends the delivery as rejected: Tidings never follows a redirect, and another attempt would get the same answer. The
///   recipient chose the address, so it is no mistake of the operator.
let webhookRules = StatusRules([
    .init(300...399, .rejected(.redirectRefused), "Standard Webhooks 1.0.0"),
    .init(410, .gone, "Standard Webhooks 1.0.0"),
    .init(429, .retry(.providerThrottled), "Standard Webhooks 1.0.0"),
    .init(400...499, .retry(.httpStatus), "Standard Webhooks 1.0.0"),
])

/// Returns the result of a delivery, from the receiver's answer or from the failed call.
func webhookResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .response(let response):
        if (200...299).contains(response.status) {
            return SendResult(.accepted(providerMessageID: nil, delivered: true), status: response.status)
        }
        return SendResult(webhookRules.outcome(of: response, now: now), status: response.status, detail: response.text)
    case .failed(let failure):
        return SendResult(failure.outcomeAtRecipientsAddress, detail: failure.message)
    }
}
