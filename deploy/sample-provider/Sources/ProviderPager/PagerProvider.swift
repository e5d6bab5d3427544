import TidingsCore
import TidingsHTTP
import TidingsJSON
public import TidingsProvider

/// A paging service that takes `{"to", "text", "id"}` as JSON, and answers `{"page": "…"}`.
///
///     providers:
///       pager: {channel: push, kind: pager, addressing: person,
///         settings: {endpoint: "https://pager.example", apiKey: "file:/run/secrets/pager"}}
public enum PagerProviderFactory: ProviderFactory {
    public static let kind = "pager"

    public static let settings =
        [ProviderSetting("apiKey", "The key of the service, as `env:NAME` or `file:/path`; required.", isSecret: true)]
        + CallSettings.declarations(endpoint: "")

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let settings = try ProviderSettings(binding, declared: Self.settings, environment: environment)
        let apiKey = try settings.requiredSecret("apiKey")
        let call = try CallSettings(settings, endpoint: "")
        return PagerProvider(
            connection: try call.connection(for: binding.name), channel: binding.channel, apiKey: apiKey, call: call)
    }
}

struct PagerProvider: ConnectedProvider {
    /// The most bytes of a page's text that the service accepts.
    static let longestText = 2_000

    let connection: ServiceConnection
    let channel: Channel
    let apiKey: String
    let call: CallSettings

    var limits: ProviderLimits { call.limits(maximumBodyBytes: Self.longestText) }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        switch pageBody(of: item) {
        case .failure(let refusal): return refusal.result
        case .success(let body):
            let request = call.request(
                url: "\(call.endpoint)/pages",
                headers: [("content-type", "application/json"), ("authorization", "Bearer \(apiKey)")], body: body)
            let answer = await connection.send(request)
            // Hide the key: the service could repeat the request, and the answer is recorded.
            return pageResult(of: answer, now: connection.now()).hiding([apiKey])
        }
    }
}

/// Returns the request's body. A function of the delivery alone, so that a test can compare the body as text.
func pageBody(of item: OutgoingDelivery) -> Result<[UInt8], Refusal> {
    let text = [item.title, item.body].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n")
    guard !text.isEmpty else { return .failure(Refusal(.contentMissing, "neither title nor body")) }
    guard text.utf8.count <= PagerProvider.longestText else {
        let words = "the text has \(text.utf8.count) bytes; a page has at most \(PagerProvider.longestText)"
        return .failure(Refusal(.payloadTooLarge, words))
    }
    var json = JSONWriter()
    json.beginObject()
    json.member("to", item.recipient)
    json.member("text", text)
    json.member("id", item.idempotencyKey)
    json.endObject()
    return .success(json.bytes)
}

/// Returns the result of a delivery for an answer or a failed call. A function of the answer and the time alone, so that a test can check
/// every row of the service's documentation.
///
/// - Parameter now: the time for a `Retry-After` that is a date.
func pageResult(of result: HTTPResult, now: Timestamp) -> SendResult {
    switch result {
    case .failed(let failure): return SendResult(failure.outcome, detail: failure.message)
    case .response(let response):
        let outcome = outcome(of: response, now: now)
        if case .accepted = outcome { return SendResult(outcome, status: response.status) }
        return SendResult(outcome, status: response.status, detail: response.text)
    }
}

private func outcome(of response: HTTPResponse, now: Timestamp) -> Outcome {
    if (200...299).contains(response.status), let page = (try? JSON.parse(leniently: response.body))?["page"]?.stringValue {
        return .accepted(providerMessageID: page, delivered: false)
    }
    return pageRules.outcome(of: response, now: now)
}

/// The ends of a page that differ from those of every provider: the service answers both for a pager that no longer exists.
private let pageRules = StatusRules([
    .init(404, .gone, "the service's documentation"),
    .init(410, .gone, "the service's documentation"),
])
