/// A decision while it is being made: the candidates, and what is to be said about them.
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

/// A channel, later with provider and endpoint, on its way through the stages.
struct Candidate {
    let channel: Channel
    var provider = ""
    var endpoint: String?
    /// Whose providers were looked at; nil while none were.
    var market: String?
    /// For a provider that gets a copy, which does not reach the person.
    var isCopy = false
    /// Who takes over when this one cannot do it.
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

/// What is asked: the arguments of a decision, with what follows directly from them.
struct Question {
    let intent: Intent
    let facts: RecipientFacts
    let catalogue: Catalogue
    let pauses: Pauses
    let type: NotificationType
    let policy: CategoryPolicy
    /// Of the person, or of the intent when it names one.
    let market: Market
    let now: Timestamp
    let acceptedAt: Timestamp
    let expiry: Timestamp
    /// Devices whose plan has this notification already: they get no push of it.
    var plannedOn: Set<String> = []
    /// Providers that gave this delivery up.
    var failed: Set<String> = []
    /// Providers that were not called for this delivery because they had been failing: they go last where providers go in order.
    var passedOver: Set<String> = []
    /// A device's delivery that has moved, beside others of the person's devices: nobody who reaches the person as such may carry it, for the others
    /// would get it again.
    var isForOneDevice = false
    /// Goes first where providers go in order: the delivery has been with it, and is not to wander.
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

    /// The providers of a market that may carry a channel, in its order: those that gave the delivery up may not.
    func bindings(for channel: Channel, in market: Market) -> [ProviderBinding] {
        let all = catalogue.bindings(for: channel, in: market)
        return failed.isEmpty ? all : all.filter { $0.copy || !failed.contains($0.name) }
    }

    /// Whose providers serve an endpoint: its own market's, unless the intent names one.
    func market(of endpoint: Endpoint) -> Market {
        let own = intent.market == nil ? endpoint.market.flatMap { catalogue.markets[$0] } : nil
        return own ?? market
    }

    /// Whether the person's providers serve it.
    func isAtHome(_ endpoint: Endpoint) -> Bool { market(of: endpoint).name == market.name }

    /// The person's quiet hours, when they count for this type.
    var quietHours: QuietHours? {
        type.mandatory || type.silent || policy.quietHours == .ignore ? nil : facts.preferences.quietHours
    }
}
