import Testing
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsHTTP2
import TidingsProvider

@testable import ProviderAPNs

/// The way from a binding to a provider.
struct APNsSettingsTests {
    @Test func defaultsAreThoseDeclared() throws {
        let configuration = try APNsFixture.configuration()
        #expect(configuration.production == "https://api.push.apple.com" && configuration.sandbox == "https://api.sandbox.push.apple.com")
        #expect(configuration.topic == "com.example.shop" && configuration.maximumConnections == 4)
        #expect(configuration.identity.keyID == "ABC123DEFG" && configuration.identity.teamID == "TEAM123456")
        #expect(Hexadecimal.encode(configuration.identity.key.publicKey.point) == APNsKeys.point)
        #expect(configuration.call.maximumConcurrency == 500 && configuration.call.timeout == .seconds(15))
        let declared = Dictionary(uniqueKeysWithValues: APNsProviderFactory.settings.map { ($0.name, $0.defaultValue) })
        let written = try APNsFixture.configuration(declared.filter { !$0.value.isEmpty })
        #expect(written.production == configuration.production && written.sandbox == configuration.sandbox)
        #expect(written.maximumConnections == 4 && written.call.maximumConcurrency == 500)
    }

    @Test(
        arguments: [
            ("https://127.0.0.1:8443/", nil, "https://127.0.0.1:8443", "https://127.0.0.1:8443"),
            ("https://push.test", "https://sandbox.test:2197", "https://push.test", "https://sandbox.test:2197"),
            (nil, "https://[::1]:9", "https://api.push.apple.com", "https://[::1]:9"),
            ("https://api.push.apple.com//", nil, "https://api.push.apple.com", "https://api.sandbox.push.apple.com"),
        ] as [(String?, String?, String, String)])
    func endpointsCanBeOthers(_ endpoint: String?, _ sandboxEndpoint: String?, _ production: String, _ sandbox: String) throws {
        let configuration = try APNsFixture.configuration(["endpoint": endpoint ?? "", "sandboxEndpoint": sandboxEndpoint ?? ""])
        #expect(configuration.production == production && configuration.sandbox == sandbox)
    }

    /// The connections share the concurrency: each gets an equal part, rounded up.
    @Test(arguments: [("500", "4", 125), ("1", "32", 1), ("1000", "3", 334), ("7", "7", 1)])
    func connectionsShareTheCalls(_ concurrency: String, _ connections: String, _ streams: Int) throws {
        let configuration = try APNsFixture.configuration([
            "maximumConcurrency": concurrency, "maximumConnections": connections, "connectTimeoutSeconds": "3",
            "certificateAuthorities": "/ca.pem",
        ])
        let made = configuration.connections(to: "https://push.test")
        #expect(made.origin == "https://push.test" && made.maximumStreamsPerConnection == streams)
        #expect(made.maximumConnections == Int(connections))
        #expect(made.connectTimeout == .seconds(3) && made.certificateAuthorityFile == "/ca.pem")
    }

    @Test(arguments: [
        ("key", "hunter2", "named, not written down"), ("key", "env:NOPE", "NOPE is not set"), ("key", "", "must be set"),
        ("keyId", "", "must be set"), ("keyId", "abc123defg", "10 characters"), ("keyId", "ABC123DEF", "10 characters"),
        ("teamId", "", "must be set"), ("teamId", "TEAM-12345", "10 characters"), ("topic", "", "bundle id"),
        ("topic", "com.example shop", "bundle id"), ("endpoint", "http://127.0.0.1:80", "over TLS only"),
        ("sandboxEndpoint", "http://127.0.0.1:80", "over TLS only"), ("endpoint", "api.push.apple.com", "https://"),
        ("endpoint", "https://", "https://"), ("endpoint", "https://push.test/3/device", "path is APNs' own"),
        ("endpoint", "https://a@push.test", "https://host"), ("maximumConnections", "0", "1 to 32"),
        ("maximumConnections", "33", "1 to 32"),
        ("maximumConcurrency", "1001", "1 to 1000"), ("timeoutSeconds", "21", "1 to 20"), ("keyID", "a", "did you mean keyId?"),
    ])
    func aBadSettingIsRefusedWithAReason(_ setting: String, _ value: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try APNsFixture.configuration([setting: value]) }
        #expect(error?.provider == "phones" && error?.setting == setting)
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(arguments: [
        ("hunter2", "not a private key in PEM form"), (APNsKeys.p384, "P-256"),
        (APNsKeys.main.replacing("PRIVATE KEY", with: "PUBLIC KEY"), "not a private key"),
        (APNsKeys.main.replacing("MIGH", with: "MIGX"), "not a private key"),
    ])
    func aBadKeyIsRefusedWithAReasonThatDoesNotShowIt(_ key: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try APNsFixture.configuration(key: key) }
        #expect(error?.setting == "key")
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
        for part in ["hunter2", "MIG", "BHBt"] { #expect(error?.description.contains(part) == false) }
    }

    @Test func secretsAreNotInWhatIsPrinted() throws {
        let printed = String(describing: try APNsFixture.configuration()) + String(reflecting: try APNsFixture.configuration())
        #expect(printed.contains("TEAM123456") && !printed.contains("MIGH"))
    }

    /// Each environment has its own concurrency and its own circuit breaker, unless both have the same address.
    @Test func environmentsAreHostsOfTheirOwn() async throws {
        for (settings, sandbox, concurrency) in [
            ([:], "https://api.sandbox.push.apple.com", 80), (["sandboxEndpoint": APNsConfiguration.productionOrigin], nil, 40),
        ] as [([String: String], String?, Int)] {
            let all = APNsFixture.required.merging(settings) { _, given in given }.merging(["maximumConcurrency": "40"]) { _, given in given
            }
            let provider = try APNsProviderFactory.make(binding: APNsFixture.binding(all), environment: ["KEY": APNsKeys.main])
            let production = provider.host(of: .apnsOrder(environment: "production"))
            #expect(production == "https://api.push.apple.com" && provider.host(of: .apnsOrder()) == production)
            #expect(provider.host(of: .apnsOrder(environment: "sandbox")) == sandbox ?? production)
            #expect(provider.limits.maximumConcurrencyPerHost == 40 && provider.limits.maximumConcurrency == concurrency)
            await provider.close()
        }
    }

    @Test func theFactoryMakesProvidersForPushOnly() async throws {
        let settings = APNsFixture.required.merging(["timeoutSeconds": "20", "requestsPerSecond": "900"]) { _, given in given }
        let environment = ["KEY": APNsKeys.main]
        let provider = try APNsProviderFactory.make(binding: APNsFixture.binding(settings), environment: environment)
        #expect(provider.name == "phones" && provider.channel == .push && provider.showsBadge)
        #expect(provider.limits.sendTimeout == .seconds(20) && provider.limits.requestsPerSecond == 900)
        #expect(provider.limits.maximumBodyBytes == 4_096 && provider.limits.maximumConcurrencyPerHost == 500)
        #expect(provider.limits.maximumTogether == 1)
        await provider.close()
        let error = #expect(throws: ProviderConfigurationError.self) {
            try APNsProviderFactory.make(binding: APNsFixture.binding(settings, channel: .webhook), environment: environment)
        }
        #expect(error?.description.contains("push, not webhook") == true)
    }
}
