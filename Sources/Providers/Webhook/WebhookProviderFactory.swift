public import TidingsCore
import TidingsHTTP
public import TidingsProvider

/// Makes providers of kind `webhook`, each with connections of its own.
public enum WebhookProviderFactory: ProviderFactory {
    public static let kind = "webhook"
    public static var settings: [ProviderSetting] { WebhookConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let settings = try checked(binding, for: .webhook, environment: environment)
        let configuration = try WebhookConfiguration(settings)
        let http = HTTPConfiguration(
            maximumRequests: configuration.maximumConcurrency,
            maximumRequestsPerHost: configuration.maximumConcurrencyPerHost + ProviderLimits.spareCalls,
            userAgent: "Tidings (Standard Webhooks 1.0.0)", certificateAuthorityFile: settings.text("certificateAuthorities"))
        return WebhookProvider(configuration, try ServiceConnection.open(http, for: binding.name))
    }

    public static func problem(ofEndpoint endpoint: String, binding: ProviderBinding, environment: [String: String]) -> String? {
        AddressGuard(of: binding, declared: settings, environment: environment)?.refusal(ofURL: endpoint)?.message
    }
}
