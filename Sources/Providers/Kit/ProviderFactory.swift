public import TidingsCore

/// Makes the providers of one kind from their bindings in the catalogue. The executable lists the factories it was built with.
public protocol ProviderFactory: Sendable {
    /// The `kind` in the catalogue: `webhook`.
    static var kind: String { get }

    /// Every setting a binding of this kind may have. Reference documentation is made from it, and any other setting is refused.
    static var settings: [ProviderSetting] { get }

    /// - Parameter environment: where secrets come from, and settings the binding does not have; see ``ProviderSettings``.
    static func make(
        binding: ProviderBinding, environment: [String: String]
    ) throws(ProviderConfigurationError) -> any Provider
}

/// The declaration of one setting.
public struct ProviderSetting: Sendable, Hashable {
    public var name: String
    /// What it does, its unit and its limits, in one sentence.
    public var meaning: String
    /// The value without it, as an operator would write it; empty for "not set".
    public var defaultValue: String
    /// True if a value may hold a credential. ``ProviderSettings/secret(_:)`` reads only such a setting, and no command shows its value.
    public var isSecret: Bool

    public init(_ name: String, _ meaning: String, defaultValue: String = "", isSecret: Bool = false) {
        self.name = name
        self.meaning = meaning
        self.defaultValue = defaultValue
        self.isSecret = isSecret
    }
}

/// Why a binding cannot be used, in words for the operator who wrote it.
public struct ProviderConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The binding's name.
    public var provider: String
    /// The setting at fault; nil when it is the binding as a whole.
    public var setting: String?
    /// Never holds the value of a secret.
    public var message: String
    /// What the environment or a file is to give is not here. Where the roles run it may be, so it is no mistake of the catalogue.
    public var isMissing: Bool

    public init(provider: String, setting: String? = nil, message: String, isMissing: Bool = false) {
        self.provider = provider
        self.setting = setting
        self.message = message
        self.isMissing = isMissing
    }

    public var description: String {
        "provider \(provider)" + (setting.map { ", setting \($0)" } ?? "") + ": \(message)"
    }
}
