import TidingsCrypto
import TidingsHTTP
import TidingsProvider

/// How one binding of kind `webpush` sends.
struct WebPushConfiguration: Sendable {
    /// Four weeks, the longest that is asked of a push service; each may keep messages for less.
    static let longestTTL = 2_419_200

    var identity: VAPIDIdentity
    /// Seconds that a message may wait for the browser, unless it expires before.
    var ttlSeconds: Int64
    /// Of what is shown; what is silent has `low`.
    var urgency: PushUrgency
    /// Endpoints come from recipients.
    var guarding: AddressGuard
    /// Calls under way at once to one push service.
    var maximumConcurrencyPerHost: Int
    /// Its `endpoint` is empty: each subscription has one of its own.
    var call: CallSettings
}

extension WebPushConfiguration {
    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting(
                "vapidPrivateKey",
                "Signs for every push service; its public half is the page's applicationServerKey: `env:NAME` or `file:/path` of PEM text,"
                    + " or of the 43 characters that web-push tools print.", isSecret: true),
            ProviderSetting("subject", "Where push services reach you: `mailto:` and an address, or an https:// address."),
            ProviderSetting(
                "ttlSeconds",
                "How long a message may wait for its browser, 0 to \(longestTTL) seconds; one that expires sooner waits less.",
                defaultValue: String(longestTTL)),
            ProviderSetting(
                "urgency", "What wakes a device that saves its battery: `very-low`, `low`, `normal` or `high`; silent ones are `low`.",
                defaultValue: "normal"),
            ProviderSetting(
                "maximumConcurrencyPerHost", "Calls under way at once to one push service, 1 to 1000.", defaultValue: "64"),
        ] + AddressGuard.declarations + CallSettings.declarations()

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        guard let keyText = try settings.secret("vapidPrivateKey") else {
            throw settings.missing("vapidPrivateKey", "must be set: env:NAME or file:/path of the VAPID private key")
        }
        let key: P256PrivateKey
        do throws(P256KeyError) {
            key = try Self.key(keyText)
        } catch {
            throw settings.error("vapidPrivateKey", "cannot be used: \(error)")
        }
        guard let subject = settings.text("subject") else {
            throw settings.missing("subject", "must be set: mailto: and an address, or an https:// address")
        }
        if let problem = Self.problem(inSubject: subject) { throw settings.error("subject", "\"\(subject)\" \(problem)") }
        identity = VAPIDIdentity(key: key, subject: subject)
        ttlSeconds = Int64(try settings.integer("ttlSeconds", default: Self.longestTTL, in: 0...Self.longestTTL))
        let word = settings.text("urgency") ?? PushUrgency.normal.rawValue
        guard let urgency = PushUrgency(rawValue: word) else {
            let words = PushUrgency.allCases.map(\.rawValue).joined(separator: ", ")
            throw settings.error("urgency", "\"\(word)\" is none of \(words)")
        }
        self.urgency = urgency
        maximumConcurrencyPerHost = try settings.integer("maximumConcurrencyPerHost", default: 64, in: 1...1_000)
        guarding = try AddressGuard(settings)
        call = try CallSettings(settings)
    }

    private static func key(_ text: String) throws(P256KeyError) -> P256PrivateKey {
        if !text.hasPrefix("-----"), let bytes = lenientBase64(text) { return try P256PrivateKey(rawValue: bytes) }
        return try P256PrivateKey(pem: text)
    }

    /// What push services refuse, Apple's among them: a subject that is no address, or one that nobody can reach.
    private static func problem(inSubject subject: String) -> String? {
        let isPlain = subject.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\".utf8.contains($0) }
        guard isPlain else { return "holds a space, a bracket, a quotation mark or a character outside ASCII" }
        let host: Substring
        if subject.hasPrefix("mailto:") {
            let parts = subject.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { return "has no e-mail address after mailto:" }
            host = parts[1]
        } else if subject.hasPrefix("https://") {
            host = subject.dropFirst("https://".count).prefix { !"/?#:".contains($0) }
        } else {
            return "begins neither with mailto: nor with https://"
        }
        let name = host.lowercased()
        guard !name.isEmpty else { return "has no host" }
        return name == "localhost" || name.hasSuffix(".localhost") ? "is on localhost, which push services refuse" : nil
    }
}
