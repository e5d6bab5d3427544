/// A decision in progress: the candidates, and the notes and rules about them.
struct Draft {
    let question: Question
    var strategy = Strategy.all
    var candidates: [Candidate] = []
    var notes: [ReasonCode] = []
    var rules: [String] = []

    init(_ question: Question) {
        self.question = question
    }

    /// Settles every candidate that is still open and for which `verdict` has an answer.
    mutating func settle(_ verdict: (Candidate) -> Verdict?) {
        for index in candidates.indices where candidates[index].isOpen {
            candidates[index].verdict = verdict(candidates[index])
        }
    }

    var decision: Decision {
        Decision(strategy: strategy, deliveries: candidates.map(\.planned), notes: notes, rules: rules, market: question.market.name)
    }
}

/// A possible delivery on its way through the stages: a channel, later with provider and endpoint.
struct Candidate {
    let channel: Channel
    var provider = ""
    var endpoint: String?
    /// The market whose providers were searched. Nil if none were searched.
    var market: String?
    /// Whether the delivery is a copy for a provider. A copy does not reach the person.
    var isCopy = false
    /// Whether another provider can take over.
    var standby = Standby.nobody
    /// Nil while stages may still settle it.
    var verdict: Verdict?

    var isOpen: Bool { verdict == nil }

    var planned: PlannedDelivery {
        guard let verdict else { preconditionFailure("a stage left a candidate for \(channel) without a verdict") }
        return PlannedDelivery(
            channel: channel, provider: provider, endpoint: endpoint, verdict: verdict, market: market, isCopy: isCopy,
            standby: verdict.isOpen ? standby : .nobody)
    }
}

/// The arguments of a decision, and the values that follow directly from them.
struct Question {
    let intent: Intent
    let facts: RecipientFacts
    let catalogue: Catalogue
    let pauses: Pauses
    let type: NotificationType
    let policy: CategoryPolicy
    /// The market of the person, or of the intent if it names one.
    let market: Market
    let now: Timestamp
    let acceptedAt: Timestamp
    let expiry: Timestamp
    /// Devices that have this notification in their plan already. They get no push of it.
    var plannedOn: Set<String> = []
    /// Providers that failed with this delivery. None of them gets it again.
    var failed: Set<String> = []
    /// Providers that were skipped for this delivery because their breaker was open. If providers send in order, these come last.
    var passedOver: Set<String> = []
    /// Whether the delivery to one device has failed over while the person has several devices. A provider that addresses the person must
    /// not take it, because the other devices would get the notification twice.
    var isForOneDevice = false
    /// The provider that had the delivery before. If providers send in order, this one comes first, so that the delivery stays with it.
    var kept: String?

    /// Nil when the catalogue does not have the type.
    init?(_ intent: Intent, facts: RecipientFacts, catalogue: Catalogue, pauses: Pauses, now: Timestamp, acceptedAt: Timestamp) {
        guard let type = catalogue.types[intent.type] else { return nil }
        let wanted = intent.market ?? facts.market ?? catalogue.defaultMarket
        self.intent = intent
        self.facts = facts
        self.catalogue = catalogue
        self.pauses = pauses
        self.type = type
        self.now = now
        self.acceptedAt = acceptedAt
        policy = catalogue.policy(for: type.category)
        market = catalogue.markets[wanted] ?? catalogue.markets[catalogue.defaultMarket] ?? Market(name: wanted, providers: [:])
        expiry = catalogue.expiry(of: intent, type: type, acceptedAt: acceptedAt)
    }

    /// Returns the providers of a market that may send on a channel, in the market's order. Providers that failed with this delivery are
    /// left out, except providers that get copies.
    func bindings(for channel: Channel, in market: Market) -> [ProviderBinding] {
        let all = catalogue.bindings(for: channel, in: market)
        return failed.isEmpty ? all : all.filter { $0.copy || !failed.contains($0.name) }
    }

    /// Returns the market whose providers serve an endpoint: the endpoint's own market, unless the intent names one.
    func market(of endpoint: Endpoint) -> Market {
        let own = intent.market == nil ? endpoint.market.flatMap { catalogue.markets[$0] } : nil
        return own ?? market
    }

    /// Whether the providers of the person's market serve the endpoint.
    func isAtHome(_ endpoint: Endpoint) -> Bool { market(of: endpoint).name == market.name }

    /// The person's quiet hours. Nil if they do not apply to this type.
    var quietHours: QuietHours? {
        type.mandatory || type.silent || policy.quietHours == .ignore ? nil : facts.preferences.quietHours
    }
}
