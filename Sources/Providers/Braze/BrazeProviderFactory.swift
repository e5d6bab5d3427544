public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `braze`, each with connections of its own.
public enum BrazeProviderFactory: ProviderFactory {
    public static let kind = "braze"
    public static var settings: [ProviderSetting] { BrazeConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let configuration = try BrazeConfiguration(checked(binding, for: .push, devicesKeptBy: "Braze", environment: environment))
        return BrazeProvider(configuration, try configuration.call.connection(for: binding.name))
    }
}
