import Testing
import TidingsCatalogue
import TidingsCore
import TidingsStore
import TidingsTimeZones

/// Facts that an app reports about its device: context is brought into form or left out, and anything else is refused.
@Suite struct DeviceSettingsTests {
    private struct Judged {
        var settings: DeviceSettings
        var refused: [DeviceFault]
        var ignored: [DeviceFault]
    }

    private func judge(_ settings: DeviceSettings, strictly isStrict: Bool = false) -> Judged {
        let zones = TimeZoneDatabase()
        var catalogue = Catalogue.builtIn
        for name in ["Push-EU", "push-eu", "FCM-us"] {
            catalogue.providers[name] = ProviderBinding(name: name, channel: .push, kind: "fcm", addressing: .device)
        }
        let issuers = IssuerNames(kinds: ["apns", "in-the-binary"], catalogue: catalogue)
        var settings = settings
        var ignored: [DeviceFault] = []
        let refused = settings.settle(in: catalogue, issuers: issuers, strictly: isStrict, ignored: &ignored) { zones.storedName(of: $0) }
        return Judged(settings: settings, refused: refused, ignored: ignored)
    }

    @Test(
        arguments: [
            (DeviceSettings(timeZone: "America/Lima", locale: "es-MX", appVersion: "4.2.0"), ["America/Lima", "es-MX", "4.2.0"]),
            (DeviceSettings(timeZone: "GMT+0500", locale: "en_US@rg=gbzzzz"), ["Etc/GMT-5", "en-US-u-rg-gbzzzz", nil]),
            (DeviceSettings(timeZone: "", locale: "", appVersion: ""), [nil, nil, nil]), (DeviceSettings(), [nil, nil, nil]),
            (DeviceSettings(timeZone: "UTC", locale: "zh_TW_#Hant"), ["UTC", "zh-Hant-TW", nil]),
        ] as [(DeviceSettings, [String?])])
    func contextHasOneForm(_ settings: DeviceSettings, _ expected: [String?]) {
        for isStrict in [false, true] {
            let judged = judge(settings, strictly: isStrict)
            #expect([judged.settings.timeZone, judged.settings.locale, judged.settings.appVersion] == expected)
            #expect(judged.refused.isEmpty && judged.ignored.isEmpty)
        }
    }

    @Test(arguments: [
        (DeviceSettings(timeZone: "GMT+0530"), DeviceFault.timeZone("GMT+0530")), (DeviceSettings(timeZone: "IST"), .timeZone("IST")),
        (DeviceSettings(locale: "klingon"), .locale("klingon")),
        (DeviceSettings(locale: "en" + String(repeating: "-variant", count: 16)), .longLocale),
        (DeviceSettings(appVersion: String(repeating: "9", count: 129)), .longAppVersion),
        (DeviceSettings(timeZone: "UTC\u{FFFD}"), .timeZone("UTC\u{FFFD}")),
        (DeviceSettings(locale: "es-MX\u{FFFD}"), .locale("es-MX\u{FFFD}")),
        (DeviceSettings(locale: "de_AT.UTF-8\u{FFFD}"), .locale("de_AT.UTF-8\u{FFFD}")),
        (DeviceSettings(appVersion: "1.0 \u{FFFD}"), .damagedAppVersion),
    ])
    func contextThatCannotBeUsedIsLeftOut(_ settings: DeviceSettings, _ fault: DeviceFault) {
        let judged = judge(settings)
        #expect(judged.refused.isEmpty && judged.ignored == [fault] && judged.settings == DeviceSettings())
        #expect(judge(settings, strictly: true).refused == [fault])
    }

    /// Without these facts a push would go to the wrong place, so they are not left out.
    @Test func otherFaultsAreRefused() {
        let settings = DeviceSettings(provider: "a b", market: "atlantis", timeZone: "GMT+0530")
        let judged = judge(settings)
        #expect(judged.refused == [.provider("a b"), .market("atlantis")] && judged.ignored == [.timeZone("GMT+0530")])
    }

    /// The known names are kinds of the binary, names and kinds of the catalogue, and standard providers of platforms.
    @Test(arguments: [
        ("APNs", "apns"), ("FCM", "fcm"), ("WebPush", "webpush"), ("In-The-Binary", "in-the-binary"), ("fcm-US", "FCM-us"),
        ("push-eu", "push-eu"), ("Push-EU", "Push-EU"), ("apns", "apns"), ("Firebase", "Firebase"), ("in-house", "in-house"),
    ])
    func aProviderHasTheCaseOfItsName(_ written: String, _ stored: String) {
        let judged = judge(DeviceSettings(provider: written))
        #expect(judged.settings.provider == stored && judged.refused.isEmpty && judged.ignored.isEmpty)
    }

    @Test(arguments: [("fmc", "fcm"), ("gcm", "fcm"), ("apn", "apns"), ("web-push", "webpush"), ("PUSH-eu", "Push-EU")])
    func aProviderThatIsAlmostANameIsRefused(_ written: String, _ nearest: String) {
        #expect(judge(DeviceSettings(provider: written)).refused == [.misspelledProvider(written, nearest: nearest)])
    }

    @Test func contextIsAloneIfNothingElseIsReported() {
        #expect(DeviceSettings(timeZone: "UTC", locale: "de", appVersion: "1").isContextAlone)
        for settings in [
            DeviceSettings(platform: .ios), DeviceSettings(provider: "fcm"), DeviceSettings(environment: .sandbox),
            DeviceSettings(permission: .denied), DeviceSettings(market: .some(nil)),
        ] {
            #expect(!settings.isContextAlone)
        }
    }
}
