public import TidingsCore
import TidingsHTTP
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

    /// The guard of the binding judges the push service. The message of a failure is left out, because it repeats a part of the token.
    public static func problem(ofEndpoint endpoint: String, binding: ProviderBinding, environment: [String: String]) -> String? {
        guard let subscription = try? PushSubscription(token: endpoint),
            let guarding = AddressGuard(of: binding, declared: settings, environment: environment),
            let failure = guarding.refusal(ofURL: subscription.endpoint)
        else { return nil }
        let rule =
            switch failure.kind {
            case .schemeRefused: "its scheme is not https"
            case .portRefused: "its port is not allowed"
            case .addressRefused: "its address is not public"
            default: "no request may go there"
            }
        return "the subscription's endpoint would never be called: \(rule)"
    }
}
