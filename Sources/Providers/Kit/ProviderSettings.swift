import Glibc
public import TidingsCore

/// Reads a binding's settings: each from the catalogue or, where the catalogue says nothing, from the environment, as
/// `TIDINGS_<KIND>_<SETTING>` in capitals with underscores (`allowHTTP` of a webhook: `TIDINGS_WEBHOOK_ALLOW_HTTP`).
public struct ProviderSettings: Sendable {
    /// Bytes. A file larger than this is no secret but a mistake.
    static let maximumSecretFileBytes = 64 << 10

    private let binding: ProviderBinding
    private let environment: [String: String]
    /// The settings that were declared as secrets.
    private let secretNames: Set<String>

    /// Refuses a setting that is not declared, with the nearest declared name.
    public init(
        _ binding: ProviderBinding, declared: [ProviderSetting], environment: [String: String]
    ) throws(ProviderConfigurationError) {
        self.binding = binding
        self.environment = environment
        secretNames = Set(declared.filter(\.isSecret).map(\.name))
        let known = declared.map(\.name)
        for name in binding.settings.keys.sorted() where !known.contains(name) {
            let hint =
                NearestName.of(name, among: known).map { "did you mean \($0)?" }
                ?? (known.isEmpty ? "a provider of kind \(binding.kind) has none" : "there are: \(known.joined(separator: ", "))")
            throw error(name, "unknown setting; \(hint)")
        }
    }

    /// The name of the environment variable that stands in for a setting.
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

    /// `true` or `false`.
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

    /// Words between commas or spaces; nil when absent.
    public func list(_ name: String) -> [String]? {
        text(name)?.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// What `env:NAME` or `file:/path` stands for; nil when absent. A secret itself is refused as a value, because the catalogue is stored
    /// and shown, except in the environment variable of the setting, where it may stand as it is.
    ///
    /// A setting that is not declared with `isSecret` is refused: `tidings config show` would print it.
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

    /// An error about one setting of this binding. A user and a password in an address of the message are hidden.
    public func error(_ setting: String, _ message: String) -> ProviderConfigurationError {
        ProviderConfigurationError(provider: binding.name, setting: setting, message: Self.hidingUserInformation(message))
    }

    /// `https://user:password@host/` as `https://***@host/`: an address may hold a credential, although every provider refuses that.
    public static func hidingUserInformation(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let end = text[scheme.upperBound...].lastIndex(of: "@") else { return text }
        return String(text[..<scheme.upperBound]) + "***" + String(text[end...])
    }

    /// An error about a setting that is not here, and may be where the roles run: it is left to their environment, or to a file of theirs.
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
