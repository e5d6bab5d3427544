/// The reason why a binding cannot be used, in words for the operator who wrote the binding.
public struct ProviderConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The binding's name.
    public var provider: String
    /// The setting at fault; nil if the binding as a whole is at fault.
    public var setting: String?
    /// The message never contains the value of a secret.
    public var message: String
    /// Whether the environment or a file lacks a value here. The value may exist where the roles run, so this is not a mistake of the
    /// catalogue.
    public var isMissing: Bool
    /// Further errors of the same binding, see ``SettingErrors``. None of them has further errors.
    public var others: [ProviderConfigurationError] = []

    public init(provider: String, setting: String? = nil, message: String, isMissing: Bool = false) {
        self.provider = provider
        self.setting = setting
        self.message = message
        self.isMissing = isMissing
    }

    /// This error and the further ones, each alone.
    public var all: [ProviderConfigurationError] {
        var alone = self
        alone.others = []
        return [alone] + others
    }

    /// One sentence for each error.
    public var description: String {
        all.map { "provider \(provider)" + ($0.setting.map { ", setting \($0)" } ?? "") + ": \($0.message)" }.joined(separator: "; ")
    }
}

/// Collects the errors of a binding's settings while a factory reads them, so that an operator corrects all of them at once.
///
/// ```swift
/// var errors = SettingErrors(of: settings)
/// let key = errors.collect(try settings.requiredSecret("apiKey"))
/// let limit = errors.collect(try settings.integer("limit", default: 1, in: 1...9))
/// guard let key, let limit else { throw errors.combined }
/// ```
public struct SettingErrors {
    private let provider: String
    private var errors: [ProviderConfigurationError] = []

    public init(of settings: ProviderSettings) {
        provider = settings.provider
    }

    /// Returns the value that is read. If reading it throws, collects the error and returns nil.
    public mutating func collect<Value>(_ read: @autoclosure () throws(ProviderConfigurationError) -> Value) -> Value? {
        do throws(ProviderConfigurationError) {
            return try read()
        } catch {
            errors += error.all
            return nil
        }
    }

    /// Whether no error was collected.
    public var isEmpty: Bool { errors.isEmpty }

    /// The collected errors as one: the first, with the others behind it. Throw it if an error was collected.
    public var combined: ProviderConfigurationError {
        guard var first = errors.first else { return ProviderConfigurationError(provider: provider, message: "cannot be used") }
        first.others = Array(errors.dropFirst())
        return first
    }
}
