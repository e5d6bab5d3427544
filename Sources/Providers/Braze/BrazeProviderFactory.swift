public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `braze`, each with connections of its own.
public enum BrazeProviderFactory: ProviderFactory {
    public static let kind = "braze"
    public static var settings: [ProviderSetting] { BrazeConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        guard binding.channel == .push else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind braze carries the channel push, not \(binding.channel.rawValue)")
        }
        // Refuse endpoint addressing: a person would get the same message once for each of their devices.
        guard binding.needsNoEndpoint else {
            throw ProviderConfigurationError(
                provider: binding.name,
                message: "Braze keeps the devices itself: set addressing to person, not \(binding.addressing.rawValue)")
        }
        let configuration = try BrazeConfiguration(ProviderSettings(binding, declared: settings, environment: environment))
        return BrazeProvider(
            name: binding.name, configuration: configuration, transport: try configuration.call.transport(for: binding.name))
    }
}
