import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// An access token, which every call to FCM carries in its `authorization` header.
struct AccessToken: Sendable, Hashable {
    var text: String
    /// The time from which another token is fetched: ``margin`` before the token expires. A token whose life is shorter than twice the
    /// margin is replaced after half of its life.
    var refreshAt: Timestamp

    /// In seconds.
    static let margin: Int64 = 300
    /// In seconds: a token's life if the answer does not say. Google's usual figure.
    static let usualLife = 3_600
    /// In seconds. A longer life is cut to this.
    static let longestLife = 86_400
}

/// The reason why there is no access token, as the result of the delivery that needed one. Nothing was sent to a device, so the outcome is
/// never `unknown`.
///
/// The token endpoint is another host than FCM, so its answer is no evidence that FCM works. While the endpoint does not work, FCM cannot be
/// used, whatever the device.
struct ExchangeFailure: Error, Sendable, Hashable {
    var result: SendResult

    init(_ outcome: Outcome, status: Int? = nil, _ words: String) {
        let isOutage = if case .retry(_, let reason) = outcome { reason != .providerThrottled } else { false }
        result = SendResult(outcome, status: status, detail: "no access token: \(words)").stating(isOutage ? .unreachable : .none)
    }

    /// Returns the failure without the secrets. See ``TidingsCore/SendResult/hiding(_:)``.
    func hiding(_ secrets: [String]) -> ExchangeFailure {
        var failure = self
        failure.result = result.hiding(secrets)
        return failure
    }

    /// Whether Google refuses the key or the account. Another exchange would get the same answer.
    var isRefusal: Bool {
        if case .misconfigured = result.outcome { return true }
        return false
    }
}

/// Returns the token or the failure for the answer to an exchange: the table of RFC 6749 section 5. Every refusal is a mistake in the
/// operator's settings.
func accessToken(from result: HTTPResult, now: Timestamp) -> Result<AccessToken, ExchangeFailure> {
    switch result {
    case .failed(let failure): return .failure(ExchangeFailure(outcome(of: failure), failure.message))
    case .response(let response):
        let json = try? JSON.parse(leniently: response.body)
        guard (200...299).contains(response.status) else { return .failure(refusal(response, json, now: now)) }
        guard let text = json?["access_token"]?.stringValue, !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let words = "the answer of the token endpoint holds none"
            return .failure(ExchangeFailure(.retry(after: nil, .providerUnavailable), status: response.status, words))
        }
        let life = Int64(min(max(0, json?["expires_in"]?.intValue ?? AccessToken.usualLife), AccessToken.longestLife))
        return .success(AccessToken(text: text, refreshAt: now.adding(.seconds(max(life - AccessToken.margin, life / 2)))))
    }
}

private func refusal(_ response: HTTPResponse, _ json: JSON?, now: Timestamp) -> ExchangeFailure {
    let after = response.requestedPause(now: now)
    let outcome: Outcome =
        switch response.status {
        case 429: .retry(after: after, .providerThrottled)
        case 408, 500...599: .retry(after: after, .providerUnavailable)
        default: .misconfigured(.misconfigured)
        }
    let words = [json?["error"]?.stringValue, json?["error_description"]?.stringValue].compactMap(\.self)
    return ExchangeFailure(
        outcome, status: response.status, words.isEmpty ? "the token endpoint answered \(response.status)" : words.joined(separator: ": "))
}

/// An exchange that broke off can be repeated without harm, unlike a message. Its outcome is therefore never `unknown`.
private func outcome(of failure: HTTPFailure) -> Outcome {
    switch failure.outcome {
    case .unknown(_, .timeout): .retry(after: nil, .timeout)
    case .unknown: .retry(after: nil, .connectionFailed)
    case let outcome: outcome
    }
}
