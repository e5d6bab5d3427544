import TidingsEncodings
import TidingsProvider

/// The settings of one binding of kind `airship`.
struct AirshipConfiguration: Sendable {
    enum Platform: String, CaseIterable, Sendable {
        case ios, android, web
    }

    /// The credential that authorises a call.
    enum Credential: Sendable {
        /// The app's master secret, for HTTP Basic. The app's other secret may not send.
        case masterSecret(String)
        /// A bearer token made in Airship's dashboard. The token never expires.
        case token(String)
    }

    /// Airship's name for the app.
    var appKey: String
    var credential: Credential
    /// At least one, in the order of ``Platform``.
    var platforms: [Platform]
    var call: CallSettings

    /// The headers of every call, in the order in which they are sent.
    var headers: [(String, String)] {
        let common = [("accept", "application/vnd.urbanairship+json; version=3"), ("content-type", "application/json")]
        return switch credential {
        case .masterSecret: common + [("authorization", authorization)]
        case .token: common + [("authorization", authorization), ("x-ua-appkey", appKey)]
        }
    }

    /// The secrets of a call, in every form in which they are sent.
    var secrets: [String] {
        switch credential {
        case .masterSecret(let secret): [appKey, secret, authorization]
        case .token(let token): [appKey, token]
        }
    }

    private var authorization: String {
        switch credential {
        case .masterSecret(let secret): "Basic \(Base64.encode(Array("\(appKey):\(secret)".utf8)))"
        case .token(let token): "Bearer \(token)"
        }
    }
}

extension AirshipConfiguration {
    /// Airship's address in the United States. An app in Europe uses `https://go.airship.eu`.
    static let endpoint = "https://go.urbanairship.com"

    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting("appKey", "The app's key, as `env:NAME` or `file:/path`; required.", isSecret: true),
            ProviderSetting(
                "masterSecret", "The app's master secret, as `env:NAME` or `file:/path`; required unless there is a `token`.",
                isSecret: true),
            ProviderSetting("token", "A bearer token in place of `masterSecret`, as `env:NAME` or `file:/path`.", isSecret: true),
            ProviderSetting(
                "platforms", "Which devices of a person get it: `ios`, `android`, `web`; silent ones do not go to `web`.",
                defaultValue: "ios, android"),
        ] + CallSettings.declarations(endpoint: endpoint)

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let appKey = errors.collect(try settings.requiredSecret("appKey"))
        let credential = errors.collect(try Self.credential(settings))
        let platforms: [Platform]? = errors.collect(try settings.choices("platforms", noun: "platform") ?? [.ios, .android])
        let call = errors.collect(try CallSettings(settings, endpoint: Self.endpoint))
        guard let appKey, let credential, let platforms, let call else { throw errors.combined }
        self.init(appKey: appKey, credential: credential, platforms: platforms, call: call)
    }

    private static func credential(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> Credential {
        switch (try settings.secret("masterSecret"), try settings.secret("token")) {
        case (let secret?, nil): return .masterSecret(secret)
        case (nil, let token?): return .token(token)
        case (nil, nil): throw settings.missing("masterSecret", "must be set, or token: env:NAME or file:/path")
        case (.some, .some): throw settings.error("token", "stands in place of masterSecret: set one of them")
        }
    }
}
