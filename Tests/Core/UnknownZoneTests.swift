import Testing
import TidingsCore

/// A person whose stored time zone is not known.
@Suite struct UnknownZoneTests {
    private static func facts(quietHours: QuietHours? = nightWindow) -> RecipientFacts {
        .sample {
            $0.preferences.quietHours = quietHours
            $0.zone = .unknown("Mars/Phobos")
            $0.endpoints = [.phone()]
        }
    }

    /// At noon in UTC the quiet hours of UTC wake nobody, but the person may still be asleep.
    @Test func aDeliveryUnderQuietHoursWaitsAQuarterOfAnHour() {
        let decision = decide(.sample("social") { $0.expiresAt = noon.adding(.seconds(3_600)) }, Self.facts())
        #expect(decision.deliveries.map(\.verdict) == [.hold(until: noon.adding(.seconds(900)), reason: .timeZoneUnknown)])
        #expect(decision.rules.contains("quiet hours 22:00–07:00 in the unknown time zone Mars/Phobos → hold"))
    }

    @Test func aHeldDeliveryWaitsNoLongerThanItsExpiry() {
        let soon = noon.adding(.seconds(60))
        let decision = decide(.sample("social") { $0.expiresAt = soon }, Self.facts())
        #expect(decision.deliveries.map(\.verdict) == [.hold(until: soon, reason: .timeZoneUnknown)])
        #expect(decide(.sample("social") { $0.expiresAt = noon }, Self.facts()).deliveries.map(\.verdict.reason) == [.expired])
    }

    @Test func theOthersAreNotConcerned() {
        #expect(decide(.sample("social"), Self.facts(quietHours: nil)).deliveries.map(\.summary) == ["inApp/inbox send"])
        #expect(
            decide(.sample("orderUpdate"), Self.facts(), in: .withPush).deliveries.map(\.summary) == [
                "push/apns/phone send", "inApp/inbox send",
            ])
        var off = Self.facts()
        off.preferences.disabledChannels = [.inApp]
        #expect(decide(.sample("social"), off).deliveries.map(\.summary) == ["inApp suppressed channelDisabled"])
    }

    /// In an unknown zone quiet hours may begin at any moment. Only deliveries that ignore quiet hours are sent, and their decision is
    /// valid as long as any other.
    @Test func aDecisionToSendIsValidForAQuarterOfAnHour() {
        for facts in [Self.facts(quietHours: nil), Self.facts()] {
            var catalogue = Catalogue.builtIn
            catalogue.categories[.social]?.quietHours = .inAppOnly
            #expect(
                decide(.sample("social"), facts, in: catalogue).deliveries.map(\.verdict) == [
                    .send(validUntil: noon.adding(Verdict.longestValidity))
                ])
        }
    }

    @Test(arguments: QuietPolicy.allCases) func nothingIsDropped(policy: QuietPolicy) {
        var catalogue = Catalogue.withPush
        catalogue.categories[.social]?.quietHours = policy
        let asked = Intent.sample("social") { $0.channels = [.push, .inApp] }
        let expected: [String] =
            switch policy {
            case .hold, .drop: ["push hold timeZoneUnknown", "inApp/inbox hold timeZoneUnknown"]
            case .inAppOnly: ["push hold timeZoneUnknown", "inApp/inbox send"]
            case .ignore: ["push/apns/phone send", "inApp/inbox send"]
            }
        #expect(decide(asked, Self.facts(), in: catalogue).deliveries.map(\.summary) == expected)
    }

    /// A critical notification takes a free channel at once, instead of waiting until an operator has repaired the zone data.
    @Test func aCriticalOneTakesTheChannelThatIsFree() {
        let type = NotificationType(name: "alarm", category: .social, allowsCritical: true)
        var catalogue = Catalogue.withPush.with(type)
        catalogue.categories[.social]?.quietHours = .inAppOnly
        let asked = Intent.sample("alarm") {
            $0.critical = true
            $0.channels = [.push, .inApp]
        }
        #expect(decide(asked, Self.facts(), in: catalogue).deliveries.map(\.summary) == ["push await", "inApp/inbox send"])
        catalogue.categories[.social]?.quietHours = .hold
        #expect(
            decide(asked, Self.facts(), in: catalogue).deliveries.map(\.summary) == [
                "push hold timeZoneUnknown", "inApp/inbox await",
            ])
    }

    @Test func aHeldDeliveryGoesOutWhenTheZoneIsKnownAgain() {
        let held = decide(.sample("social"), Self.facts()).deliveries[0]
        func again(_ zone: Zone) -> [String] {
            var facts = Self.facts()
            facts.zone = zone
            let later = noon.adding(Verdict.unknownZonePause)
            return reroute(held, of: .sample("social"), facts: facts, catalogue: .builtIn, now: later, acceptedAt: noon).map(\.summary)
        }
        #expect(again(.unknown("Mars/Phobos")) == ["inApp/inbox hold timeZoneUnknown"])
        #expect(again(.known(.newYork2026)) == ["inApp/inbox send"])
        // 12:15 in UTC is 01:00 on the Chatham Islands.
        #expect(again(.known(.chatham2026)) == ["inApp/inbox hold quietHours"])
    }
}
