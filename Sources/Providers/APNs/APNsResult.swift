import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The ends of a push that differ from the common ones, for a reason that ``APNsReason`` does not have. Path and method are the same for
/// every push.
let apnsRules = StatusRules([
    .init(404...405, .misconfigured(.misconfigured), "Apple, Handling notification responses from APNs"),
    .init(410, .gone, "Apple, Handling notification responses from APNs"),
])
/// The same for an answer of another server, such as a proxy. A 410 of such a server does not show that the device is gone.
private let apnsProxyRules = StatusRules([
    .init(404...405, .misconfigured(.misconfigured), "Apple, Handling notification responses from APNs")
])

/// Returns the result of a delivery for APNs' answer or a failed call. Apple's reason counts first, then the status. Apple has accepted the
/// push at that time; the device does not have it yet.
func apnsResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(failure.outcome, detail: failure.message)
    case .response(let response) where response.status == 200:
        let id = response.header("apns-id")
        // APNs sends no body with success: an answer with a page comes from another server.
        guard id != nil || response.body.isEmpty else {
            return SendResult(
                .unknown(.outcomeUnknown), status: response.status, detail: "the answer is not APNs': \(response.text)")
        }
        return SendResult(.accepted(providerMessageID: id, delivered: false), status: response.status)
    case .response(let response):
        let refusal = APNsRefusal(body: response.body)
        let after = response.requestedPause(now: now)
        let rules = refusal == nil ? apnsProxyRules : apnsRules
        let outcome = refusal?.reason?.outcome(after: after) ?? rules.outcome(of: response, now: now)
        return SendResult(
            outcome, status: response.status, detail: refusal?.words ?? response.text,
            goneSince: outcome == .endpointGone ? refusal?.since.map { min($0, now) } : nil)
    }
}

/// Returns Apple's reason if the answer has one that this table knows.
func apnsReason(of result: HTTPResult) -> APNsReason? {
    guard case .response(let response) = result, response.status != 200 else { return nil }
    return APNsRefusal(body: response.body)?.reason
}

/// A refusal: `{"reason": "Unregistered", "timestamp": 1767225600000}`. Only 410 has the timestamp.
private struct APNsRefusal {
    /// Apple's reason; nil for a reason that is newer than this table.
    var reason: APNsReason?
    /// The reason and its explanation, for an operator.
    var words: String
    /// The time when Apple found the token to be invalid. Apple sends milliseconds since 1970.
    var since: Timestamp?

    /// Returns nil if the body is not an answer of APNs.
    init?(body: [UInt8]) {
        guard let json = try? JSON.parse(leniently: body), let text = json["reason"]?.stringValue, !text.isEmpty else { return nil }
        reason = APNsReason(rawValue: text)
        words = [text, reason?.explanation].compactMap(\.self).joined(separator: ": ")
        since = json["timestamp"]?.intValue.flatMap { milliseconds in
            let (microseconds, isTooLarge) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000)
            return isTooLarge || microseconds <= 0 ? nil : Timestamp(microseconds: microseconds)
        }
    }
}
