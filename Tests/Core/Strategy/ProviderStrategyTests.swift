import Testing
import TidingsCore

/// The providers of a push, by the strategy of the market.
@Suite struct ProviderStrategyTests {
    private let a = Endpoint.device("a")
    private let b = Endpoint.device("b")

    @Test func allSendsByEveryProviderAndOnceToADevice() {
        #expect(
            news(shared("token1", "token2", "copy", by: .all), [a]) == [
                "push/copy send", "push/token1/a send", "push/token2/a suppressed sameDevice",
            ])
        #expect(
            news(shared("person1", "person2", "token1", by: .all), [a]) == [
                "push/person1 send", "push/person2 send", "push/token1/a send",
            ])
    }

    @Test func firstSendsByOneAndTheOthersStandBy() {
        #expect(news(shared("token1", "token2", by: .first), [a, b]) == ["push/token1/a send, standby", "push/token1/b send, standby"])
        #expect(news(shared("token1", by: .first), [a]) == ["push/token1/a send"], "alone it has nobody behind it")
        #expect(news(shared("person1", "person2", by: .first)) == ["push/person1 send, standby"])
        #expect(news(shared("person2", "person1", by: .first)) == ["push/person2 send, standby"])
    }

    @Test func aDeviceIsCarriedByTheFirstThatCan() {
        let devices: [Endpoint] = [.device("a", of: "token2"), .device("b", of: "token1")]
        #expect(news(shared("token1", "token2", by: .first), devices) == ["push/token2/a send", "push/token1/b send"])
        #expect(news(shared("token1", by: .first), [devices[0]]) == ["push/a suppressed noProvider"])
    }

    /// A provider such as Braze reaches every device of a person. A person gets either one push by such a provider or one push per token,
    /// never both.
    @Test func peopleAndTokensNeverGetTheSameTwice() {
        #expect(news(shared("person1", "token1", by: .first), [a, b]) == ["push/person1 send, standby"])
        #expect(news(shared("person1", "token1", by: .first)) == ["push/person1 send"], "no device, nobody to take over")
        #expect(news(shared("token1", "person1", by: .first), [a]) == ["push/token1/a send, standby"])
        #expect(
            news(shared("token1", "person1", by: .first), [a, b]) == ["push/token1/a send", "push/token1/b send"],
            "one of two devices cannot be handed to somebody who would push to both")
        #expect(news(shared("token1", "person1", by: .first)) == ["push/person1 send"], "without a device it is the person's turn")
    }

    @Test func copiesStandOutsideOfTheStrategy() {
        #expect(news(shared("copy", "token1", "token2", by: .first), [a]) == ["push/copy send", "push/token1/a send, standby"])
        #expect(news(shared("person1", "copy", by: .first), [a]) == ["push/person1 send", "push/copy send"])
        #expect(news(shared("copy", by: .first)) == ["push/copy send", "push suppressed noDevice"])
        #expect(news(shared("token1", "copy", by: .weighted(["token1": 1])), [a]) == ["push/copy send", "push/token1/a send"])
    }

    @Test func oneTokenRegisteredTwiceIsOneDevice() {
        var twin = Endpoint.device("twin")
        twin.address = a.address
        #expect(
            news(shared("token1", "token2", by: .first), [a, twin]) == [
                "push/token1/a send, standby", "push/token1/twin suppressed sameDevice",
            ])
    }

    /// Person 1 falls into the first quarter, 3 into the third, 4 into the last.
    @Test func weightsGiveEachPersonAProviderOfTheirOwn() {
        let quarters = shared("person1", "person2", by: .weighted(["person1": 3, "person2": 1]))
        #expect(news(quarters, to: "person-1") == ["push/person1 send, standby"])
        #expect(news(quarters, to: "person-3") == ["push/person1 send, standby"])
        #expect(news(quarters, to: "person-4") == ["push/person2 send, standby"])
        let halves = shared("person1", "person2", by: .weighted(["person1": 1, "person2": 1]))
        #expect(news(halves, to: "person-3") == ["push/person2 send, standby"])

        let counts = (0..<10_000).reduce(into: [:]) { $0[news(quarters, to: "user-\($1)"), default: 0] += 1 }
        #expect(counts == [["push/person1 send, standby"]: 7_532, ["push/person2 send, standby"]: 2_468])
    }

    @Test func aProviderThatCannotReachThePersonGivesWayWhateverItsWeight() {
        let mixed = shared("token1", "person1", by: .weighted(["token1": 9_999, "person1": 1]))
        #expect(news(mixed) == ["push/person1 send"])
        #expect(news(mixed, [a]) == ["push/token1/a send, standby"])
    }

    /// A device in another market follows the strategy of that market.
    @Test func aDeviceOfAnotherMarketGoesByItsOwn() {
        var catalogue = shared("person1", by: .first)
        catalogue.markets["mx"] = Market(name: "mx", providers: [.push: ["token2", "token1"]], strategies: [.push: .first])
        let decision = decide(.sample("news"), .sample { $0.endpoints = [a, .device("abroad", market: "mx")] }, in: catalogue)
        #expect(decision.deliveries.map(\.whole) == ["push/person1 send", "push/token2/abroad send, standby"])
        #expect(decision.market == "default")
        #expect(decision.deliveries.map(\.market) == ["default", "mx"])
    }

    @Test func theOrderIsToldAsARule() {
        let rules = decide(.sample("news"), in: shared("person1", "copy", "person2", by: .first)).rules
        #expect(rules.contains("push in default, first → person1, then person2"))
        #expect(decide(.sample("news"), in: shared("person1", by: .all)).rules == ["type news → push"])
    }

    @Test func aDeliveryThatIsNotSentHasNoStandby() {
        var denied = a
        denied.permission = .denied
        #expect(news(shared("token1", "token2", by: .first), [denied]) == ["push/token1/a suppressed permissionDenied"])
    }

    @Test func escalationWaitsBehindOneProvider() {
        var catalogue = shared("person1", "person2", "copy", by: .first)
        catalogue.types["news"]?.allowsCritical = true
        let decision = decide(
            .sample("news") {
                $0.critical = true; $0.channels = [.push, .inApp]
            }, in: catalogue)
        #expect(decision.deliveries.map(\.whole) == ["push/person1 send, standby", "push/copy send", "inApp/inbox await"])
        #expect(decision.deliveries.map(\.isCopy) == [false, true, false])
    }
}
