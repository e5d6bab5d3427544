import TidingsCrypto
import TidingsHTTP2
import TidingsProvider

/// The settings of one binding of kind `apns`.
struct APNsConfiguration: Sendable {
    /// Apple's address for apps from the App Store and TestFlight.
    static let productionOrigin = "https://api.push.apple.com"
    /// Apple's address for apps that Xcode installed.
    static let sandboxOrigin = "https://api.sandbox.push.apple.com"
    /// The default number of concurrent calls.
    static let concurrency = 500
    private static let allowedConnections = 1...32
    private static let usualConnections = 4

    var identity: SigningIdentity
    /// The app's bundle id.
    var topic: String
    /// The address of each server, as `https://host` or `https://host:port`.
    var production: String
    var sandbox: String
    /// The most connections to each of the two servers.
    var maximumConnections: Int
    var call: CallSettings

    /// The connections to one of the two servers. Each connection takes an equal share of the calls, so that the load is spread.
    func connections(to origin: String) -> HTTP2Configuration {
        HTTP2Configuration(
            origin: origin, maximumConnections: maximumConnections,
            maximumStreamsPerConnection: (call.maximumConcurrency + maximumConnections - 1) / maximumConnections,
            connectTimeout: call.connectTimeout, certificateAuthorityFile: call.certificateAuthorities)
    }
}

extension APNsConfiguration {
    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting("key", "The signing key for APNs, the text of Apple's .p8 file: `file:/path` or `env:NAME`.", isSecret: true),
            ProviderSetting("keyId", "The id of that key, 10 letters and digits."),
            ProviderSetting("teamId", "The id of the developer team that the key belongs to, 10 letters and digits."),
            ProviderSetting("topic", "The app's bundle id: com.example.shop."),
            ProviderSetting("endpoint", "Where APNs takes pushes for production, https:// without a path.", defaultValue: productionOrigin),
            ProviderSetting(
                "sandboxEndpoint",
                "Where APNs takes pushes for devices of the environment sandbox; the endpoint, where only that is set to another address.",
                defaultValue: sandboxOrigin),
            ProviderSetting(
                "maximumConnections", "Connections to each endpoint from one process, 1 to 32.", defaultValue: String(usualConnections)),
        ]
        + CallSettings.declarations(concurrency: concurrency).map { setting in
            guard setting.name == "maximumConcurrency" else { return setting }
            var setting = setting
            setting.meaning = "Calls under way at once to each endpoint, of all processes together, 1 to 1000."
            return setting
        }

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let key = errors.collect(try Self.key(settings))
        let keyID = errors.collect(try Self.id("keyId", settings))
        let teamID = errors.collect(try Self.id("teamId", settings))
        let topic = errors.collect(try Self.topic(settings))
        let production = errors.collect(try Self.origin("endpoint", settings, default: Self.productionOrigin))
        let usual = production.flatMap { $0 == Self.productionOrigin ? nil : $0 } ?? Self.sandboxOrigin
        let sandbox = errors.collect(try Self.origin("sandboxEndpoint", settings, default: usual))
        let connections = errors.collect(
            try settings.integer("maximumConnections", default: Self.usualConnections, in: Self.allowedConnections))
        let call = errors.collect(try CallSettings(settings, concurrency: Self.concurrency))
        guard let key, let keyID, let teamID, let topic, let production, let sandbox, let connections, let call else {
            throw errors.combined
        }
        identity = SigningIdentity(key: key, keyID: keyID, teamID: teamID)
        (self.topic, self.production, self.sandbox) = (topic, production, sandbox)
        (maximumConnections, self.call) = (connections, call)
        self.call.endpoint = production
    }

    private static func key(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> P256PrivateKey {
        let pem = try settings.requiredSecret("key", "must be set: file:/path or env:NAME of the .p8 file that Apple gave out")
        return try settings.parsed("key") { () throws(P256KeyError) in try P256PrivateKey(pem: pem) }
    }

    private static func id(_ name: String, _ settings: ProviderSettings) throws(ProviderConfigurationError) -> String {
        let id = try settings.required(name)
        guard SigningIdentity.isID(id) else {
            throw settings.error(name, "\"\(id)\" is not 10 characters, each a capital letter or a digit")
        }
        return id
    }

    private static func topic(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> String {
        let topic = try settings.required("topic", "must be set: the app's bundle id")
        guard topic.utf8.allSatisfy({ isLetterOrDigit($0) || ".-_".utf8.contains($0) }) else {
            throw settings.error("topic", "\"\(topic)\" is not a bundle id: it has letters, digits, dots and hyphens only")
        }
        return topic
    }

    private static func origin(
        _ name: String, _ settings: ProviderSettings, default standard: String
    ) throws(ProviderConfigurationError) -> String {
        var origin = settings.text(name) ?? standard
        while origin.hasSuffix("/") { origin.removeLast() }
        guard origin.hasPrefix("https://") else {
            throw settings.error(name, "\"\(origin)\" does not begin with https://, and APNs is spoken over TLS only")
        }
        guard origin.utf8.dropFirst(8).allSatisfy({ isLetterOrDigit($0) || ".-:[]".utf8.contains($0) }) else {
            throw settings.error(name, "\"\(origin)\" is not https://host or https://host:port; the path is APNs' own")
        }
        return origin
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
