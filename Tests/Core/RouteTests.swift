import Testing
import TidingsCore

@Suite struct RouteTests {
    @Test(arguments: [
        ("orderUpdate", ["push", "inApp"]), ("promotion", ["push"]), ("reminder", ["local", "inApp"]), ("social", ["inApp"]),
        ("system", ["local", "inApp"]), ("metadata", ["push"]),
        ("LOAN_APPROVED", ["push", "inApp"]), ("SYSTEM_UPDATE", ["local", "inApp"]),
    ])
    func channelsOfEachType(type: String, channels: [String]) {
        #expect(decide(.sample(type)).deliveries.map(\.channel.rawValue) == channels)
    }

    @Test func aPersonNeverSeenGetsTheInboxAndNoPush() {
        let decision = decide(.sample("orderUpdate"), .unseen(tenant: "default", recipient: "nobody"))
        #expect(decision.deliveries.map(\.summary) == ["push suppressed noDevice", "inApp/inbox send"])
        #expect(decision.rules == ["category transactional → push, inApp"])
        #expect(decision.strategy == .all)
    }

    @Test func theMostSpecificChannelsWin() {
        let type = NotificationType(name: "t", category: .social, channels: [.push], channelsByMarket: ["us": [.inApp]])
        let catalogue = Catalogue.withPush.with(type)
        func channels(_ change: (inout Intent) -> Void) -> [Channel] {
            decide(.sample("t", change), in: catalogue).deliveries.map(\.channel)
        }
        #expect(channels { _ in } == [.push])
        #expect(channels { $0.market = "us" } == [.inApp])
        #expect(channels { ($0.market, $0.channels) = ("us", [.webhook, .inApp, .webhook]) } == [.webhook, .inApp])
        #expect(channels { $0.channels = [] } == [.push])
    }

    @Test func permissionMattersToWhatShowsOnly() {
        let denied = RecipientFacts.sample { $0.endpoints = [.phone(permission: .denied)] }
        let shown = decide(.sample("orderUpdate"), denied, in: .withPush)
        #expect(shown.deliveries.map(\.summary) == ["push/apns/phone suppressed permissionDenied", "inApp/inbox send"])
        #expect(decide(.sample("metadata"), denied, in: .withPush).deliveries.map(\.summary) == ["push/apns/phone send"])
        #expect(decide(.sample("orderUpdate"), denied).deliveries.map(\.summary)[0] == "push/phone suppressed permissionDenied")
    }

    @Test func endpointsAndProviders() {
        func summaries(_ endpoints: [Endpoint], market: String? = nil, channels: [Channel] = [.push]) -> [String] {
            let facts = RecipientFacts.sample { ($0.endpoints, $0.market) = (endpoints, market) }
            return decide(.sample("orderUpdate") { $0.channels = channels }, facts, in: .withPush).deliveries.map(\.summary)
        }
        #expect(summaries([]) == ["push suppressed noDevice"])
        #expect(summaries([.phone(gone: true)]) == ["push suppressed endpointGone"])
        #expect(summaries([.phone(), .phone("old", gone: true)]) == ["push/apns/phone send"])
        #expect(summaries([.phone("a"), .phone("b", provider: "fcm")]) == ["push/apns/a send", "push/fcm/b send"])
        #expect(summaries([.phone(provider: "braze")]) == ["push/phone suppressed noProvider"])
        #expect(summaries([.phone(provider: nil)]) == ["push/apns/phone send", "push/fcm/phone suppressed sameDevice"])
        #expect(summaries([], market: "mx") == ["push/dmp send", "push suppressed noDevice"])
        #expect(summaries([.phone(provider: "fcm")], market: "mx") == ["push/dmp send", "push/fcm/phone send"])
        #expect(summaries([], market: "us") == ["push/braze send", "push/dmp send"])
        #expect(summaries([.phone()], market: "us") == ["push/braze send", "push/dmp send"])
        #expect(summaries([], channels: [.webhook]) == ["webhook suppressed noAddress"])
        #expect(summaries([.hook("a"), .hook("b")], channels: [.webhook]) == ["webhook/webhook/a send", "webhook/webhook/b send"])
        #expect(summaries([.hook()], market: "us", channels: [.webhook]) == ["webhook/hook suppressed noProvider"])
        #expect(summaries([], channels: [.email]) == ["email suppressed noAddress"])
        #expect(summaries([.phone()], channels: [.push, .local]) == ["push/apns/phone send", "local/plan/phone suppressed sameDevice"])
        #expect(summaries([.phone()], channels: [.local]) == ["local/plan/phone send"])
    }

    @Test func aMarketThatIsGoneFallsBackToTheDefault() {
        let decision = decide(.sample("orderUpdate"), .sample { $0.market = "atlantis" })
        #expect(decision.deliveries.last?.summary == "inApp/inbox send")
        #expect(decision.rules.contains("market atlantis is not in the catalogue → default"))
    }

    @Test func preferencesInOrderOfBreadth() {
        func reasons(_ preferences: Preferences, _ type: String = "orderUpdate", in catalogue: Catalogue = .withPush) -> [ReasonCode?] {
            decide(.sample(type), .sample { ($0.preferences, $0.endpoints) = (preferences, [.phone()]) }, in: catalogue)
                .deliveries.map(\.verdict.reason)
        }
        #expect(reasons(.allOn) == [nil, nil])
        #expect(reasons(Preferences(disabledChannels: [.push])) == [.channelDisabled, nil])
        #expect(reasons(Preferences(disabledCategories: [.transactional])) == [.categoryDisabled, .categoryDisabled])
        #expect(reasons(Preferences(types: ["orderUpdate": false])) == [.typeDisabled, .typeDisabled])
        #expect(reasons(Preferences(types: ["orderUpdate": true, "other": false])) == [nil, nil])
        let all = Preferences(disabledChannels: [.push], disabledCategories: [.transactional], types: ["orderUpdate": false])
        #expect(reasons(all) == [.categoryDisabled, .categoryDisabled])
        let mandatory = Catalogue.withPush.with(NotificationType(name: "legal", category: .transactional, mandatory: true))
        #expect(reasons(all, "legal", in: mandatory) == [nil, nil])
    }

    @Test func quietHoursHoldAllButTransactional() {
        let facts = RecipientFacts.sample { $0.preferences.quietHours = nightWindow }
        let morning = instant("2026-06-11T07:00:00Z")
        let held = decide(.sample("social"), facts, at: midnight)
        #expect(held.deliveries.map(\.verdict) == [.hold(until: morning, reason: .quietHours)])
        #expect(held.rules.contains("quiet hours 22:00–07:00 UTC until 2026-06-11T07:00:00.000Z → hold"))
        #expect(decide(.sample("orderUpdate"), facts, at: midnight).deliveries.last?.verdict.state == .queued)
        #expect(decide(.sample("social"), facts, at: noon).deliveries.last?.verdict.state == .queued)
    }

    /// A delivery that expires before the quiet hours end is held until its expiry, and ends then.
    @Test func aHoldEndsWithItsExpiry() {
        let facts = RecipientFacts.sample { $0.preferences.quietHours = nightWindow }
        let expiry = midnight.adding(.seconds(60))
        let held = decide(.sample("social") { $0.expiresAt = expiry }, facts, at: midnight)
        #expect(held.deliveries.map(\.verdict) == [.hold(until: expiry, reason: .quietHours)])
    }

    /// If a notification wakes a person at night, the decision says that the quiet hours were known and why they did not apply.
    @Test func aNotificationThatPassesQuietHoursSaysWhy() {
        func said(_ type: String, at time: Timestamp, in catalogue: Catalogue = .withPush, off: Set<Channel> = []) -> [String] {
            let facts = RecipientFacts.sample {
                $0.preferences.disabledChannels = off
                $0.preferences.quietHours = nightWindow
            }
            return decide(.sample(type), facts, in: catalogue, at: time).rules.filter { $0.contains("do not apply") }
        }
        let window = "quiet hours 22:00–07:00 UTC do not apply: "
        #expect(said("orderUpdate", at: midnight) == [window + "category transactional ignores them"])
        #expect(said("orderUpdate", at: noon).isEmpty, "it is not quiet")
        #expect(said("social", at: midnight).isEmpty, "they apply")
        #expect(said("orderUpdate", at: midnight, off: [.push, .inApp]).isEmpty, "nothing goes out")
        let mandatory = Catalogue.withPush.with(NotificationType(name: "legal", category: .social, mandatory: true))
        #expect(said("legal", at: midnight, in: mandatory) == [window + "type legal is mandatory"])
    }

    @Test func quietHoursByPolicy() {
        func summaries(_ policy: QuietPolicy) -> [String] {
            var catalogue = Catalogue.withPush
            catalogue.categories[.social]?.quietHours = policy
            let facts = RecipientFacts.sample { ($0.preferences.quietHours, $0.endpoints) = (nightWindow, [.phone()]) }
            return decide(.sample("poke"), facts, in: catalogue, at: midnight).deliveries.map(\.summary)
        }
        #expect(summaries(.hold) == ["push hold quietHours", "inApp/inbox hold quietHours"])
        #expect(summaries(.drop) == ["push/apns/phone suppressed quietHoursDrop", "inApp/inbox suppressed quietHoursDrop"])
        #expect(summaries(.inAppOnly) == ["push/apns/phone suppressed quietHoursDrop", "inApp/inbox send"])
        #expect(summaries(.ignore) == ["push/apns/phone send", "inApp/inbox send"])
    }

    @Test func silentTypesPassQuietHours() {
        let facts = RecipientFacts.sample { ($0.preferences.quietHours, $0.endpoints) = (nightWindow, [.phone()]) }
        #expect(decide(.sample("downloadReady"), facts, in: .withPush, at: midnight).deliveries.map(\.summary) == ["push/apns/phone send"])
    }

    @Test func validityEndsAtTheFirstOfThree() {
        func validUntil(_ at: String, _ change: (inout Intent) -> Void = { _ in }) -> Verdict? {
            let facts = RecipientFacts.sample { $0.preferences.quietHours = nightWindow }
            return decide(.sample("social", change), facts, at: instant(at)).deliveries.last?.verdict
        }
        #expect(validUntil("2026-06-10T12:00:00Z") == .send(validUntil: instant("2026-06-10T12:15:00Z")))
        #expect(validUntil("2026-06-10T21:50:00Z") == .send(validUntil: instant("2026-06-10T22:00:00Z")))
        #expect(
            validUntil("2026-06-10T21:50:00Z") { $0.expiresAt = instant("2026-06-10T21:51:00Z") }
                == .send(validUntil: instant("2026-06-10T21:51:00Z"))
        )
    }

    @Test func expiry() {
        #expect(decide(.sample("social") { $0.expiresAt = noon }).deliveries.map(\.summary) == ["inApp/inbox expired expired"])
        let yesterday = noon.adding(.seconds(-86_400))
        #expect(decide(.sample("social"), acceptedAt: yesterday).deliveries.map(\.summary) == ["inApp/inbox expired expired"])
        #expect(decide(.sample("social"), acceptedAt: yesterday.adding(.seconds(1))).deliveries.map(\.summary) == ["inApp/inbox send"])
        let briefly = Catalogue.builtIn.with(NotificationType(name: "code", category: .social, expiry: .seconds(60)))
        let aMinuteAgo = noon.adding(.seconds(-60))
        #expect(decide(.sample("code"), in: briefly, acceptedAt: aMinuteAgo).deliveries.map(\.summary) == ["inApp/inbox expired expired"])
    }

    @Test func aScheduledIntentWaitsUnjudged() {
        let due = noon.adding(.seconds(400 * 86_400))
        let facts = RecipientFacts.sample { $0.preferences.disabledChannels = [.push] }
        let decision = decide(.sample("orderUpdate") { $0.scheduledFor = due }, facts)
        let hold = Verdict.hold(until: due, reason: .scheduledFor)
        #expect(decision.deliveries == [PlannedDelivery(channel: .push, verdict: hold), PlannedDelivery(channel: .inApp, verdict: hold)])
        #expect(decision.notes.isEmpty)
        let late = decide(.sample("orderUpdate") { $0.scheduledFor = noon.adding(.seconds(-60)) }, facts)
        #expect(late.deliveries.map(\.summary) == ["push suppressed channelDisabled", "inApp/inbox send"])
        #expect(late.notes == [.scheduledInPast])
        let onTime = decide(.sample("social") { $0.scheduledFor = due }, at: due, acceptedAt: noon)
        #expect(onTime.deliveries.map(\.summary) == ["inApp/inbox send"])
        #expect(onTime.notes.isEmpty)
    }

    /// The wait ends after the time to live, so the person will not see the notification. Only a note tells the producer.
    @Test func aWaitBeyondTheExpiryIsNoted() {
        let night = RecipientFacts.sample { $0.preferences.quietHours = nightWindow }
        let soon = midnight.adding(.seconds(60))
        let lost = decide(.sample("social") { $0.expiresAt = soon }, night, at: midnight)
        #expect(lost.deliveries.map(\.verdict) == [.hold(until: soon, reason: .quietHours)] && lost.notes == [.expiresWhileHeld])
        #expect(decide(.sample("social"), night, at: midnight).notes.isEmpty, "it is shown in the morning")
        let due = noon.adding(.seconds(7_200))
        let early = decide(.sample("social") { ($0.scheduledFor, $0.expiresAt) = (due, noon.adding(.seconds(3_600))) })
        #expect(early.notes == [.expiresWhileHeld])
        #expect(decide(.sample("social") { ($0.scheduledFor, $0.expiresAt) = (due, due.adding(.seconds(1))) }).notes.isEmpty)
        #expect(decide(.sample("social") { $0.expiresAt = noon.adding(.seconds(1)) }).notes.isEmpty, "it is sent now")
    }

    @Test func aRetiredTypeHasNoDeliveries() {
        let decision = decide(.sample("unheardOf"))
        #expect(decision.deliveries.isEmpty)
        #expect(decision.notes == [.typeRetired])
    }

    @Test func criticalEscalates() {
        func summaries(_ endpoints: [Endpoint], _ change: (inout Intent) -> Void = { _ in }) -> [String] {
            let intent = Intent.sample("system") {
                $0.critical = true
                change(&$0)
            }
            let decision = decide(intent, .sample { $0.endpoints = endpoints }, in: .withPush)
            #expect(decision.strategy == .escalate)
            return decision.deliveries.map(\.summary)
        }
        #expect(summaries([.phone()]) == ["push/apns/phone send", "local/plan/phone await", "inApp/inbox await"])
        #expect(summaries([]) == ["push suppressed noDevice", "local suppressed noDevice", "inApp/inbox send"])
        #expect(
            summaries([.phone(provider: "braze")]) == ["push/phone suppressed noProvider", "local/plan/phone send", "inApp/inbox await"]
        )
        #expect(
            summaries([.phone(), .hook()]) { $0.channels = [.webhook, .push] } == ["webhook/webhook/hook send", "push/apns/phone await"]
        )
        #expect(summaries([]) { $0.market = "mx" }.suffix(1) == ["inApp/inbox send"])
        #expect(
            summaries([.phone()]) { $0.scheduledFor = noon.adding(.seconds(60)) } == [
                "push hold scheduledFor", "local await", "inApp await",
            ]
        )
        #expect(decide(.sample("social") { $0.critical = true }).strategy == .all)
    }
}
