import Testing
import TidingsCore

@Suite struct RerouteTests {
    private func again(
        _ planned: PlannedDelivery,
        _ intent: Intent = .sample("orderUpdate"),
        _ facts: RecipientFacts = .sample(),
        in catalogue: Catalogue = .withPush,
        at now: Timestamp = noon
    ) -> String {
        reroute(planned, of: intent, facts: facts, catalogue: catalogue, now: now, acceptedAt: noon)[0].summary
    }

    private let toPhone = PlannedDelivery(
        channel: .push,
        provider: "apns",
        endpoint: "phone",
        verdict: .hold(until: noon, reason: .quietHours)
    )
    private let toInbox = PlannedDelivery(channel: .inApp, provider: "inbox", verdict: .awaitEscalation)

    @Test func aDeliveryIsJudgedByTheDataOfTheMoment() {
        let withPhone = RecipientFacts.sample { $0.endpoints = [.phone()] }
        #expect(again(toPhone, facts: withPhone) == "push/apns/phone send")
        #expect(
            again(toPhone, facts: .sample { $0.endpoints = [.phone(permission: .denied)] }) == "push/apns/phone suppressed permissionDenied"
        )
        #expect(again(toPhone, facts: .sample { $0.endpoints = [.phone(gone: true)] }) == "push/apns/phone suppressed endpointGone")
        #expect(again(toPhone, facts: .sample { $0.endpoints = [.phone("new")] }) == "push/apns/phone suppressed endpointGone")
        #expect(again(toPhone) == "push/apns/phone suppressed endpointGone")
        let off = RecipientFacts.sample { ($0.endpoints, $0.preferences.disabledChannels) = ([.phone()], [.push]) }
        #expect(again(toPhone, facts: off) == "push/apns/phone suppressed channelDisabled")
        #expect(again(toPhone, facts: withPhone, at: noon.adding(.seconds(3 * 86_400))) == "push/apns/phone expired expired")
    }

    private func again(_ planned: PlannedDelivery, facts: RecipientFacts, at now: Timestamp = noon) -> String {
        again(planned, .sample("orderUpdate"), facts, at: now)
    }

    @Test func theProviderFollowsTheCatalogue() {
        let withPhone = RecipientFacts.sample { $0.endpoints = [.phone(provider: nil)] }
        var catalogue = Catalogue.withPush
        catalogue.markets["default"]?.providers[.push] = ["fcm"]
        #expect(again(toPhone, .sample("orderUpdate"), withPhone, in: catalogue) == "push/fcm/phone send")
        catalogue.markets["default"]?.providers[.push] = []
        #expect(again(toPhone, .sample("orderUpdate"), withPhone, in: catalogue) == "push/apns/phone suppressed noProvider")
        catalogue.types["orderUpdate"]?.channels = [.inApp]
        #expect(again(toPhone, .sample("orderUpdate"), withPhone, in: catalogue) == "push/apns/phone suppressed channelNotEligible")
        catalogue.types["orderUpdate"] = nil
        #expect(again(toPhone, .sample("orderUpdate"), withPhone, in: catalogue) == "push/apns/phone suppressed typeRetired")
    }

    @Test func anAwaitingChannelGoesWhenItsTurnHasCome() {
        #expect(again(toInbox, .sample("system") { $0.critical = true }) == "inApp/inbox send")
        let asleep = RecipientFacts.sample { $0.preferences.quietHours = quiet("11:00", "13:00") }
        #expect(again(toInbox, .sample("system") { $0.critical = true }, asleep) == "inApp/inbox hold quietHours")
    }

    @Test func aScheduledChannelBecomesItsDeliveriesWhenDue() {
        let due = noon.adding(.seconds(3_600))
        let intent = Intent.sample("orderUpdate") { $0.scheduledFor = due }
        let planned = PlannedDelivery(channel: .push, verdict: .hold(until: due, reason: .scheduledFor))
        let facts = RecipientFacts.sample { $0.endpoints = [.phone("a", permission: .denied), .phone("b"), .phone("c")] }
        func deliveries(at now: Timestamp, _ facts: RecipientFacts) -> [String] {
            reroute(planned, of: intent, facts: facts, catalogue: .withPush, now: now, acceptedAt: noon).map(\.summary)
        }
        #expect(deliveries(at: noon, facts) == ["push hold scheduledFor"])
        #expect(deliveries(at: due, facts) == ["push/apns/a suppressed permissionDenied", "push/apns/b send", "push/apns/c send"])
        #expect(deliveries(at: due, .sample()) == ["push suppressed noDevice"])
        let off = RecipientFacts.sample { $0.preferences.disabledChannels = [.push] }
        #expect(deliveries(at: due, off) == ["push suppressed channelDisabled"])
    }

    /// Quiet hours hold a whole channel, not the devices of that evening. A new phone gets the held notification, and each device gets it
    /// once.
    @Test func aPushHeldByQuietHoursGoesToTheDevicesOfTheMorning() {
        let evening = RecipientFacts.sample { facts in
            facts.endpoints = [.phone("old"), .phone("tablet", permission: .denied)]
            facts.preferences.quietHours = nightWindow
        }
        let decision = decide(.sample("poke"), evening, in: .withPush, at: midnight)
        #expect(decision.deliveries.map(\.summary) == ["push hold quietHours", "inApp/inbox hold quietHours"])
        let held = decision.deliveries[0]
        func judged(_ endpoints: [Endpoint], at now: Timestamp, _ zone: Zone = .utc) -> [String] {
            var facts = evening
            (facts.endpoints, facts.zone) = (endpoints, zone)
            return reroute(held, of: .sample("poke"), facts: facts, catalogue: .withPush, now: now, acceptedAt: midnight).map(\.summary)
        }
        let morning = midnight.adding(.seconds(7 * 3_600))
        #expect(judged([.phone("old", gone: true), .phone("new")], at: morning) == ["push/apns/new send"])
        #expect(judged([.phone("old"), .phone("tablet")], at: morning) == ["push/apns/old send", "push/apns/tablet send"])
        #expect(
            judged([.phone("old"), .phone("tablet", permission: .denied)], at: morning)
                == ["push/apns/old send", "push/apns/tablet suppressed permissionDenied"])
        #expect(judged([.phone("old", gone: true)], at: morning) == ["push suppressed endpointGone"])
        #expect(judged([.phone("old"), .phone("new")], at: midnight.adding(.seconds(60))) == ["push hold quietHours"])
        #expect(judged([.phone("old"), .phone("new")], at: morning, .unknown("Mars/Olympus")) == ["push hold timeZoneUnknown"])
    }

    /// A copy waits together with the pushes to devices. This also holds if the copy comes first and push is the only channel.
    @Test func aCopyWaitsWithItsChannel() {
        let facts = RecipientFacts.sample {
            ($0.endpoints, $0.market, $0.preferences.quietHours) = ([.phone(provider: "fcm")], "mx", nightWindow)
        }
        let intent = Intent.sample("poke") { $0.channels = [.push] }
        let decision = decide(intent, facts, in: .withPush, at: midnight)
        #expect(decision.deliveries.map(\.summary) == ["push hold quietHours"])
        let morning = reroute(
            decision.deliveries[0], of: intent, facts: facts, catalogue: .withPush, now: midnight.adding(.seconds(7 * 3_600)),
            acceptedAt: midnight)
        #expect(morning.map(\.summary) == ["push/dmp send", "push/fcm/phone send"])
    }

    /// A delivery that was tried and then waits for quiet hours stays with its device: the first attempt may have arrived there.
    @Test func aTriedDeliveryStaysWithItsDevice() {
        let facts = RecipientFacts.sample { ($0.endpoints, $0.preferences.quietHours) = ([.phone(), .phone("new")], nightWindow) }
        #expect(again(toPhone, .sample("poke"), facts, at: midnight) == "push/apns/phone hold quietHours")
    }

    @Test func aPersonsProviderThatIsGoneIsReplacedButNotByACopy() {
        let planned = PlannedDelivery(channel: .push, provider: "airship", verdict: .hold(until: noon, reason: .quietHours))
        #expect(again(planned, .sample("orderUpdate") { $0.market = "us" }) == "push/braze send")
        let copy = PlannedDelivery(channel: .push, provider: "dmp", verdict: .hold(until: noon, reason: .quietHours))
        #expect(again(copy, .sample("orderUpdate") { $0.market = "us" }) == "push/dmp send")
    }
}
