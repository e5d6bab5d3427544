public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `webpush`, each with connections and VAPID tokens of its own.
public enum WebPushProviderFactory: ProviderFactory {
    public static let kind = "webpush"
    public static var settings: [ProviderSetting] { WebPushConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        guard binding.channel == .push else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind webpush carries the channel push, not \(binding.channel.rawValue)")
        }
        let settings = try ProviderSettings(binding, declared: settings, environment: environment)
        let configuration = try WebPushConfiguration(settings)
        let transport = try configuration.call.transport(for: binding.name)
        return WebPushProvider(name: binding.name, configuration: configuration, transport: transport)
    }
}
