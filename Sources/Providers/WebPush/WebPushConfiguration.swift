import TidingsCrypto
import TidingsHTTP
import TidingsProvider

/// The settings of one binding of kind `webpush`.
struct WebPushConfiguration: Sendable {
    /// In seconds: four weeks, the longest time to live that Tidings asks for. Each push service may keep messages for less.
    static let longestTTL = 2_419_200

    var identity: VAPIDIdentity
    /// In seconds: how long a message may wait for the browser. A message that expires sooner waits less.
    var ttlSeconds: Int64
    /// The urgency of visible notifications. Silent notifications have `low`.
    var urgency: PushUrgency
    /// The guard of endpoints: recipients choose them, so they are not trusted.
    var guarding: AddressGuard
    /// Concurrent calls to one push service.
    var maximumConcurrencyPerHost: Int
    /// The settings of a call. `endpoint` is empty, because each subscription has an endpoint of its own.
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
        var errors = SettingErrors(of: settings)
        let key = errors.collect(try Self.key(settings))
        let subject = errors.collect(try Self.subject(settings))
        let ttl = errors.collect(try settings.integer("ttlSeconds", default: Self.longestTTL, in: 0...Self.longestTTL))
        let urgency: PushUrgency? = errors.collect(try settings.choice("urgency", default: .normal))
        let perHost = errors.collect(try settings.integer("maximumConcurrencyPerHost", default: 64, in: 1...1_000))
        let guarding = errors.collect(try AddressGuard(settings))
        let call = errors.collect(try CallSettings(settings))
        guard let key, let subject, let ttl, let urgency, let perHost, let guarding, let call else { throw errors.combined }
        self.init(
            identity: VAPIDIdentity(key: key, subject: subject), ttlSeconds: Int64(ttl), urgency: urgency, guarding: guarding,
            maximumConcurrencyPerHost: perHost, call: call)
    }

    private static func key(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> P256PrivateKey {
        let text = try settings.requiredSecret(
            "vapidPrivateKey", "must be set: env:NAME or file:/path of the VAPID private key")
        do throws(P256KeyError) {
            return try key(text)
        } catch {
            throw settings.error("vapidPrivateKey", "cannot be used: \(error)")
        }
    }

    private static func subject(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> String {
        let subject = try settings.required("subject", "must be set: mailto: and an address, or an https:// address")
        if let problem = problem(inSubject: subject) { throw settings.error("subject", "\"\(subject)\" \(problem)") }
        return subject
    }

    private static func key(_ text: String) throws(P256KeyError) -> P256PrivateKey {
        if !text.hasPrefix("-----"), let bytes = lenientBase64(text) { return try P256PrivateKey(rawValue: bytes) }
        return try P256PrivateKey(pem: text)
    }

    /// Returns why push services would refuse the subject, Apple's among them: the subject is not an address, or the address is unreachable
    /// for them.
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
