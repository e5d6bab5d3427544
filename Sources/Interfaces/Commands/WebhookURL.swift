import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsServer

/// Checks a webhook's URL before anything is sent there. Each send also guards against names that lead to the own network.
enum WebhookURL {
    /// Throws a ``Failure`` with exit code 65 if no send can use the URL.
    static func check(_ text: String, of option: String) throws {
        let isLong = text.utf8.count > Address.longest
        guard let problem = isLong ? "is longer than \(Address.longest) bytes" : HTTPRequest.problem(inURL: text) else { return }
        throw Failure(.data, "\(option) \(Table.cell(.string(text))) \(problem)")
    }

    /// Throws a ``Failure`` with exit code 65 if no provider of webhooks would ever call the URL.
    static func checkCalls(
        to url: String, of option: String, in catalogue: Catalogue, _ providers: ProviderRegistry, environment: [String: String]
    ) throws {
        guard let rule = refusal(of: url, in: catalogue, providers, environment: environment) else { return }
        throw Failure(
            .data, "\(option) \(Table.cell(.string(url))) would never be called: \(rule)",
            hint: "allowHTTP, allowedPorts and allowedNetworks of the catalogue's provider of webhooks say what is allowed")
    }

    /// Returns the rule by which no provider of webhooks would ever call the URL, as a sentence without its full stop. Nil if a provider may
    /// call it. A catalogue without such a provider is judged as if it had one with the standard settings.
    private static func refusal(
        of url: String, in catalogue: Catalogue, _ providers: ProviderRegistry, environment: [String: String]
    ) -> String? {
        let bindings = catalogue.providers.values.filter { $0.channel == .webhook && !$0.needsNoEndpoint }
        let standard = ProviderBinding(name: "webhook", channel: .webhook, kind: "webhook", addressing: .address)
        return providers.problem(ofEndpoint: url, for: bindings.isEmpty ? [standard] : bindings, environment: environment)
    }
}
