public import TidingsCore
public import TidingsProvider

/// Makes providers of kind `webpush`, each with connections and VAPID tokens of its own.
public enum WebPushProviderFactory: ProviderFactory {
    public static let kind = "webpush"
    public static var settings: [ProviderSetting] { WebPushConfiguration.settings }

    public static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider {
        let configuration = try WebPushConfiguration(checked(binding, for: .push, environment: environment))
        return WebPushProvider(configuration, try configuration.call.connection(for: binding.name))
    }

    public static func deviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken {
        let subscription: PushSubscription
        do throws(PushSubscription.Problem) {
            subscription = try PushSubscription(token: written)
        } catch {
            throw DeviceToken.Fault(error.description)
        }
        return try subscription.deviceToken
    }
}
