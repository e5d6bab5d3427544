public import TidingsCore
import TidingsHTTP
import TidingsHTTP2
public import TidingsProvider

/// Makes providers of kind `apns`, each with connections and a provider token of its own.
public enum APNsProviderFactory: ProviderFactory {
    public static let kind = "apns"
    public static var settings: [ProviderSetting] { APNsConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let configuration = try APNsConfiguration(checked(binding, for: .push, environment: environment))
        let production = try server(configuration.connections(to: configuration.production), of: binding)
        // If both addresses are equal, production and sandbox share one set of connections.
        let sandbox =
            configuration.sandbox == configuration.production
            ? production : try server(configuration.connections(to: configuration.sandbox), of: binding)
        return APNsProvider(name: binding.name, configuration: configuration, production: production, sandbox: sandbox)
    }

    public static func deviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken { try apnsDeviceToken(written) }

    private static func server(
        _ connections: HTTP2Configuration, of binding: ProviderBinding
    ) throws(ProviderConfigurationError) -> APNsServer {
        do throws(HTTPFailure) {
            return APNsServer(try HTTP2Transport.open(connections))
        } catch {
            throw ProviderConfigurationError(provider: binding.name, message: error.message)
        }
    }
}
