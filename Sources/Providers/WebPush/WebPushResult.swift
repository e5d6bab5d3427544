import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// What an answer of a push service, or its absence, means for the delivery. An accepted message has not reached the browser yet.
///
/// 401 and 403 are the operator's matter, and no subscription is given up for them: one answer does not tell whether the push service
/// refuses this subscription or all, and with a wrong key all would be lost. Only where it says that the subscription belongs to another
/// VAPID key is it the subscription's fault, which the browser corrects by subscribing again.
func webPushResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(outcome(of: failure), detail: failure.message)
    case .response(let response) where (200...299).contains(response.status):
        return SendResult(.accepted(providerMessageID: messageID(in: response), delivered: false), status: response.status)
    case .response(let response):
        let body = String(decoding: response.body, as: UTF8.self)
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
    let after = response.header("retry-after").flatMap { retryAfter($0, now: now) }
    return switch response.status {
    case 300...399: (.rejected(.redirectRefused), nil)
    case 401, 403:
        (.misconfigured(.misconfigured), "the VAPID token is refused: check vapidPrivateKey, subject and this machine's clock")
    case 404, 410: (.endpointGone, nil)
    case 408, 500...599: (.retry(after: after, .providerUnavailable), nil)
    case 413: (.rejected(.payloadTooLarge), nil)
    case 429: (.retry(after: after, .providerThrottled), nil)
    default: (.rejected(.providerRejected), nil)
    }
}

/// Whether a refusal says that the subscription was made for another key, in the words of Google, Mozilla and Apple.
private func namesAnotherKey(_ body: String) -> Bool {
    let words = body.lowercased()
    return ["do not correspond to the credentials", "public key mismatch", "vapidpkhashmismatch"].contains { words.contains($0) }
}

/// The recipient chose the address, so a bad one is no fault of the operator's.
private func outcome(of failure: HTTPFailure) -> Outcome {
    switch failure.kind {
    case .addressRefused, .schemeRefused, .portRefused, .invalidURL: .rejected(.addressRefused)
    case .invalidHeader: .rejected(.providerRejected)
    default: failure.outcome
    }
}

/// The push service's name of the message is the URL in `Location`. Whoever has that may remove the message (RFC 8030 section 8.3), so only
/// the start of its SHA-256 is kept: 32 hexadecimal digits, which still tell whether a given URL is the message's.
private func messageID(in response: HTTPResponse) -> String? {
    guard let location = response.header("location"), !location.isEmpty else { return nil }
    return String(Hexadecimal.encode(SHA256.hash(location.utf8)).prefix(32))
}

/// Mozilla's `errno` and `message` or Apple's `reason`; nil for a body of another form.
private func pushServiceWords(_ body: [UInt8]) -> String? {
    guard let json = try? JSON.parse(body) else { return nil }
    if let reason = json["reason"]?.stringValue { return reason }
    guard let message = json["message"]?.stringValue else { return nil }
    return (json["errno"]?.intValue.map { "errno \($0): " } ?? "") + message
}
