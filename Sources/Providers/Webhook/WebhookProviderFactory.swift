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
        guard binding.channel == .webhook else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind webhook carries the channel webhook, not \(binding.channel.rawValue)")
        }
        let settings = try ProviderSettings(binding, declared: settings, environment: environment)
        let configuration = try WebhookConfiguration(settings)
        let http = HTTPConfiguration(
            maximumRequests: configuration.maximumConcurrency, maximumRequestsPerHost: configuration.maximumConcurrencyPerHost,
            userAgent: "Tidings (Standard Webhooks 1.0.0)", certificateAuthorityFile: settings.text("certificateAuthorities"))
        do throws(HTTPFailure) {
            return WebhookProvider(name: binding.name, configuration: configuration, transport: try HTTPTransport.open(http))
        } catch {
            throw ProviderConfigurationError(provider: binding.name, message: error.message)
        }
    }
}
