import Testing
import TidingsCore

@Suite struct CatalogueDifferenceTests {
    private let old = shared("person1", "copy", by: .all)

    private func words(_ change: (inout Catalogue) -> Void) -> [String] {
        var new = old
        change(&new)
        return CatalogueDifference(from: old, to: new).sentences
    }

    @Test func nothingDiffersFromItself() {
        #expect(words { _ in }.isEmpty)
        #expect(words { $0.hash = "another" }.isEmpty)
    }

    @Test func providersOfAMarket() {
        #expect(
            words { $0.markets["default"]?.providers[.push] = ["person2", "copy"] } == [
                "market default, push: adds person2", "market default, push: removes person1",
            ])
        #expect(
            words { $0.markets["default"]?.providers[.push] = ["copy", "person1"] } == [
                "market default, push: order person1, copy → copy, person1"
            ])
        #expect(
            words { $0.markets["default"]?.providers[.push] = nil } == ["market default, push: removes person1, copy, no provider is left"])
    }

    @Test func strategiesOfAMarket() {
        #expect(words { $0.markets["default"]?.strategies[.push] = .first } == ["market default, push: strategy all → first"])
        #expect(
            words { $0.markets["default"]?.strategies[.push] = .weighted(["person1": 2]) } == [
                "market default, push: strategy all → weighted (person1 2)"
            ])
        let (before, after) = (
            shared("person1", "person2", by: .weighted(["person1": 1, "person2": 2])),
            shared("person1", "person2", by: .weighted(["person1": 3, "person2": 2]))
        )
        #expect(
            CatalogueDifference(from: before, to: after).sentences == [
                "market default, push: weights person1 1 → 3; some people change provider"
            ])
    }

    @Test func marketsComeAndGo() {
        let canada = Market(name: "ca", providers: [.push: ["person2", "person1"]], strategies: [.push: .first])
        #expect(
            words { $0.markets["ca"] = canada } == [
                "market ca: is new", "market ca, push: adds person2, person1", "market ca, push: strategy all → first",
            ])
        var before = old
        before.markets["ca"] = canada
        before.defaultMarket = "ca"
        #expect(
            CatalogueDifference(from: before, to: old).sentences == [
                "default market: ca → default, for people and intents that name none",
                "market ca: is gone; its people are served as in default",
            ])
    }

    @Test func typesProvidersAndTheRest() {
        #expect(
            words {
                $0.providers["person1"]?.settings["apiKey"] = "env:KEY"
                $0.providers["person2"] = nil
                $0.types["news"]?.channels = [.push, .inApp]
                $0.types["news"]?.titleTemplate = "News"
                $0.types["promotion"] = nil
                $0.types["offer"] = NotificationType(name: "offer", category: .marketing)
                $0.categories[.social]?.quietHours = .drop
                $0.producers["shop"] = ProducerEntry(tenants: ["acme"])
            } == [
                "type promotion: is gone", "type offer: is new", "provider person1: settings apiKey", "provider person2: is gone",
                "type news: channels push → push, inApp, title", "category social: quietHours hold → drop", "producer shop: is new",
            ])
        let two = [
            words {
                $0.producers = ["shop": ProducerEntry(tenants: ["acme"])]
            },
            words {
                $0.producers = ["shop": ProducerEntry(tenants: ["acme"], sources: ["/shop"])]
            },
        ]
        #expect(two == [["producer shop: is new"], ["producer shop: is new"]])
        #expect(words { $0.types["news"]?.projection = "visits" } == ["type news: projection none → visits"])
        #expect(
            words { $0.features = ["is_on": .flag(false), "interval_sec": .number(60)] } == [
                "features: interval_sec none → 60, is_on none → false"
            ])
        #expect(words { $0.types["news"]?.expiry = .seconds(60) } == ["type news: expiry"])
        #expect(words { $0.types["news"]?.channels = nil } == ["type news: channels push → the category's"])
    }
}
