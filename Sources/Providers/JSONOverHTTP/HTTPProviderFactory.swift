public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `http`: a service of the operator, called by HTTP and described by settings alone.
public enum HTTPProviderFactory: ProviderFactory {
    public static let kind = "http"
    public static var settings: [ProviderSetting] { ServiceConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        guard binding.channel != .inApp else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind http carries every channel but inApp, whose items are never sent anywhere")
        }
        let configuration = try ServiceConfiguration(binding, environment: environment)
        return HTTPProvider(binding.channel, configuration, try configuration.calls.connection(for: binding.name))
    }

    public static func callbackReader(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> (any CallbackReader)? {
        let settings = try ProviderSettings(binding, declared: settings, environment: environment)
        guard let rules = try CallbackSettings.rules(settings) else { return nil }
        return HTTPCallbackReader(authentication: try CallbackSettings.authentication(settings), rules: rules)
    }
}
