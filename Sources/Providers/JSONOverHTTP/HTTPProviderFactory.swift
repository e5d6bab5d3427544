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
        let transport = try configuration.calls.transport(for: binding.name)
        return HTTPProvider(name: binding.name, channel: binding.channel, configuration: configuration, transport: transport)
    }
}
