import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// What APNs' answer, or its absence, means for the delivery. Apple's reason counts first, then the status. An accepted push is Apple's,
/// not yet the device's.
func apnsResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(failure.outcome, detail: failure.message)
    case .response(let response) where response.status == 200:
        let id = response.header("apns-id")
        // Success has no body: a page is from somebody else.
        guard id != nil || response.body.isEmpty else {
            return SendResult(
                .unknown(.outcomeUnknown), status: response.status, detail: "the answer is not APNs': \(excerpt(response))")
        }
        return SendResult(.accepted(providerMessageID: id, delivered: false), status: response.status)
    case .response(let response):
        let refusal = APNsRefusal(body: response.body)
        let after = response.header("retry-after").flatMap { retryAfter($0, now: now) }
        let outcome =
            refusal?.reason?.outcome(after: after) ?? outcome(status: response.status, after, isFromAPNs: refusal != nil)
        return SendResult(
            outcome, status: response.status, detail: refusal?.words ?? excerpt(response),
            goneSince: outcome == .endpointGone ? refusal?.since.map { min($0, now) } : nil)
    }
}

/// Apple's reason, where the answer has one that is known.
func apnsReason(of result: HTTPResult) -> APNsReason? {
    guard case .response(let response) = result, response.status != 200 else { return nil }
    return APNsRefusal(body: response.body)?.reason
}

/// `{"reason": "Unregistered", "timestamp": 1767225600000}`, the time with 410 only.
private struct APNsRefusal {
    /// Nil for a reason that is newer than this table.
    var reason: APNsReason?
    /// For an operator.
    var words: String
    /// When the token was found to be no longer valid. Of a wire that counts milliseconds since 1970.
    var since: Timestamp?

    /// Nil for a body that is no answer of APNs'.
    init?(body: [UInt8]) {
        guard let json = try? JSON.parse(body), let text = json["reason"]?.stringValue, !text.isEmpty else { return nil }
        reason = APNsReason(rawValue: text)
        words = [text, reason?.explanation].compactMap(\.self).joined(separator: ": ")
        since = json["timestamp"]?.intValue.flatMap { milliseconds in
            let (microseconds, isTooLarge) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000)
            return isTooLarge || microseconds <= 0 ? nil : Timestamp(microseconds: microseconds)
        }
    }
}

/// For reasons that are not in the table, and for answers that come from something before APNs.
private func outcome(status: Int, _ after: Duration?, isFromAPNs: Bool) -> Outcome {
    switch status {
    case 200...299: .unknown(.outcomeUnknown)
    case 300...399: .misconfigured(.redirectRefused)
    case 401, 403, 404, 405: .misconfigured(.misconfigured)
    // A device is given up on Apple's word only.
    case 410: isFromAPNs ? .endpointGone : .rejected(.providerRejected)
    case 413: .rejected(.payloadTooLarge)
    case 429: .retry(after: after, .providerThrottled)
    case 408, 500...599: .retry(after: after, .providerUnavailable)
    default: .rejected(.providerRejected)
    }
}

private func excerpt(_ response: HTTPResponse) -> String { String(decoding: response.body, as: UTF8.self) }
