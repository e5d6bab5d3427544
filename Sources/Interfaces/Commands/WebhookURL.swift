import TidingsCore
import TidingsHTTP
import TidingsServer

/// Checks a webhook's URL before anything is sent there. Each send also guards against names that lead to the own network.
enum WebhookURL {
    /// Returns the problem of the text, as the end of a sentence. Nil if a send can use the URL.
    static func problem(_ text: String) -> String? {
        guard text.utf8.count <= Address.longest else { return "is longer than \(Address.longest) bytes" }
        return HTTPRequest.problem(inURL: text)
    }

    /// Returns the rule by which no provider of webhooks would ever call the URL, as a sentence without its full stop. Nil if a provider may
    /// call it. A catalogue without such a provider is judged as if it had one with the standard settings.
    static func refusal(
        of url: String, in catalogue: Catalogue, _ providers: ProviderRegistry, environment: [String: String]
    ) -> String? {
        let bindings = catalogue.providers.values.filter { $0.channel == .webhook && !$0.needsNoEndpoint }
        let standard = ProviderBinding(name: "webhook", channel: .webhook, kind: "webhook", addressing: .address)
        return providers.problem(ofEndpoint: url, for: bindings.isEmpty ? [standard] : bindings, environment: environment)
    }
}
