public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `airship`, each with connections of its own.
public enum AirshipProviderFactory: ProviderFactory {
    public static let kind = "airship"
    public static var settings: [ProviderSetting] { AirshipConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        guard binding.channel == .push else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind airship carries the channel push, not \(binding.channel.rawValue)")
        }
        // Refuse endpoint addressing: a person would get the same message once for each of their devices.
        guard binding.needsNoEndpoint else {
            throw ProviderConfigurationError(
                provider: binding.name,
                message: "Airship keeps the devices itself: set addressing to person, not \(binding.addressing.rawValue)")
        }
        let configuration = try AirshipConfiguration(ProviderSettings(binding, declared: settings, environment: environment))
        return AirshipProvider(
            name: binding.name, configuration: configuration, transport: try configuration.call.transport(for: binding.name))
    }
}
