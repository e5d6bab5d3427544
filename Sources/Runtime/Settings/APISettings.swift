import TidingsCatalogue
import TidingsProvider

/// The settings of the HTTP API, from the environment.
package struct APISettings: Sendable {
    /// The files of a certificate, in PEM.
    package struct CertificateFiles: Sendable {
        /// The certificate, and after it those of its issuers.
        package let chain: String
        /// The private key, without a passphrase.
        package let key: String
    }

    /// The address at which the API listens.
    package let listen: ListenAddress
    /// Nil: the API speaks HTTP in clear text.
    package let certificate: CertificateFiles?
    /// The public keys that verify tokens of people: an `https` address or the path of a file. Nil: no token is accepted.
    package let tokenKeys: String?
    package let tokenIssuer: String?
    package let tokenAudience: String?
    /// The allowed algorithms by their names. Empty: all that Tidings knows.
    package let tokenAlgorithms: [String]
    /// The longest life of a token.
    package let tokenLifetime: Duration
    /// The tenants that a token may name. Empty: every tenant.
    package let tokenTenants: Set<String>
    /// Web origins whose pages may call the API.
    package let origins: Set<String>
    /// The proxies before the API: addresses and CIDR blocks.
    package let proxies: [String]
    /// Connections open at once in one process.
    package let connections: Int
    /// Connections of one address that is no proxy.
    package let connectionsPerAddress: Int
    /// Requests in a second of one person to one process.
    package let requestsPerPerson: Int
    /// Requests in a second of one key to one process.
    package let requestsPerBackend: Int
    /// Requests in a second of all keys of one tenant to one process. All people of a tenant have as many.
    package let requestsPerTenant: Int
    /// From a request to stop until the address is closed. The process is not ready meanwhile, and answers as before.
    package let stopDelay: Duration

    package static let listenName = "TIDINGS_API_LISTEN"
    package static let certificateName = "TIDINGS_API_TLS_CERTIFICATE"
    package static let certificateKeyName = "TIDINGS_API_TLS_KEY"
    package static let tokenKeysName = "TIDINGS_API_JWKS"
    package static let tokenIssuerName = "TIDINGS_API_ISSUER"
    package static let tokenAudienceName = "TIDINGS_API_AUDIENCE"
    package static let tokenAlgorithmsName = "TIDINGS_API_ALGORITHMS"
    package static let tokenLifetimeName = "TIDINGS_API_TOKEN_LIFETIME"
    package static let tokenTenantsName = "TIDINGS_API_TENANTS"
    package static let originsName = "TIDINGS_API_ORIGINS"
    package static let proxiesName = "TIDINGS_API_PROXIES"
    package static let connectionsName = "TIDINGS_API_CONNECTIONS"
    package static let connectionsPerAddressName = "TIDINGS_API_CONNECTIONS_PER_ADDRESS"
    package static let requestsPerPersonName = "TIDINGS_API_REQUESTS_PER_PERSON"
    package static let requestsPerBackendName = "TIDINGS_API_REQUESTS_PER_BACKEND"
    package static let requestsPerTenantName = "TIDINGS_API_REQUESTS_PER_TENANT"
    package static let stopDelayName = "TIDINGS_API_STOP_DELAY"

    /// The address of `tidings run api` if none is set.
    package static let standardListen = "127.0.0.1:8080"
    /// The proxies if none are named: a program of this machine can reach the API in any case.
    static let standardProxies = "127.0.0.0/8,::1"
    /// 10,000 streams, and as many short requests as they cause.
    static let standardConnections = 12_000
    /// An address behind which a mobile network hides its customers has some hundreds. Twelve such addresses fill a process.
    static let standardConnectionsPerAddress = 1_000
    /// An app that polls asks once in some seconds.
    static let standardRequestsPerPerson = 100
    /// Five times the rate that 64 connections reach on 2 cores, so a backend at full speed is not slowed. ``RequestRoom`` keeps such a
    /// backend from taking the lines of others. This limit stops a backend on a machine that answers more than its own callers need.
    static let standardRequestsPerBackend = 10_000
    /// Two busy backends.
    static let standardRequestsPerTenant = 20_000
    /// A stolen token is of use for this long: it cannot be revoked.
    static let standardTokenLifetime = Duration.seconds(86_400)
    /// Proxies look at the health of a process every few seconds.
    package static let standardStopDelay = Duration.seconds(5)
    /// The requests in work are answered after it. Both must end before the process cancels its work (``RolesService/drainLimit``).
    package static let longestStopDelay = Duration.seconds(10)
    /// More than a process can answer in a second.
    private static let requests = 1...100_000

    /// Nil if no address is set and there is no standard one.
    ///
    /// Throws a ``Failure`` with exit code 78 for a value that is wrong.
    package init?(environment: [String: String], standardListen: String?) throws {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func list(_ name: String) -> [String] {
            (value(name) ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        }
        func number(_ name: String, _ standard: Int, in range: ClosedRange<Int>) throws -> Int {
            guard let text = value(name) else { return standard }
            guard let number = Int(text), range.contains(number) else {
                throw Failure(.config, "\(name): \(text) is no whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        guard let address = value(Self.listenName) ?? standardListen else { return nil }
        guard let listen = ListenAddress(address) else {
            throw Failure(
                .config, "\(Self.listenName): \(address) is no address and port",
                hint: "127.0.0.1:8080 or [::1]:8080; port 0 takes a free one")
        }
        self.listen = listen
        let certificate = try Self.certificate(chain: value(Self.certificateName), key: value(Self.certificateKeyName))
        self.certificate = certificate
        tokenKeys = value(Self.tokenKeysName)
        tokenIssuer = value(Self.tokenIssuerName)
        tokenAudience = value(Self.tokenAudienceName)
        tokenAlgorithms = list(Self.tokenAlgorithmsName)
        tokenLifetime = try Self.tokenLifetime(value(Self.tokenLifetimeName))
        let tenants = list(Self.tokenTenantsName)
        if let wrong = tenants.first(where: { !CatalogueNames.isTenant($0) }) {
            throw Failure(.config, "\(Self.tokenTenantsName): \(wrong) is no tenant", hint: "a tenant is \(CatalogueNames.nameRule)")
        }
        tokenTenants = Set(tenants)
        origins = try Self.origins(list(Self.originsName))
        let named = list(Self.proxiesName)
        proxies = named.isEmpty ? Self.standardProxies.split(separator: ",").map(String.init) : named
        guard listen.isLoopback || certificate != nil || !named.isEmpty else {
            throw Failure(
                .config, "\(Self.listenName): other machines reach \(address), and the API speaks HTTP without TLS",
                hint: "listen on 127.0.0.1, or set \(Self.certificateName), or name the proxies with TLS that stand before the API in "
                    + Self.proxiesName)
        }
        connections = try number(Self.connectionsName, Self.standardConnections, in: 1...1_000_000)
        connectionsPerAddress = try number(
            Self.connectionsPerAddressName, Self.standardConnectionsPerAddress, in: 1...1_000_000)
        requestsPerPerson = try number(Self.requestsPerPersonName, Self.standardRequestsPerPerson, in: Self.requests)
        requestsPerBackend = try number(Self.requestsPerBackendName, Self.standardRequestsPerBackend, in: Self.requests)
        let delay = value(Self.stopDelayName) ?? DurationText.print(Self.standardStopDelay)
        guard let parsed = DurationText.parse(delay), parsed <= Self.longestStopDelay else {
            throw Failure(
                .config, "\(Self.stopDelayName): \(delay) is no time up to \(DurationText.print(Self.longestStopDelay))",
                hint: "5s, or 0s to close the address at once")
        }
        stopDelay = parsed
        requestsPerTenant = try number(Self.requestsPerTenantName, Self.standardRequestsPerTenant, in: Self.requests)
        if tokenKeys != nil, tokenIssuer == nil || tokenAudience == nil {
            let missing = tokenIssuer == nil ? Self.tokenIssuerName : Self.tokenAudienceName
            throw Failure(
                .config, "\(missing) is not set",
                hint: "without it, a token that the same issuer made for another service would open the inbox")
        }
    }

    /// Throws a ``Failure`` with exit code 78 if other machines reach the API. Under `tidings dev` it has no limits, it takes tokens of a key
    /// that lies in a folder, and it serves a demo page.
    package func requireThisMachine() throws {
        guard !listen.isLoopback else { return }
        throw Failure(
            .config, "\(Self.listenName): other machines reach \(listen.description(port: listen.port)), and tidings dev has no limits",
            hint: "listen on 127.0.0.1; tidings run api is for other machines")
    }

    private static func tokenLifetime(_ text: String?) throws -> Duration {
        guard let text else { return standardTokenLifetime }
        guard let lifetime = DurationText.parse(text), lifetime > .zero else {
            throw Failure(.config, "\(tokenLifetimeName): \(text) is no time", hint: "15m, or 1d")
        }
        return lifetime
    }

    /// Origins are compared by their bytes with what a browser sends, so one in another form would never match.
    private static func origins(_ texts: [String]) throws -> Set<String> {
        for text in texts {
            guard let fault = originFault(in: text) else { continue }
            throw Failure(.config, "\(originsName): \(text) \(fault)", hint: "as a browser sends it: https://app.example.com")
        }
        return Set(texts)
    }

    /// Why no browser sends the text as an origin (RFC 6454, section 6.2). Nil if one may.
    private static func originFault(in text: String) -> String? {
        guard let colon = text.firstRange(of: "://") else { return "is no scheme and host" }
        let (scheme, rest) = (text[..<colon.lowerBound], text[colon.upperBound...])
        if text.utf8.contains(where: { (0x41...0x5A).contains($0) }) { return "has capitals" }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = scheme.utf8.first, letters.contains(first),
            scheme.utf8.allSatisfy({ letters.contains($0) || "0123456789+.-".utf8.contains($0) })
        else { return "has no scheme" }
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#"/\?#@*,"#.utf8.contains($0) }) else {
            return "has more than scheme, host and port"
        }
        // The brackets around an address of IPv6, which has colons.
        let isBracketed = rest.hasPrefix("[")
        if isBracketed, !rest.contains("]") { return "has a bracket that is not closed" }
        let host = isBracketed ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != ":" }
        guard !host.isEmpty else { return "has no host" }
        guard !host.contains("["), !host.contains("]") else { return "has a bracket in its host" }
        let port = rest[host.endIndex...].dropFirst(isBracketed ? 1 : 0)
        if port.isEmpty { return nil }
        guard port.hasPrefix(":") else { return "has something between its host and its port" }
        return portFault(in: port.dropFirst(), of: scheme)
    }

    private static func portFault(in text: Substring, of scheme: Substring) -> String? {
        guard let port = Int(text), (1...65_535).contains(port), String(port) == text else {
            return "has a port that is no number from 1 to 65535 as a browser writes it"
        }
        return (scheme == "https" && port == 443) || (scheme == "http" && port == 80) ? "names the standard port" : nil
    }

    private static func certificate(chain: String?, key: String?) throws -> CertificateFiles? {
        switch (chain, key) {
        case (nil, nil): return nil
        case (let chain?, let key?): return CertificateFiles(chain: chain, key: key)
        case (nil, _), (_, nil):
            throw Failure(.config, "\(chain == nil ? certificateName : certificateKeyName) is not set", hint: "TLS needs both files")
        }
    }

    package static var declarations: [SettingDeclaration] {
        [
            SettingDeclaration(
                listenName, "The address at which run api and run all offer the HTTP API; empty: run all offers none.",
                defaultValue: standardListen),
            SettingDeclaration(
                certificateName, "The certificate of the API with those of its issuers, a PEM file; empty: HTTP without TLS."),
            SettingDeclaration(
                certificateKeyName, "The private key of the certificate, a PEM file without a passphrase.", isSecret: true,
                // The path is no secret. A value that is the key itself is one.
                shown: { $0.hasPrefix("/") && !$0.contains(where: \.isWhitespace) ? $0 : "***" }),
            SettingDeclaration(
                tokenKeysName, "The JWK Set that verifies the tokens of people: an https address or a file; empty: none are accepted.",
                shown: ProviderSettings.hidingUserInformation),
            SettingDeclaration(tokenIssuerName, "The issuer (iss) that tokens of people must have."),
            SettingDeclaration(tokenAudienceName, "The audience (aud) that tokens of people must have."),
            SettingDeclaration(tokenAlgorithmsName, "The allowed algorithms of tokens, by commas.", defaultValue: "ES256,RS256,EdDSA"),
            SettingDeclaration(
                tokenLifetimeName, "The longest life of a token of a person, from iat to exp, or from now if it has no iat.",
                defaultValue: DurationText.print(standardTokenLifetime)),
            SettingDeclaration(tokenTenantsName, "The tenants that tokens of people may name, by commas; empty: every tenant."),
            SettingDeclaration(originsName, "The web origins whose pages may call the API, by commas, such as https://app.example.com."),
            SettingDeclaration(
                proxiesName,
                "The proxies before the API, addresses and CIDR blocks by commas: X-Forwarded-For of theirs names the client.",
                defaultValue: standardProxies),
            SettingDeclaration(
                connectionsName, "Connections open at once in one process of the API; more are answered with 503.",
                defaultValue: String(standardConnections)),
            SettingDeclaration(
                connectionsPerAddressName,
                "Connections of one address that is no proxy, and new ones of it in 4 s; more are answered with 429.",
                defaultValue: String(standardConnectionsPerAddress)),
            SettingDeclaration(
                requestsPerPersonName, "Requests in a second of one person to one process; twice as many at once.",
                defaultValue: String(standardRequestsPerPerson)),
            SettingDeclaration(
                requestsPerBackendName, "Requests in a second of one API key to one process; twice as many at once.",
                defaultValue: String(standardRequestsPerBackend)),
            SettingDeclaration(
                requestsPerTenantName,
                "Requests in a second of all API keys of one tenant to one process, and of all its people; twice as many at once.",
                defaultValue: String(standardRequestsPerTenant)),
            SettingDeclaration(
                stopDelayName, "From SIGTERM until the API closes its address; /health/ready says no meanwhile, 10s at most.",
                defaultValue: DurationText.print(standardStopDelay)),
        ]
    }
}
