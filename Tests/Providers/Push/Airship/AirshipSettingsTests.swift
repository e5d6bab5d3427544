import Testing
import TidingsCore
import TidingsProvider

@testable import ProviderAirship

/// The settings that an operator may write.
struct AirshipSettingsTests {
    private func lines(_ headers: [(String, String)]) -> [String] { headers.map { "\($0): \($1)" } }

    @Test func defaults() throws {
        let configuration = try AirshipConfiguration.test()
        #expect(configuration.platforms == [.ios, .android])
        #expect(configuration.call.endpoint == "https://go.urbanairship.com" && configuration.call.timeout == .seconds(15))
        #expect(
            lines(configuration.headers) == [
                "accept: application/vnd.urbanairship+json; version=3", "content-type: application/json",
                "authorization: Basic a2V5LTE6c2VjcmV0LTE=",
            ])
    }

    @Test func aTokenComesWithTheAppKey() throws {
        let configuration = try AirshipConfiguration.test([
            "masterSecret": "", "token": "env:SECRET", "platforms": "web android", "endpoint": "https://go.airship.eu/",
        ])
        #expect(configuration.platforms == [.android, .web] && configuration.call.endpoint == "https://go.airship.eu")
        #expect(
            lines(configuration.headers) == [
                "accept: application/vnd.urbanairship+json; version=3", "content-type: application/json",
                "authorization: Bearer secret-1", "x-ua-appkey: key-1",
            ])
    }

    static let mistakes: [([String: String], String, String)] = [
        (["appKey": ""], "appKey", "must be set"), (["appKey": "key-1"], "appKey", "named, not written down"),
        (["masterSecret": ""], "masterSecret", "must be set, or token"),
        (["masterSecret": "secret-1"], "masterSecret", "named, not written down"),
        (["token": "env:SECRET"], "token", "stands in place of masterSecret"), (["token": "env:NOPE"], "token", "NOPE is not set"),
        (["platforms": "ios sms"], "platforms", "\"sms\" is none of ios, android, web"),
        (["platforms": ","], "platforms", "names no platform"),
        (["endpoint": "go.airship.eu"], "endpoint", "does not begin with https://"), (["appkey": "x"], "appkey", "did you mean appKey?"),
    ]

    @Test(arguments: mistakes)
    func aBadSettingIsRefusedWithAReason(_ settings: [String: String], _ setting: String, _ reason: String) {
        let error = #expect(throws: ProviderConfigurationError.self) { try AirshipConfiguration.test(settings) }
        #expect(error?.provider == "people" && error?.setting == setting)
        #expect(error?.message.contains(reason) == true, "\(error.map(\.description) ?? "")")
        #expect(error?.description.contains("-1") == false)
    }

    @Test func theFactoryMakesProvidersThatTakeBatches() async throws {
        let settings = ["appKey": "env:KEY", "token": "env:SECRET", "timeoutSeconds": "3"]
        let provider = try AirshipProviderFactory.make(binding: peopleBinding(kind: "airship", settings), environment: peopleEnvironment)
        #expect(provider.name == "people" && provider.channel == .push)
        #expect(provider.limits.maximumTogether == 100 && provider.limits.maximumBodyBytes == 5 * 1_024 * 1_024)
        #expect(provider.limits.sendTimeout == .seconds(3))
        await provider.close()
    }

    @Test func theProviderCarriesPushToPeopleOnly() {
        let settings = ["appKey": "env:KEY", "token": "env:SECRET"]
        for (binding, reason) in [
            (peopleBinding(kind: "airship", settings, channel: .sms), "carries the channel push, not sms"),
            (peopleBinding(kind: "airship", settings, addressing: .device), "set addressing to person, not device"),
        ] {
            let error = #expect(throws: ProviderConfigurationError.self) {
                try AirshipProviderFactory.make(binding: binding, environment: peopleEnvironment)
            }
            #expect(error?.message.contains(reason) == true)
        }
    }
}
