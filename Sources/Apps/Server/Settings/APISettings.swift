import TidingsProvider

/// The settings of the HTTP API, from the environment.
package struct APISettings: Sendable {
    /// The address at which the API listens.
    package let listen: ListenAddress
    /// The public keys that verify tokens of people: an `https` address or the path of a file. Nil: no token is accepted.
    package let tokenKeys: String?
    package let tokenIssuer: String?
    package let tokenAudience: String?
    /// The allowed algorithms by their names. Empty: all that Tidings knows.
    package let tokenAlgorithms: [String]
    /// Web origins whose pages may call the API.
    package let origins: Set<String>

    package static let listenName = "TIDINGS_API_LISTEN"
    package static let tokenKeysName = "TIDINGS_API_JWKS"
    package static let tokenIssuerName = "TIDINGS_API_ISSUER"
    package static let tokenAudienceName = "TIDINGS_API_AUDIENCE"
    package static let tokenAlgorithmsName = "TIDINGS_API_ALGORITHMS"
    package static let originsName = "TIDINGS_API_ORIGINS"

    /// The address of `tidings run api` if none is set.
    package static let standardListen = "127.0.0.1:8080"

    /// Nil if no address is set and there is no standard one.
    ///
    /// Throws a ``Failure`` with exit code 78 for a value that is wrong.
    package init?(environment: [String: String], standardListen: String?) throws {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func list(_ name: String) -> [String] {
            (value(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        }
        guard let address = value(Self.listenName) ?? standardListen else { return nil }
        guard let listen = ListenAddress(address) else {
            throw Failure(
                .config, "\(Self.listenName): \(address) is no address and port",
                hint: "127.0.0.1:8080 or [::1]:8080; port 0 takes a free one")
        }
        self.listen = listen
        tokenKeys = value(Self.tokenKeysName)
        tokenIssuer = value(Self.tokenIssuerName)
        tokenAudience = value(Self.tokenAudienceName)
        tokenAlgorithms = list(Self.tokenAlgorithmsName)
        origins = Set(list(Self.originsName))
        if tokenKeys != nil, tokenIssuer == nil || tokenAudience == nil {
            let missing = tokenIssuer == nil ? Self.tokenIssuerName : Self.tokenAudienceName
            throw Failure(
                .config, "\(missing) is not set",
                hint: "without it, a token that the same issuer made for another service would open the inbox")
        }
    }

    package static var declarations: [SettingDeclaration] {
        [
            SettingDeclaration(
                listenName, "The address at which run api and run all offer the HTTP API; empty: run all offers none.",
                defaultValue: standardListen),
            SettingDeclaration(
                tokenKeysName, "The JWK Set that verifies the tokens of people: an https address or a file; empty: none are accepted.",
                shown: ProviderSettings.hidingUserInformation),
            SettingDeclaration(tokenIssuerName, "The issuer (iss) that tokens of people must have."),
            SettingDeclaration(tokenAudienceName, "The audience (aud) that tokens of people must have."),
            SettingDeclaration(tokenAlgorithmsName, "The allowed algorithms of tokens, by commas.", defaultValue: "ES256,RS256,EdDSA"),
            SettingDeclaration(originsName, "The web origins whose pages may call the API, by commas, such as https://app.example.com."),
        ]
    }
}
