import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The ends of a push message that differ from the common ones. The browser chose the address, so a redirect is no mistake of the operator.
let webPushRules = StatusRules([
    .init(300...399, .rejected(.redirectRefused), "RFC 9110, 15.4"),
    .init(404, .gone, "RFC 8030, 7.3"),
    .init(410, .gone, "push services of Google and Mozilla"),
])

/// Returns the result of a delivery for an answer of a push service or a failed call. An accepted message has not reached the browser yet.
///
/// 401 and 403 are the operator's mistake and do not remove the subscription. One such answer does not show whether the push service
/// refuses one subscription or all. With a wrong key, all subscriptions would be lost.
///
/// The subscription is at fault only if the answer says that it belongs to another VAPID key. The browser corrects that by subscribing
/// again.
func webPushResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(failure.outcomeAtRecipientsAddress, detail: failure.message)
    case .response(let response) where (200...299).contains(response.status):
        return SendResult(.accepted(providerMessageID: messageID(in: response), delivered: false), status: response.status)
    case .response(let response):
        let body = response.text
        let (outcome, explanation) = refusal(response, body, now: now)
        let words = pushServiceWords(response.body) ?? body
        let detail = explanation.map { words.isEmpty ? $0 : "\($0); the push service says: \(words)" } ?? words
        return SendResult(outcome, status: response.status, detail: detail)
    }
}

private func refusal(_ response: HTTPResponse, _ body: String, now: Timestamp) -> (Outcome, explanation: String?) {
    if [400, 401, 403].contains(response.status), namesAnotherKey(body) {
        return (.rejected(.tokenMalformed), "the subscription was made for another VAPID key: the browser must subscribe again")
    }
    let outcome = webPushRules.outcome(of: response, now: now)
    let isRefusedToken = outcome == .misconfigured(.misconfigured)
    return (outcome, isRefusedToken ? "the VAPID token is refused: check vapidPrivateKey, subject and this machine's clock" : nil)
}

/// Whether a refusal says that the subscription was made for another key, in the words of Google, Mozilla and Apple.
private func namesAnotherKey(_ body: String) -> Bool {
    let words = body.lowercased()
    return ["do not correspond to the credentials", "public key mismatch", "vapidpkhashmismatch"].contains { words.contains($0) }
}

/// Returns the id of the message. The push service names the message by the URL in `Location`. Anybody with that URL may remove the message
/// (RFC 8030 section 8.3), so only the start of its SHA-256 is kept. These 32 hexadecimal digits still show whether a given URL belongs to
/// the message.
private func messageID(in response: HTTPResponse) -> String? {
    guard let location = response.header("location"), !location.isEmpty else { return nil }
    return String(Hexadecimal.encode(SHA256.hash(location.utf8)).prefix(32))
}

/// Returns Mozilla's `errno` and `message`, or Apple's `reason`; nil for a body of another form.
private func pushServiceWords(_ body: [UInt8]) -> String? {
    guard let json = try? JSON.parse(leniently: body) else { return nil }
    if let reason = json["reason"]?.stringValue { return reason }
    guard let message = json["message"]?.stringValue else { return nil }
    return (json["errno"]?.intValue.map { "errno \($0): " } ?? "") + message
}
