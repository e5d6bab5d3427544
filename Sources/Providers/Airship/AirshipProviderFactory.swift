public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `airship`, each with connections of its own.
public enum AirshipProviderFactory: ProviderFactory {
    public static let kind = "airship"
    public static var settings: [ProviderSetting] { AirshipConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let configuration = try AirshipConfiguration(checked(binding, for: .push, devicesKeptBy: "Airship", environment: environment))
        return AirshipProvider(configuration, try configuration.call.connection(for: binding.name))
    }
}
