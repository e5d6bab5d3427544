import Testing
import TidingsCore

/// Local notifications are planned on devices before their time, and judged by the rules of that time.
@Suite struct PlanAheadTests {
    private static let tomorrow = noon.adding(.seconds(86_400))

    /// The providers of these tests: push and plans in the default market, only plans in `mx`, and Braze beside plans in `us`.
    private static let catalogue: Catalogue = {
        var catalogue = Catalogue.withPush
        let plan = ProviderBinding(name: "localPlan", channel: .local, kind: ProviderBinding.localPlanKind, addressing: .device)
        catalogue.providers["localPlan"] = plan
        for market in ["default", "mx", "us"] { catalogue.markets[market]?.providers[.local] = ["localPlan"] }
        catalogue.markets["mx"]?.providers[.push] = []
        return catalogue
    }()

    private static func scheduled(_ channels: [Channel] = [.local], critical: Bool = false) -> Intent {
        .sample("system") { ($0.scheduledFor, $0.channels, $0.critical) = (tomorrow, channels, critical) }
    }

    private static func facts(_ endpoints: [Endpoint] = [.phone()], market: String? = nil) -> RecipientFacts {
        .sample { ($0.endpoints, $0.market) = (endpoints, market) }
    }

    private static func decided(_ intent: Intent, _ facts: RecipientFacts = facts()) -> [String] {
        decide(intent, facts, in: catalogue).deliveries.map(\.summary)
    }

    @Test func aLocalNotificationIsPlannedOnEachDeviceAtOnce() {
        #expect(
            Self.decided(Self.scheduled([.local, .inApp]), Self.facts([.phone(), .phone("tablet", permission: .denied)])) == [
                "local/localPlan/phone send", "local/localPlan/tablet hold scheduledFor", "inApp hold scheduledFor",
            ])
        #expect(Self.decided(.sample("system") { $0.channels = [.local] }) == ["local/localPlan/phone send"])
    }

    private static func facts(quietAt window: QuietHours) -> RecipientFacts {
        var facts = facts()
        facts.preferences.quietHours = window
        return facts
    }

    /// The channel is held until the scheduled time: a device or a permission may be added before that.
    @Test func aLocalNotificationThatNoDeviceCanPlanWaits() {
        var off = Self.facts()
        off.preferences.disabledChannels = [.local]
        for facts in [Self.facts([]), Self.facts([.phone(permission: .denied)]), off] {
            #expect(Self.decided(Self.scheduled(), facts) == ["local hold scheduledFor"])
        }
    }

    /// A scheduled notification is planned during quiet hours too. Only the quiet hours at its scheduled time count.
    @Test func quietHoursOfNowDoNotCount() {
        let asleep = decide(Self.scheduled(), Self.facts(quietAt: nightWindow), in: Self.catalogue, at: midnight.adding(.seconds(-3_600)))
        #expect(asleep.deliveries.map(\.summary) == ["local/localPlan/phone send"])
        let unscheduled = decide(
            .sample("system") { $0.channels = [.local] }, Self.facts(quietAt: nightWindow), in: Self.catalogue, at: midnight)
        #expect(unscheduled.deliveries.map(\.summary) == ["local hold quietHours"])
    }

    /// A device that a push can reach waits for the push. Only other devices get the notification in their plan.
    @Test func aDeviceIsNeverPushedAndPlanned() {
        #expect(
            Self.decided(Self.scheduled([.push, .local]), Self.facts([.phone(), .phone("old", provider: "gcm")])) == [
                "push hold scheduledFor", "local/localPlan/phone hold scheduledFor", "local/localPlan/old send",
            ])
        #expect(Self.decided(Self.scheduled([.push, .local])) == ["push hold scheduledFor", "local hold scheduledFor"])
        #expect(
            Self.decided(.sample("system") { $0.channels = [.push, .local] }, Self.facts(market: "us")) == [
                "push/braze send", "push/dmp send", "local/localPlan/phone suppressed sameDevice",
            ])
        let due = reroute(
            PlannedDelivery(channel: .push, verdict: .awaitEscalation), after: DeliveryPast(plannedOn: ["phone"]),
            of: Self.scheduled([.push, .local]), facts: Self.facts(), catalogue: Self.catalogue, now: Self.tomorrow, acceptedAt: noon)
        #expect(due.map(\.summary) == ["push/apns/phone suppressed sameDevice"])
        // The person has moved to a market whose provider addresses people: that push would reach the phone as well.
        let moved = reroute(
            PlannedDelivery(channel: .push, verdict: .awaitEscalation), after: DeliveryPast(plannedOn: ["phone"]),
            of: Self.scheduled([.push, .local]), facts: Self.facts(market: "us"), catalogue: Self.catalogue, now: Self.tomorrow,
            acceptedAt: noon)
        #expect(moved.map(\.summary) == ["push/braze suppressed sameDevice", "push/dmp send"])
    }

    /// A device whose plan does not hold the notification is judged again at the scheduled time. The permission and the push of that moment
    /// count.
    @Test func aRefusalIsNotForAllTime() {
        func due(_ facts: RecipientFacts, _ channels: [Channel] = [.push, .local]) -> [String] {
            reroute(
                PlannedDelivery(channel: .local, provider: "localPlan", endpoint: "phone", verdict: .awaitEscalation),
                of: Self.scheduled(channels), facts: facts, catalogue: Self.catalogue, now: Self.tomorrow, acceptedAt: noon
            ).map(\.summary)
        }
        #expect(due(Self.facts()) == ["local/localPlan/phone suppressed sameDevice"])
        var pushIsOff = Self.facts()
        pushIsOff.preferences.disabledChannels = [.push]
        #expect(due(pushIsOff) == ["local/localPlan/phone send"])
        #expect(due(Self.facts([.phone(permission: .denied)]), [.local]) == ["local/localPlan/phone suppressed permissionDenied"])
        #expect(due(Self.facts(), [.local]) == ["local/localPlan/phone send"])
    }

    /// A browser shows nothing by itself. The form of a token says nothing about its device.
    @Test func aBrowserHasNoPlan() {
        let browser = Endpoint(id: "browser", channel: .push, provider: "webpush", address: "subscription", platform: .web)
        #expect(browser.serves(.push) && !browser.serves(.local))
        for platform in [DevicePlatform.ios, .android, nil] {
            let phone = Endpoint(id: "phone", channel: .push, provider: "in-house", address: #"{"token":"1"}"#, platform: platform)
            #expect(phone.serves(.push) && phone.serves(.local))
        }
    }

    @Test func escalationPlansWhenItsTurnHasCome() {
        #expect(
            Self.decided(Self.scheduled([.push, .local, .inApp], critical: true)).map { $0.split(separator: " ").last ?? "" } == [
                "scheduledFor", "await", "await",
            ])
    }

    private func judged(_ intent: Intent, _ facts: RecipientFacts = facts(), pauses: Pauses = .none, at now: Timestamp = noon)
        -> LocalVerdict
    {
        judgeLocal(intent, on: "phone", facts: facts, catalogue: Self.catalogue, pauses: pauses, now: now, acceptedAt: noon)
    }

    @Test func aPlannedOneIsJudgedAsOfItsTime() {
        let intent = Self.scheduled([.push, .local])
        #expect(judged(intent) == .show(at: Self.tomorrow))
        #expect(judged(intent, at: Self.tomorrow) == .showNow)
        #expect(judged(.sample("system")) == .showNow)
        #expect(judged(intent, Self.facts(quietAt: quiet("11:00", "13:00"))) == .show(at: Self.tomorrow.adding(.seconds(3_600))))
        let paused = Pauses([Pause(id: 1, scope: .channel, name: "local", until: noon.adding(.seconds(60)))])
        #expect(judged(intent, pauses: paused) == .show(at: Self.tomorrow))
        #expect(judged(intent, pauses: Pauses([Pause(id: 1, scope: .channel, name: "local")])) == .hide(.paused))
    }

    /// In an unknown zone the device could show the notification during quiet hours. Without quiet hours the zone does not matter.
    @Test func anUnknownZoneHidesWhatQuietHoursConcern() {
        var asleep = Self.facts(quietAt: nightWindow)
        asleep.zone = .unknown("Mars/Phobos")
        #expect(Self.decided(Self.scheduled(), asleep) == ["local/localPlan/phone send"], "the plan judges it, by the facts of then")
        #expect(judged(Self.scheduled(), asleep) == .hide(.timeZoneUnknown))
        #expect(judged(Self.scheduled(), asleep, at: Self.tomorrow) == .hide(.timeZoneUnknown))
        #expect(judged(.sample("system"), asleep) == .hide(.timeZoneUnknown))
        #expect(judged(Self.scheduled(), asleep, at: Self.tomorrow.adding(.seconds(4 * 86_400))) == .end(.expired, .expired))
        var awake = Self.facts()
        awake.zone = .unknown("Mars/Phobos")
        #expect(judged(Self.scheduled(), awake) == .show(at: Self.tomorrow))
    }

    @Test func aRefusalCountsForGoodOnlyWhenItsTimeHasCome() {
        let denied = Self.facts([.phone(permission: .denied)])
        #expect(judged(Self.scheduled(), denied) == .hide(.permissionDenied))
        #expect(judged(Self.scheduled(), denied, at: Self.tomorrow) == .end(.suppressed, .permissionDenied))
        #expect(judged(Self.scheduled(), Self.facts([.phone("other")])) == .hide(.endpointGone))
        let late = Self.tomorrow.adding(.seconds(4 * 86_400))
        #expect(judged(Self.scheduled(), at: late) == .end(.expired, .expired))
        #expect(judged(Self.scheduled(), Self.facts(market: "nowhere")) == .show(at: Self.tomorrow))
    }

    @Test func theMarketsPushWakes() {
        let phone = Endpoint.phone()
        #expect(Self.catalogue.pushCarrier(of: phone, market: nil)?.name == "apns")
        #expect(Self.catalogue.pushCarrier(of: phone, market: "mx") == nil)
        #expect(Self.catalogue.pushCarrier(of: phone, market: "us") == nil, "Braze is told of people, not of devices")
    }
}
