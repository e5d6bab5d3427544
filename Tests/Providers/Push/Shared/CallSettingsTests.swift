import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

struct CallSettingsTests {
    private static let publicAddress = "https://push.example.com"

    private func settings(_ values: [String: String]) throws(ProviderConfigurationError) -> ProviderSettings {
        let binding = ProviderBinding(name: "main", channel: .push, kind: "any", settings: values, addressing: .device)
        return try ProviderSettings(binding, declared: CallSettings.declarations(endpoint: Self.publicAddress), environment: [:])
    }

    private func read(_ values: [String: String], endpoint: String = publicAddress) throws(ProviderConfigurationError) -> CallSettings {
        try CallSettings(try settings(values), endpoint: endpoint)
    }

    @Test func defaultsAreThoseDeclared() throws {
        let calls = try read([:])
        #expect(calls.endpoint == Self.publicAddress)
        #expect(calls.timeout == .seconds(15) && calls.connectTimeout == .seconds(5))
        #expect(calls.maximumConcurrency == 128 && calls.requestsPerSecond == nil && calls.certificateAuthorities == nil)
        let declared = Dictionary(
            uniqueKeysWithValues: CallSettings.declarations(endpoint: Self.publicAddress).map { ($0.name, $0.defaultValue) })
        let written = try read(declared.filter { !$0.value.isEmpty })
        #expect(written.endpoint == calls.endpoint && written.timeout == calls.timeout && written.connectTimeout == calls.connectTimeout)
        #expect(written.maximumConcurrency == calls.maximumConcurrency)
    }

    @Test func everySettingIsRead() throws {
        let calls = try read([
            "endpoint": "http://10.0.0.7:8080/push//", "timeoutSeconds": "20", "connectTimeoutSeconds": "1", "maximumConcurrency": "1000",
            "requestsPerSecond": "100000", "certificateAuthorities": "/ca.pem",
        ])
        #expect(calls.endpoint == "http://10.0.0.7:8080/push")
        #expect(calls.timeout == .seconds(20) && calls.connectTimeout == .seconds(1))
        #expect(calls.maximumConcurrency == 1_000 && calls.requestsPerSecond == 100_000 && calls.certificateAuthorities == "/ca.pem")
    }

    @Test(arguments: [
        ("endpoint", "push.example.com", "does not begin with https://"), ("endpoint", "ftp://push", "does not begin with https://"),
        ("endpoint", "https://", "does not begin with https://"), ("timeoutSeconds", "0", "from 1 to 20"),
        ("timeoutSeconds", "21", "from 1 to 20"), ("connectTimeoutSeconds", "21", "from 1 to 20"),
        ("maximumConcurrency", "0", "from 1 to 1000"), ("maximumConcurrency", "1001", "from 1 to 1000"),
        ("requestsPerSecond", "0", "from 1 to 100000"), ("requestsPerSecond", "1.5", "from 1 to 100000"),
    ])
    func aBadSettingIsRefusedWithAReason(_ setting: String, _ value: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try read([setting: value]) }
        #expect(error?.setting == setting)
        #expect(error?.description.contains(reason) == true, "\(error.map(\.description) ?? "")")
    }

    @Test func anEndpointMustBeSetIfTheServiceHasNoPublicAddress() throws {
        let error = #expect(throws: ProviderConfigurationError.self) { try read([:], endpoint: "") }
        #expect(error?.setting == "endpoint" && error?.message == "must be set")
        #expect(try read(["endpoint": "https://a"], endpoint: "").endpoint == "https://a")
    }

    /// Some providers have an address that is a setting of its own.
    @Test func theAddressCanBeLeftOut() throws {
        let declared = CallSettings.declarations(concurrency: 32)
        #expect(["endpoint"] + declared.map(\.name) == CallSettings.declarations(endpoint: "").map(\.name))
        let binding = ProviderBinding(name: "main", channel: .push, kind: "any", settings: ["timeoutSeconds": "7"], addressing: .device)
        let calls = try CallSettings(try ProviderSettings(binding, declared: declared, environment: [:]), concurrency: 32)
        #expect(calls.endpoint == "" && calls.timeout == .seconds(7) && calls.maximumConcurrency == 32)
    }

    @Test func concurrencyIsTheProvidersOwnUnlessSet() throws {
        #expect(CallSettings.declarations(endpoint: "", concurrency: 16).first { $0.name == "maximumConcurrency" }?.defaultValue == "16")
        #expect(try CallSettings(try settings([:]), endpoint: Self.publicAddress, concurrency: 16).maximumConcurrency == 16)
    }

    @Test func requestsHaveTheTimesAndGoAnywhere() throws {
        let calls = try read(["timeoutSeconds": "9", "connectTimeoutSeconds": "3"])
        let request = calls.request(url: "http://10.0.0.7/x", headers: [("a", "b")], body: [1])
        #expect(request.method == "POST" && request.url == "http://10.0.0.7/x" && request.body == [1])
        #expect(request.headers.map(\.0) == ["a"])
        #expect(request.totalTimeout == .seconds(9) && request.connectTimeout == .seconds(3))
        #expect(request.maximumResponseBytes == CallSettings.maximumResponseBytes)
        #expect(request.guarding.allowedSchemes == ["http", "https"] && request.guarding.allowedPorts == nil)
        for text in ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "fd00::1", "2001:db8::1"] {
            let address = try #require(IPAddress(text))
            #expect(request.guarding.refusal(of: address) == nil, "\(text)")
        }
    }

    @Test func limitsAreTheSettings() throws {
        let calls = try read(["timeoutSeconds": "9", "maximumConcurrency": "4", "requestsPerSecond": "50"])
        #expect(
            calls.limits(maximumBodyBytes: 4_096, maximumTogether: 75)
                == ProviderLimits(
                    maximumBodyBytes: 4_096, maximumConcurrency: 4, requestsPerSecond: 50, maximumTogether: 75, sendTimeout: .seconds(9)))
    }
}
