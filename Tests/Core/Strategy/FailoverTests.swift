import Testing
import TidingsCore

/// The next provider of a delivery, after its provider refused it, was skipped or no longer serves the market.
@Suite struct FailoverTests {
    private let a = Endpoint.device("a")
    private let b = Endpoint.device("b")

    private func planned(_ provider: String, _ endpoint: String? = nil) -> PlannedDelivery {
        PlannedDelivery(channel: .push, provider: provider, endpoint: endpoint, verdict: .awaitEscalation)
    }

    private func next(
        _ planned: PlannedDelivery, _ past: DeliveryPast, _ catalogue: Catalogue, _ devices: [Endpoint] = [], at now: Timestamp = noon
    ) -> [String] {
        reroute(
            planned, after: past, of: .sample("news"), facts: .sample { $0.endpoints = devices }, catalogue: catalogue, now: now,
            acceptedAt: noon
        ).map(\.whole)
    }

    private func gaveUp(
        _ failed: String..., because: ReasonCode = .misconfigured, before: [PlannedDelivery] = [], after: [PlannedDelivery] = []
    ) -> DeliveryPast {
        var past = DeliveryPast(because: because, before: before, after: after)
        for provider in failed { past.leave(provider, because: because) }
        return past
    }

    @Test func theNextInOrderTakesOver() {
        let people = shared("person1", "person2", by: .first)
        #expect(next(planned("person1"), gaveUp("person1"), people) == ["push/person2 send"])
        let tokens = shared("token1", "token2", by: .first)
        #expect(next(planned("token1", "a"), gaveUp("token1", after: [planned("token1", "b")]), tokens, [a, b]) == ["push/token2/a send"])
        let weighted = shared("person1", "person2", by: .weighted(["person1": 1, "person2": 9]))
        #expect(next(planned("person2"), gaveUp("person2"), weighted) == ["push/person1 send"])
    }

    @Test func aProviderThatFailedDoesNotGetTheDeliveryAgain() {
        var catalogue = shared("person1", "person2", "third", by: .first)
        catalogue.providers["third"] = ProviderBinding(name: "third", channel: .push, kind: "x", addressing: .person)
        #expect(next(planned("person1"), gaveUp("person1"), catalogue) == ["push/person2 send, standby"])
        #expect(next(planned("person2"), gaveUp("person1", "person2"), catalogue) == ["push/third send"])
        #expect(next(planned("third"), gaveUp("person1", "person2", "third"), catalogue) == ["push/third failed misconfigured"])
        let held = DeliveryPast(failed: ["person1"])
        #expect(next(planned("person2"), held, catalogue) == ["push/person2 send, standby"], "also after it waited meanwhile")
    }

    @Test func theLastReasonIsTheEndIfNoProviderIsLeft() {
        let alone = shared("person1", by: .first)
        #expect(next(planned("person1"), gaveUp("person1", because: .providerRejected), alone) == ["push/person1 failed providerRejected"])
        let tokens = shared("token1", by: .all)
        #expect(next(planned("token1", "a"), gaveUp("token1"), tokens, [a]) == ["push/token1/a failed misconfigured"])
        #expect(next(planned("token1", "a"), gaveUp("token1"), tokens, []) == ["push/token1/a failed misconfigured"])
    }

    /// The skipped provider was never called, so Tidings may call it again. Losing the delivery for a pause of seconds would be worse.
    @Test func aProviderThatWasOnlyPassedOverIsAskedAgainWhenNobodyElseIsLeft() {
        let alone = shared("person1", by: .first)
        #expect(next(planned("person1"), gaveUp("person1", because: .breakerOpen), alone) == ["push/person1 send"])
    }

    /// If the standby cannot send the delivery at all, the delivery returns to a provider that was skipped because its breaker was open.
    @Test func aDeliveryThatTheStandbyRefusesReturnsToTheSkippedProvider() {
        var catalogue = shared("person1", "person2", "third", by: .first)
        catalogue.providers["third"] = ProviderBinding(name: "third", channel: .push, kind: "x", addressing: .person)
        #expect(next(planned("person1"), gaveUp("person1", because: .breakerOpen), catalogue) == ["push/person2 send, standby"])
        var past = gaveUp("person2")
        past.leave("person1", because: .breakerOpen)
        #expect(next(planned("person2"), past, catalogue) == ["push/third send, passed over stands by"], "who has not had it goes first")
        past.leave("third", because: .misconfigured)
        #expect(next(planned("third"), past, catalogue) == ["push/person1 send"])
        past.leave("person1", because: .misconfigured)
        #expect(next(planned("person1"), past, catalogue) == ["push/person1 failed misconfigured"])
    }

    /// Deliveries do not circle while every provider is failing. A delivery waits at its provider, and leaves it only if that provider
    /// refuses.
    @Test func aDeliveryStaysAtItsProviderWhileAllAreFailing() {
        let people = shared("person1", "person2", by: .first)
        let both = gaveUp("person1", "person2", because: .breakerOpen)
        #expect(next(planned("person2"), both, people) == ["push/person2 send, passed over stands by"])
        let (a, tokens) = (Endpoint.device("a"), shared("token1", "token2", by: .first))
        #expect(
            next(planned("token2", "a"), gaveUp("token1", "token2", because: .breakerOpen), tokens, [a])
                == ["push/token2/a send, passed over stands by"])
        var waited = DeliveryPast(passedOver: ["person1"], keepsProvider: true)
        #expect(next(planned("person2"), waited, people) == ["push/person2 send, passed over stands by"])
        waited.keepsProvider = false
        #expect(next(planned("person2"), waited, people) == ["push/person2 send, passed over stands by"], "also after it waited meanwhile")
    }

    @Test func aFailoverStopsIfTheNotificationHasExpiredOrItsTypeIsGone() {
        let people = shared("person1", "person2", by: .first)
        #expect(
            next(planned("person1"), gaveUp("person1"), people, at: noon.adding(.seconds(86_400 * 4))) == ["push/person2 expired expired"])
        var gone = people
        gone.types["news"] = nil
        #expect(next(planned("person1"), gaveUp("person1"), gone) == ["push/person1 suppressed typeRetired"])
    }

    @Test func aPersonsPushGoesToEachOfTheirDevices() {
        let mixed = shared("person1", "token1", "token2", by: .first)
        #expect(
            next(planned("person1"), gaveUp("person1"), mixed, [a, b]) == ["push/token1/a send, standby", "push/token1/b send, standby"])
    }

    @Test func aDevicesPushGoesToThePersonOnlyWhereNoOtherGotOne() {
        let mixed = shared("token1", "person1", by: .first)
        #expect(next(planned("token1", "a"), gaveUp("token1"), mixed, [a]) == ["push/person1 send"])
        #expect(
            next(planned("token1", "a"), gaveUp("token1", after: [planned("token1", "b")]), mixed, [a, b])
                == ["push/token1/a failed misconfigured"])
    }

    /// If the person has other devices, a device's push moves to the next provider that addresses devices. Providers that address people
    /// are passed over, because they would reach the other devices again.
    @Test func aDevicesPushGoesPastThoseWhoAddressPeopleWhileThereAreOthers() {
        let mixed = shared("token1", "person1", "token2", by: .first)
        #expect(
            next(planned("token1", "a"), gaveUp("token1", after: [planned("token1", "b")]), mixed, [a, b]) == ["push/token2/a send"])
        let people = shared("person1", "person2", "token1", by: .first)
        var past = gaveUp("person1")
        #expect(next(planned("person1"), past, people, [a, b]) == ["push/person2 send, standby"])
        past.leave("person2", because: .misconfigured)
        #expect(next(planned("person2"), past, people, [a, b]) == ["push/token1/a send", "push/token1/b send"])
        past = gaveUp("person1", because: .breakerOpen)
        past.leave("person2", because: .misconfigured)
        past.leave("token1", because: .misconfigured)
        past.because = .misconfigured
        #expect(next(planned("token1", "a"), past, people, [a, b]) == ["push/token1/a failed misconfigured"], "one of two from a person's")
        #expect(next(planned("token1", "a"), past, people, [a]) == ["push/person1 send"])
    }

    /// A provider takes nothing over if it could only reach a device that denies notifications. The delivery then keeps its own error, so
    /// that a wrong setting stays visible.
    @Test func aDeniedDeviceIsNoStandby() {
        let denied = Endpoint.device("a", permission: .denied)
        let mixed = shared("person1", "token1", by: .first)
        #expect(news(mixed, [denied]) == ["push/person1 send"])
        #expect(news(mixed, [denied, b]) == ["push/person1 send, standby"])
        #expect(next(planned("person1"), gaveUp("person1"), mixed, [denied]) == ["push/person1 failed misconfigured"])
        #expect(next(planned("person1"), gaveUp("person1", because: .breakerOpen), mixed, [denied]) == ["push/person1 send"])
    }

    /// A delivery also stays if a standby only seemed to exist. The delivery then waits for its provider instead of calling it again at
    /// once.
    @Test func aDeliveryThatStaysWaitsForItsProvider() {
        let mixed = shared("token1", "person1", by: .first)
        let past = gaveUp("token1", because: .breakerOpen, after: [planned("token1", "removed")])
        #expect(next(planned("token1", "a"), past, mixed, [a]) == ["push/token1/a send, passed over stands by"])
    }

    @Test func aDeliveryThatMovedBeforeTheMarketDidGoesToThePersonToo() {
        let people = shared("person1", by: .first)
        var past = DeliveryPast(failed: ["token1"], after: [planned("token2", "b")])
        #expect(next(planned("token2", "a"), past, people, [a, b]) == ["push/person1 send"])
        past = DeliveryPast(failed: ["token1"], before: [planned("token2", "a")])
        #expect(next(planned("token2", "b"), past, people, [a, b]) == ["push/token2/b suppressed sameDevice"])
    }

    @Test func copiesNeverTakeOver() {
        let withCopy = shared("person1", "copy", by: .first)
        #expect(next(planned("person1"), gaveUp("person1", after: [planned("copy")]), withCopy) == ["push/person1 failed misconfigured"])
    }

    /// If an attempt may have arrived, the same provider gets the retry, because it knows the idempotency key.
    @Test func aRetryStaysWithItsProvider() {
        let people = shared("person1", "person2", by: .first)
        let tried = DeliveryPast(failed: ["person1"], keepsProvider: true)
        #expect(next(planned("person2"), tried, people) == ["push/person2 send"])
        #expect(next(planned("person2"), DeliveryPast(keepsProvider: true), people) == ["push/person2 send, standby"])
        #expect(next(planned("person2"), DeliveryPast(), people) == ["push/person1 send, standby"], "an operator's retry begins anew")
        let mixed = shared("person1", "token1", by: .first)
        #expect(next(planned("token1", "a"), DeliveryPast(keepsProvider: true), mixed, [a, b]) == ["push/token1/a send"])
    }

    // MARK: Change of market

    @Test func heldWorkFollowsItsMarket() {
        #expect(next(planned("person1"), DeliveryPast(), shared("person2", by: .all)) == ["push/person2 send"])
        #expect(next(planned("token1", "a"), DeliveryPast(), shared("token2", by: .all), [a]) == ["push/token2/a send"])
        #expect(
            next(planned("person1"), DeliveryPast(), shared("token1", by: .all), [a, b]) == ["push/token1/a send", "push/token1/b send"])
    }

    @Test func oneDeliveryOfAllDevicesBecomesThatOfThePerson() {
        let people = shared("person1", by: .all)
        let (first, second) = (planned("token1", "a"), planned("token1", "b"))
        #expect(next(first, DeliveryPast(after: [second]), people, [a, b]) == ["push/person1 send"])
        #expect(next(second, DeliveryPast(before: [first]), people, [a, b]) == ["push/token1/b suppressed sameDevice"])
    }

    @Test func aDeviceWithADeliveryOfItsOwnGetsNoOther() {
        let tokens = shared("token1", by: .all)
        let beside = [planned("token1", "a")]
        #expect(next(planned("person1"), DeliveryPast(after: beside), tokens, [a]) == ["push/person1 suppressed sameDevice"])
        #expect(next(planned("person1"), DeliveryPast(after: beside), tokens, [a, b]) == ["push/token1/b send"])
        let people = shared("person1", by: .all)
        #expect(
            next(planned("token1", "a"), DeliveryPast(before: [planned("person1")]), people, [a]) == ["push/token1/a suppressed sameDevice"]
        )
    }
}
