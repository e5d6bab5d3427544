public import TidingsCore

/// Makes the providers of one kind from their bindings in the catalogue. The executable lists the factories that it was built with.
public protocol ProviderFactory: Sendable {
    /// The `kind` in the catalogue: `webhook`.
    static var kind: String { get }

    /// Every setting that a binding of this kind may have. The reference documentation is generated from this list. Any other setting is
    /// refused.
    static var settings: [ProviderSetting] { get }

    /// - Parameter environment: the source of secrets, and of settings that the binding does not have; see ``ProviderSettings``.
    static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider

    /// Makes the reader of the service's callbacks. Nil if the binding takes none, which is so for every kind that does not have this
    /// function.
    static func callbackReader(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> (any CallbackReader)?

    /// Returns the one form of a device's token, as an app or a person wrote it. Throws if no push to this token can ever succeed.
    ///
    /// Tidings calls this function for each registration, and refuses the token with the description of the fault. ``Provider/send(_:)``
    /// must read the stored token with the same code. The function has four rules:
    ///
    /// - It judges the form alone: it calls no service, and needs no settings.
    /// - It returns equal tokens for two texts that reach the same app on the same device.
    /// - Given the stored text, it returns the same token again.
    /// - Its fault holds nothing of the token, because anybody with the token may be able to send.
    ///
    /// A kind that does not have this function keeps the token as it is, without the white space around it.
    static func deviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken

    /// Returns why the binding would never send to an endpoint that a recipient registers, as a sentence without its full stop. Nil if it
    /// may send there, and if its settings cannot be read.
    ///
    /// For kinds whose settings limit the addresses. Tidings calls this function for each registration, and refuses an endpoint that no
    /// binding would send to. The sentence holds nothing secret of the endpoint. A kind that does not have this function may send anywhere.
    ///
    /// - Parameter endpoint: the stored text of a device's token, or a URL.
    static func problem(ofEndpoint endpoint: String, binding: ProviderBinding, environment: [String: String]) -> String?
}

extension ProviderFactory {
    public static func deviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken { try DeviceToken(written) }

    public static func problem(ofEndpoint endpoint: String, binding: ProviderBinding, environment: [String: String]) -> String? { nil }

    public static func callbackReader(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> (any CallbackReader)? {
        nil
    }

    /// Reads the settings of a binding. Refuses a binding of another channel.
    ///
    /// - Parameter service: the service's name if the service keeps the devices itself. A binding that addresses endpoints is refused then,
    ///   because a person would get the same message once for each of their devices.
    public static func checked(
        _ binding: ProviderBinding, for channel: Channel, devicesKeptBy service: String? = nil, environment: [String: String]
    ) throws(ProviderConfigurationError) -> ProviderSettings {
        guard binding.channel == channel else {
            throw ProviderConfigurationError(
                provider: binding.name, message: "kind \(kind) carries the channel \(channel.rawValue), not \(binding.channel.rawValue)")
        }
        if let service, !binding.needsNoEndpoint {
            throw ProviderConfigurationError(
                provider: binding.name,
                message: "\(service) keeps the devices itself: set addressing to person, not \(binding.addressing.rawValue)")
        }
        return try ProviderSettings(binding, declared: settings, environment: environment)
    }
}

/// The declaration of one setting.
public struct ProviderSetting: Sendable, Hashable {
    public var name: String
    /// The purpose, the unit and the limits of the setting, in one sentence.
    public var meaning: String
    /// The value if the setting is absent, as an operator would write it; empty for "not set".
    public var defaultValue: String
    /// Whether a value may hold a credential. ``ProviderSettings/secret(_:)`` reads only such settings, and no command shows their values.
    public var isSecret: Bool

    public init(_ name: String, _ meaning: String, defaultValue: String = "", isSecret: Bool = false) {
        self.name = name
        self.meaning = meaning
        self.defaultValue = defaultValue
        self.isSecret = isSecret
    }
}
