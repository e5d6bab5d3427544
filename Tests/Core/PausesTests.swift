import Testing
import TidingsCore

@Suite struct PausesTests {
    private static func pause(_ id: Int, _ scope: Pause.Scope, _ name: String, until: Timestamp? = nil) -> Pause {
        Pause(id: id, scope: scope, name: name, until: until)
    }

    private static func holding(_ pauses: [Pause], at now: Timestamp = noon) -> Int? {
        Pauses(pauses).holding(channel: .push, provider: "apns", type: "like", tenant: "acme", at: now)?.id
    }

    @Test(arguments: [(Pause.Scope.channel, "push"), (.provider, "apns"), (.type, "like"), (.tenant, "acme")])
    func aPauseHoldsWhatItNamesAndNothingElse(scope: Pause.Scope, name: String) {
        #expect(Self.holding([Self.pause(1, scope, name)]) == 1)
        #expect(Self.holding([Self.pause(1, scope, "other")]) == nil)
        for other in Pause.Scope.allCases where other != scope {
            #expect(Self.holding([Self.pause(1, other, name)]) == nil, "a \(other) called \(name)")
        }
    }

    @Test func aPauseEndsAtItsEnd() {
        let pauses = [Self.pause(1, .channel, "push", until: noon)]
        #expect(Self.holding(pauses, at: noon.adding(.microseconds(-1))) == 1)
        #expect(Self.holding(pauses, at: noon) == nil)
        #expect(Self.holding([]) == nil)
    }

    @Test func theLongestOfSeveralPausesHolds() {
        let soon = Self.pause(1, .channel, "push", until: noon.adding(.seconds(1)))
        let later = Self.pause(2, .type, "like", until: noon.adding(.seconds(2)))
        #expect(Self.holding([soon, later]) == 2)
        #expect(Self.holding([later, soon]) == 2)
        #expect(Self.holding([later, soon, Self.pause(3, .tenant, "acme")]) == 3)
        #expect(Self.holding([Self.pause(5, .provider, "apns"), Self.pause(4, .tenant, "acme")]) == 4, "of equals the older")
    }

    // MARK: - Routing

    private static func decided(
        _ pauses: [Pause], _ facts: RecipientFacts = .sample { $0.endpoints = [.phone()] }, type: String = "orderUpdate",
        at now: Timestamp = noon,
        change: (inout Intent) -> Void = { _ in }
    ) -> [String] {
        decide(.sample(type, change), facts, in: .withPush, pauses: Pauses(pauses), at: now).deliveries.map(\.summary)
    }

    @Test func aPauseHoldsADeliveryThatWouldGoOut() {
        #expect(Self.decided([]) == ["push/apns/phone send", "inApp/inbox send"])
        #expect(Self.decided([Self.pause(7, .channel, "push")]) == ["push/apns/phone paused 7", "inApp/inbox send"])
        #expect(Self.decided([Self.pause(7, .provider, "inbox")]) == ["push/apns/phone send", "inApp/inbox paused 7"])
        #expect(Self.decided([Self.pause(7, .type, "orderUpdate")]) == ["push/apns/phone paused 7", "inApp/inbox paused 7"])
        #expect(Self.decided([Self.pause(7, .tenant, "default")]) == ["push/apns/phone paused 7", "inApp/inbox paused 7"])
        #expect(Self.decided([Self.pause(7, .channel, "push", until: noon)]) == ["push/apns/phone send", "inApp/inbox send"])
        let decision = decide(.sample("orderUpdate"), pauses: Pauses([Self.pause(7, .tenant, "default")]))
        #expect(decision.rules.last == "tenant default is paused → hold")
        #expect(decision.deliveries.last?.verdict.state == .held && decision.deliveries.last?.verdict.reason == .paused)
    }

    /// A pause holds only deliveries that would be sent now. Deliveries that are held or not sent for another reason keep that reason.
    @Test func aPauseChangesNoOtherAnswer() {
        let everything = [Self.pause(7, .channel, "push"), Self.pause(8, .channel, "inApp")]
        #expect(Self.decided(everything, .sample()) == ["push suppressed noDevice", "inApp/inbox paused 8"])
        #expect(Self.decided(everything) { $0.expiresAt = noon } == ["push/apns/phone expired expired", "inApp/inbox expired expired"])
        #expect(Self.decided(everything) { $0.scheduledFor = midnight } == ["push hold scheduledFor", "inApp hold scheduledFor"])
        let sleeper = RecipientFacts.sample { $0.preferences.quietHours = nightWindow }
        #expect(Self.decided(everything, sleeper, type: "social", at: midnight) == ["inApp/inbox hold quietHours"])
        let unwilling = RecipientFacts.sample { $0.preferences.disabledChannels = [.inApp] }
        #expect(Self.decided(everything, unwilling, type: "social") == ["inApp suppressed channelDisabled"])
    }

    @Test func aPausedDeliveryIsJudgedAgainAtTheEndOrItsExpiry() {
        func lookAgain(_ until: Timestamp?, expiresAt: Timestamp) -> Timestamp? {
            let decision = decide(
                .sample("social") { $0.expiresAt = expiresAt }, pauses: Pauses([Self.pause(7, .channel, "inApp", until: until)]))
            guard case .paused(by: 7, let time)? = decision.deliveries.first?.verdict else { return nil }
            return time
        }
        let (early, late) = (noon.adding(.seconds(60)), noon.adding(.seconds(120)))
        #expect(lookAgain(early, expiresAt: late) == early)
        #expect(lookAgain(late, expiresAt: early) == early)
        #expect(lookAgain(nil, expiresAt: late) == late)
    }

    /// An escalation begins with the first channel that is not paused. Paused channels follow if that channel fails.
    @Test func anEscalationPassesOverWhatIsPaused() {
        func critical(_ pauses: [Pause]) -> [String] {
            let type = NotificationType(name: "alarm", category: .transactional, allowsCritical: true)
            return decide(
                .sample("alarm") { $0.critical = true }, .sample { $0.endpoints = [.phone()] }, in: .withPush.with(type),
                pauses: Pauses(pauses)
            ).deliveries.map(\.summary)
        }
        let (push, local) = (Self.pause(7, .channel, "push"), Self.pause(8, .channel, "local"))
        #expect(critical([]) == ["push/apns/phone send", "local/plan/phone await", "inApp/inbox await"])
        #expect(critical([push]) == ["push/apns/phone await", "local/plan/phone send", "inApp/inbox await"])
        #expect(critical([push, local]) == ["push/apns/phone await", "local/plan/phone await", "inApp/inbox send"])
        #expect(critical([local]) == ["push/apns/phone send", "local/plan/phone await", "inApp/inbox await"])
        let everything = Self.pause(9, .tenant, "default")
        #expect(critical([everything]) == ["push/apns/phone paused 9", "local/plan/phone await", "inApp/inbox await"])
    }

    @Test func aDeliveryJudgedAgainGoesOutOrWaitsForTheNextPause() {
        let planned = PlannedDelivery(channel: .push, provider: "apns", endpoint: "phone", verdict: .awaitEscalation)
        func again(_ pauses: [Pause]) -> String {
            reroute(
                planned, of: .sample("orderUpdate"), facts: .sample { $0.endpoints = [.phone()] }, catalogue: .withPush,
                pauses: Pauses(pauses),
                now: noon, acceptedAt: noon
            )[0].summary
        }
        #expect(again([]) == "push/apns/phone send")
        #expect(again([Self.pause(8, .type, "orderUpdate")]) == "push/apns/phone paused 8")
    }
}
