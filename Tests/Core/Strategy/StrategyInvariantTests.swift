import Testing
import TidingsCore
import TidingsTestSupport

/// Invariants of a notification in a market with a strategy, for every behaviour of its providers in every order.
@Suite struct StrategyInvariantTests {
    @Test(arguments: [ProviderStrategy.Name.all, .first, .weighted])
    func theInvariantsHoldHoweverProvidersFail(_ strategy: ProviderStrategy.Name) {
        var random = SplitMix64(state: 1)
        var broken: [String] = []
        var (moved, accepted) = (0, 0)
        for _ in 0..<5_000 {
            var life = NotificationLife(strategy, &random)
            life.run(&random)
            broken += life.broken.map { "\($0): \(life.story)" }
            moved += life.moves
            accepted += life.accepted.count
        }
        #expect(broken.isEmpty, "\(broken.count) broken, for example \(broken.prefix(3))")
        #expect(accepted > 2_500)
        #expect(strategy == .all ? moved == 0 : moved > 2_500, "\(moved) moves")
    }
}

/// The pushes of one notification, from the decision until all have ended. Providers fail at random.
private struct NotificationLife {
    /// One delivery under way, as a releaser knows it.
    private struct Push {
        var planned: PlannedDelivery
        /// The place in the decision. A push that came later has the place of the push that it comes from.
        let ordinal: Int
        var failed: Set<String> = []
        var passedOver: Set<String> = []
        var moves = 0
        /// The number of outcomes so far.
        var steps = 0
    }

    private enum Turn: CaseIterable {
        case accepts, refuses, isFailing
    }

    private let catalogue: Catalogue
    private let providers: [String]
    private let devices: [Endpoint]
    private let strategy: ProviderStrategy.Name
    private let decided: [PlannedDelivery]
    private var waiting: [Push]

    private(set) var accepted: [PlannedDelivery] = []
    private(set) var moves = 0
    private(set) var broken: [String] = []
    private(set) var story = ""

    init(_ strategy: ProviderStrategy.Name, _ random: inout SplitMix64) {
        let all = ["person1", "person2", "token1", "token2", "copy"].shuffled(using: &random)
        providers = Array(all.prefix(Int.random(in: 1...all.count, using: &random)))
        devices =
            [
                [], [.device("a")], [.device("a"), .device("b")], [.device("a", of: "token1"), .device("b", of: "token2")],
                [.device("a", permission: .denied)], [.device("a", permission: .denied), .device("b")],
            ].randomElement(using: &random) ?? []
        self.strategy = strategy
        let carriers = providers.filter { $0 != "copy" }
        var catalogue = shared("person1", by: .all)
        catalogue.markets["default"]?.providers[.push] = providers
        catalogue.markets["default"]?.strategies[.push] =
            switch strategy {
            case .all: .all
            case .first: .first
            case .weighted: .weighted(Dictionary(uniqueKeysWithValues: carriers.map { ($0, Int.random(in: 1...3, using: &random)) }))
            }
        self.catalogue = catalogue
        let known = RecipientFacts.sample { [devices] in $0.endpoints = devices }
        decided = route(.sample("news"), facts: known, catalogue: catalogue, now: noon, acceptedAt: noon).deliveries
        waiting = decided.enumerated().filter { $0.element.verdict.isOpen }.map { Push(planned: $0.element, ordinal: $0.offset) }
        story = "\(strategy) \(providers) \(devices.map(\.id)) → \(decided.map(\.whole))"
    }

    mutating func run(_ random: inout SplitMix64) {
        while !waiting.isEmpty {
            let position = Int.random(in: waiting.indices, using: &random)
            let push = waiting.remove(at: position)
            take(Turn.allCases.randomElement(using: &random) ?? .accepts, push, &random)
            if waiting.count > 10 { return broken.append("deliveries multiply") }
        }
        checkWhoGotIt()
    }

    /// Handles one outcome as a worker does, and passes the delivery on as a releaser does.
    private mutating func take(_ turn: Turn, _ push: Push, _ random: inout SplitMix64) {
        var push = push
        push.steps += 1
        story += "; \(push.planned.provider)\(push.planned.endpoint.map { "/\($0)" } ?? "") \(turn)"
        let standby = push.planned.standby
        switch turn {
        case .accepts: accepted.append(push.planned)
        case .refuses where standby == .nobody: break
        case .refuses: move(push, because: .misconfigured)
        case .isFailing where standby == .fresh: move(push, because: .breakerOpen)
        case .isFailing:
            // The push waits for its provider, and is judged again.
            if push.steps < 50 { judge(push, keepsProvider: true) }
        }
    }

    private mutating func move(_ push: Push, because reason: ReasonCode) {
        var push = push
        if reason == .breakerOpen { push.passedOver.insert(push.planned.provider) } else { push.failed.insert(push.planned.provider) }
        push.moves += 1
        moves += 1
        // A push leaves each provider at most twice: once because the breaker is open, and once because of a refusal.
        if push.moves > 2 * providers.count { return broken.append("wanders") }
        judge(push, because: reason)
    }

    private mutating func judge(_ push: Push, because reason: ReasonCode? = nil, keepsProvider: Bool = false) {
        let beside = decided.enumerated().filter { $0.element.verdict.isOpen }
        let past = DeliveryPast(
            failed: push.failed, passedOver: push.passedOver, because: reason, keepsProvider: keepsProvider,
            before: beside.filter { $0.offset < push.ordinal }.map(\.element),
            after: beside.filter { $0.offset > push.ordinal }.map(\.element))
        let next = reroute(
            push.planned, after: past, of: .sample("news"), facts: .sample { [devices] in $0.endpoints = devices }, catalogue: catalogue,
            now: noon, acceptedAt: noon)
        story += " → \(next.map(\.whole))"
        if reason != nil, !next.contains(where: \.verdict.isOpen) { broken.append("who stands by takes over") }
        if reason == .breakerOpen, next.contains(where: { $0.provider == push.planned.provider && $0.standby == .fresh }) {
            broken.append("what stays waits for its provider")
        }
        if keepsProvider, next.map(\.provider) != [push.planned.provider] { broken.append("what waits for its provider stays there") }
        for planned in next where planned.verdict.isOpen {
            if push.failed.contains(planned.provider) { broken.append("who gave it up does not get it again") }
            if planned.provider == "copy", push.planned.provider != "copy" { broken.append("copies take nothing over") }
            var moved = push
            moved.planned = planned
            waiting.append(moved)
        }
    }

    private mutating func checkWhoGotIt() {
        let pushes = accepted.filter { $0.provider != "copy" }
        let onDevices = pushes.compactMap(\.endpoint)
        if Set(onDevices).count != onDevices.count { broken.append("one device gets one push") }
        if accepted.count - pushes.count > 1 { broken.append("one copy") }
        guard strategy != .all else { return }
        let toPerson = pushes.count { $0.endpoint == nil }
        if toPerson > 1 { broken.append("the person gets one push") }
        if toPerson > 0, !onDevices.isEmpty { broken.append("whoever is reached as a person is reached on every device") }
    }
}
