import Testing
import TidingsCore
import TidingsProvider

@testable import ProviderBraze

/// The settings that an operator may write.
struct BrazeSettingsTests {
    @Test func defaults() throws {
        let configuration = try BrazeConfiguration.test()
        #expect(configuration.apiKey == "key-1" && configuration.platforms == [.ios, .android])
        #expect(configuration.campaignID == nil && configuration.variationIDs.isEmpty && !configuration.perPerson)
        #expect(configuration.call.endpoint == "https://rest.example" && configuration.call.timeout == .seconds(15))
    }

    @Test func everySettingIsRead() throws {
        let configuration = try BrazeConfiguration.test([
            "platforms": "android,ios", "campaignId": "c", "iosVariationId": "i", "androidVariationId": "a", "perPerson": "true",
            "endpoint": "https://rest.fra-01.braze.eu/", "timeoutSeconds": "9",
        ])
        #expect(configuration.platforms == [.ios, .android] && configuration.perPerson)
        #expect(configuration.campaignID == "c" && configuration.variationIDs == [.ios: "i", .android: "a"])
        #expect(configuration.call.endpoint == "https://rest.fra-01.braze.eu" && configuration.call.timeout == .seconds(9))
    }

    static let mistakes: [([String: String], String, String)] = [
        (["apiKey": ""], "apiKey", "must be set"), (["apiKey": "key-1"], "apiKey", "named, not written down"),
        (["endpoint": ""], "endpoint", "must be set"), (["endpoint": "rest.braze.com"], "endpoint", "does not begin with https://"),
        (["platforms": "ios, web"], "platforms", "\"web\" is none of ios, android"), (["platforms": ","], "platforms", "names no platform"),
        (["campaignId": "c", "platforms": "ios"], "iosVariationId", "must be set, because campaignId is"),
        (["campaignId": "c", "iosVariationId": "i"], "androidVariationId", "must be set, because campaignId is"),
        (["iosVariationId": "i"], "iosVariationId", "means nothing without campaignId and ios"),
        (
            ["campaignId": "c", "iosVariationId": "i", "androidVariationId": "a", "platforms": "ios"], "androidVariationId",
            "android in platforms"
        ),
        (["perPerson": "yes"], "perPerson", "neither true nor false"), (["api_key": "x"], "api_key", "did you mean apiKey?"),
    ]

    @Test(arguments: mistakes)
    func aBadSettingIsRefusedWithAReason(_ settings: [String: String], _ setting: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try BrazeConfiguration.test(settings) }
        #expect(error?.provider == "people" && error?.setting == setting)
        #expect(error?.message.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains("key-1") == false)
    }

    @Test func theKeyMayComeFromTheEnvironment() throws {
        let binding = peopleBinding(kind: "braze", ["endpoint": "https://rest.example"])
        let settings = try ProviderSettings(
            binding, declared: BrazeProviderFactory.settings, environment: ["TIDINGS_BRAZE_API_KEY": "from there"])
        #expect(try BrazeConfiguration(settings).apiKey == "from there")
    }

    @Test(arguments: [("false", 50), ("true", 1)])
    func theFactoryMakesProvidersThatTakeBatches(_ perPerson: String, _ together: Int) async throws {
        let settings = ["apiKey": "env:KEY", "endpoint": "https://rest.example", "perPerson": perPerson, "timeoutSeconds": "3"]
        let provider = try BrazeProviderFactory.make(binding: peopleBinding(kind: "braze", settings), environment: peopleEnvironment)
        #expect(provider.name == "people" && provider.channel == .push)
        #expect(provider.limits.maximumTogether == together && provider.limits.sendTimeout == .seconds(3))
        await provider.close()
    }

    @Test func theProviderCarriesPushToPeopleOnly() {
        let settings = ["apiKey": "env:KEY", "endpoint": "https://rest.example"]
        for (binding, reason) in [
            (peopleBinding(kind: "braze", settings, channel: .email), "carries the channel push, not email"),
            (peopleBinding(kind: "braze", settings, addressing: .device), "set addressing to person, not device"),
        ] {
            let error = #expect(throws: ProviderConfigurationError.self) {
                try BrazeProviderFactory.make(binding: binding, environment: peopleEnvironment)
            }
            #expect(error?.message.contains(reason) == true)
        }
    }
}
