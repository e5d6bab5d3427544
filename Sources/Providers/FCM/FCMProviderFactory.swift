public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `fcm`, each with connections and an access token of its own.
public enum FCMProviderFactory: ProviderFactory {
    public static let kind = "fcm"
    public static var settings: [ProviderSetting] { FCMConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        guard binding.channel == .push else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind fcm carries the channel push, not \(binding.channel.rawValue)")
        }
        let settings = try ProviderSettings(binding, declared: settings, environment: environment)
        let configuration = try FCMConfiguration(settings)
        let transport = try configuration.call.transport(for: binding.name)
        return FCMProvider(name: binding.name, configuration: configuration, transport: transport)
    }
}
