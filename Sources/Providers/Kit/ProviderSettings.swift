import Glibc
public import TidingsCore

/// Reads a binding's settings. Each setting comes from the catalogue or, if absent there, from the environment.
///
/// The environment variable is `TIDINGS_<KIND>_<SETTING>` in capitals with underscores. For example, `allowHTTP` of a webhook is
/// `TIDINGS_WEBHOOK_ALLOW_HTTP`.
public struct ProviderSettings: Sendable {
    /// In bytes. A larger file is not a secret but a mistake.
    static let maximumSecretFileBytes = 64 << 10

    private let binding: ProviderBinding
    private let environment: [String: String]
    /// The settings that were declared as secrets.
    private let secretNames: Set<String>

    /// The binding's name.
    var provider: String { binding.name }

    /// Throws if settings are not declared. The message suggests the nearest declared setting, or lists all of them.
    public init(
        _ binding: ProviderBinding, declared: [ProviderSetting], environment: [String: String]
    ) throws(ProviderConfigurationError) {
        self.binding = binding
        self.environment = environment
        secretNames = Set(declared.filter(\.isSecret).map(\.name))
        let known = declared.map(\.name)
        var errors: [ProviderConfigurationError] = []
        for name in binding.settings.keys.sorted() where !known.contains(name) {
            let hint =
                NearestName.of(name, among: known).map { "did you mean \($0)?" }
                ?? (known.isEmpty ? "a provider of kind \(binding.kind) has none" : "there are: \(known.joined(separator: ", "))")
            errors.append(error(name, "unknown setting; \(hint)"))
        }
        guard var first = errors.first else { return }
        first.others = Array(errors.dropFirst())
        throw first
    }

    /// The environment variable that can hold the setting instead of the catalogue.
    public static func variable(kind: String, setting: String) -> String {
        var name = ""
        var previousWasLower = false
        for character in "\(kind)_\(setting)" {
            if character.isUppercase && previousWasLower { name += "_" }
            previousWasLower = character.isLowercase || character.isNumber
            name += character.isLetter || character.isNumber ? character.uppercased() : "_"
        }
        return "TIDINGS_\(name)"
    }

    /// The value as written, without white space around it; nil when absent or empty.
    public func text(_ name: String) -> String? {
        let value = binding.settings[name] ?? environment[Self.variable(kind: binding.kind, setting: name)]
        let trimmed = value.map { String($0.trimmingSpaces) }
        return trimmed?.isEmpty == true ? nil : trimmed
    }

    /// Returns the value of a setting that is `true` or `false`.
    public func flag(_ name: String, default standard: Bool) throws(ProviderConfigurationError) -> Bool {
        switch text(name) {
        case nil: return standard
        case "true": return true
        case "false": return false
        case .some(let value): throw error(name, "\"\(value)\" is neither true nor false")
        }
    }

    public func integer(
        _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws(ProviderConfigurationError) -> Int {
        guard let value = text(name) else { return standard }
        guard let number = Int(value), range.contains(number) else {
            throw error(name, "\"\(value)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the words of the value, separated by commas or spaces; nil if absent.
    public func list(_ name: String) -> [String]? {
        text(name)?.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Returns the secret that `env:NAME` or `file:/path` names; nil if absent.
    ///
    /// The catalogue must not contain the secret itself, because the catalogue is stored and shown. The environment variable of the setting
    /// may contain the secret.
    ///
    /// Throws if the setting is not declared with `isSecret`: `tidings config show` would print its value.
    public func secret(_ name: String) throws(ProviderConfigurationError) -> String? {
        guard secretNames.contains(name) else { throw error(name, "is read as a secret, but the provider does not declare it as one") }
        guard let value = text(name) else { return nil }
        if value.hasPrefix("env:") {
            let variable = String(value.dropFirst(4))
            guard let secret = environment[variable], !secret.isEmpty else {
                throw missing(name, "the environment variable \(variable) is not set")
            }
            return String(secret.trimmingSpaces)
        }
        if value.hasPrefix("file:") {
            let path = String(value.dropFirst(5))
            guard let bytes = contents(ofFile: path), !bytes.isEmpty else {
                throw missing(name, "the file \(path) is missing, unreadable, empty or over \(Self.maximumSecretFileBytes) bytes")
            }
            return String(String(decoding: bytes, as: UTF8.self).trimmingSpaces)
        }
        guard binding.settings[name] == nil else { throw error(name, "a secret is named, not written down: env:NAME or file:/path") }
        return value
    }

    /// Returns an error about one setting of this binding. If the message contains an address, its user and password are hidden.
    public func error(_ setting: String, _ message: String) -> ProviderConfigurationError {
        ProviderConfigurationError(provider: binding.name, setting: setting, message: Self.hidingUserInformation(message))
    }

    /// Turns `https://user:password@host/` into `https://***@host/`. Every provider refuses an address with a credential, but its error
    /// could still show one.
    public static func hidingUserInformation(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let end = text[scheme.upperBound...].lastIndex(of: "@") else { return text }
        return String(text[..<scheme.upperBound]) + "***" + String(text[end...])
    }

    /// Returns an error about a setting that is absent here. The value may exist where the roles run: the catalogue leaves the setting to
    /// their environment or to a file.
    public func missing(_ setting: String, _ message: String) -> ProviderConfigurationError {
        ProviderConfigurationError(provider: binding.name, setting: setting, message: message, isMissing: true)
    }

    private func contents(ofFile path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.maximumSecretFileBytes + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
            guard count >= 0 else { return nil }
            if count == 0 { return Array(bytes.prefix(length)) }
            length += count
        }
        return nil
    }
}

extension StringProtocol {
    fileprivate var trimmingSpaces: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}
