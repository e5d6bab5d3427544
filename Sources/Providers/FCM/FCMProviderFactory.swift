public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `fcm`, each with connections and an access token of its own.
public enum FCMProviderFactory: ProviderFactory {
    public static let kind = "fcm"
    public static var settings: [ProviderSetting] { FCMConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let configuration = try FCMConfiguration(checked(binding, for: .push, environment: environment))
        return FCMProvider(configuration, try configuration.call.connection(for: binding.name))
    }

    public static func deviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken { try fcmDeviceToken(written) }
}
