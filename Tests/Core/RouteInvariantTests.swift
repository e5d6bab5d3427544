import Testing
import TidingsCore

/// Invariants of a decision, checked for every combination of its inputs.
@Suite struct RouteInvariantTests {
    /// The cases of one category: the product of all other axes when this was written. A new value adds cases. An axis that is empty by
    /// mistake leaves no case.
    private static let fewestCases = 14_400

    @Test(arguments: Category.allCases)
    func theInvariantsHoldInEveryCase(category: Category) {
        var broken: [String] = []
        var count = 0
        RoutingCase.forEach(of: category) { routingCase in
            count += 1
            broken += routingCase.brokenInvariants.map { "\($0): \(routingCase.summary)" }
        }
        #expect(count >= Self.fewestCases, "an axis has lost a value")
        #expect(broken.isEmpty, "\(broken.count) broken, for example \(broken.prefix(3))")
    }
}

/// One combination of values, one from each axis.
private struct RoutingCase {
    var type: NotificationType
    var quietPolicy: QuietPolicy
    var catalogue: Catalogue
    var preferences: Preferences
    var endpoints: [Endpoint]
    var timing: Timing
    var hour: Hour
    var critical: Bool

    /// The time of day, as far as the person's quiet hours are concerned.
    enum Hour: CaseIterable {
        case day, night
        /// A time in a zone that is not known.
        case unknown
    }

    enum Timing: CaseIterable {
        case plain, scheduled, scheduledInPast, expired, scheduledAndExpired
    }

    static func forEach(of category: Category, _ body: (RoutingCase) -> Void) {
        for (mandatory, silent) in [(false, false), (true, false), (false, true)] {
            let type = NotificationType(
                name: "t",
                category: category,
                channels: [.push, .local, .inApp, .webhook],
                mandatory: mandatory,
                allowsCritical: true,
                silent: silent
            )
            for quietPolicy in QuietPolicy.allCases {
                for base in [Catalogue.withPush, .builtIn] {
                    var catalogue = base.with(type)
                    catalogue.categories[category]?.quietHours = quietPolicy
                    forEach(of: type, quietPolicy, in: catalogue, body)
                }
            }
        }
    }

    private static func forEach(
        of type: NotificationType,
        _ quietPolicy: QuietPolicy,
        in catalogue: Catalogue,
        _ body: (RoutingCase) -> Void
    ) {
        for preferences in preferenceAxis {
            for endpoints in endpointAxis {
                for timing in Timing.allCases {
                    for (hour, critical) in Hour.allCases.flatMap({ [($0, false), ($0, true)] }) {
                        body(
                            RoutingCase(
                                type: type,
                                quietPolicy: quietPolicy,
                                catalogue: catalogue,
                                preferences: preferences,
                                endpoints: endpoints,
                                timing: timing,
                                hour: hour,
                                critical: critical
                            )
                        )
                    }
                }
            }
        }
    }

    private static let preferenceAxis = [
        Preferences(), Preferences(disabledChannels: [.push]), Preferences(disabledCategories: Set(Category.allCases)),
        Preferences(types: ["t": false]),
    ]

    private static let endpointAxis: [[Endpoint]] = [
        [], [.phone(), .hook()], [.phone(permission: .denied)], [.phone(gone: true), .hook(gone: true)],
        [.phone("a"), .phone("b", provider: "fcm", permission: .provisional), .hook()],
    ]

    var summary: String {
        "\(type.category) mandatory \(type.mandatory) silent \(type.silent) \(quietPolicy) \(preferences) \(endpoints) \(timing)"
            + " hour \(hour) critical \(critical)"
    }

    var now: Timestamp { hour == .night ? midnight : noon }

    var intent: Intent {
        .sample("t") {
            $0.critical = critical
            switch timing {
            case .plain: break
            case .scheduled: $0.scheduledFor = now.adding(.seconds(3_600))
            case .scheduledInPast: $0.scheduledFor = now.adding(.seconds(-3_600))
            case .expired: $0.expiresAt = now
            case .scheduledAndExpired: ($0.scheduledFor, $0.expiresAt) = (now.adding(.seconds(3_600)), now)
            }
        }
    }

    var facts: RecipientFacts {
        .sample {
            $0.preferences = preferences
            $0.preferences.quietHours = nightWindow
            $0.endpoints = endpoints
            if hour == .unknown { $0.zone = .unknown("Mars/Phobos") }
        }
    }

    var brokenInvariants: [String] {
        let (intent, facts) = (intent, facts)
        let decision = route(intent, facts: facts, catalogue: catalogue, now: now, acceptedAt: now)
        let again = decision.deliveries.flatMap {
            reroute($0, of: intent, facts: facts, catalogue: catalogue, now: now, acceptedAt: now).prefix(1)
        }
        return shape(decision) + wishes(decision) + times(decision) + sequence(decision) + consent(decision) + judgedAgain(decision, again)
            + zone(decision)
    }

    private func shape(_ decision: Decision) -> [String] {
        var broken: [String] = []
        let wanted = critical && decision.strategy == .escalate ? [Channel.push, .local, .inApp] : [.push, .local, .inApp, .webhook]
        var seen: [Channel] = []
        for delivery in decision.deliveries where seen.last != delivery.channel { seen.append(delivery.channel) }
        if seen != wanted { broken.append("every eligible channel is answered, in order") }
        let places = decision.deliveries.map { "\($0.channel)/\($0.provider)/\($0.endpoint ?? "")" }
        if Set(places).count != places.count { broken.append("no place twice") }
        for delivery in decision.deliveries {
            let (state, reason) = (delivery.verdict.state, delivery.verdict.reason)
            if let reason { if !reason.states.contains(state) { broken.append("the reason fits the state") } }
            if state != .queued, reason == nil { broken.append("what is not sent has a reason") }
        }
        return broken
    }

    private func wishes(_ decision: Decision) -> [String] {
        var broken: [String] = []
        let byWish: Set<ReasonCode> = [
            .channelDisabled, .categoryDisabled, .typeDisabled, .quietHours, .quietHoursDrop, .timeZoneUnknown,
        ]
        let denied = Set(endpoints.filter { !$0.permission.allowsVisible }.map(\.id))
        for delivery in decision.deliveries {
            if type.mandatory, let reason = delivery.verdict.reason, byWish.contains(reason) { broken.append("mandatory ignores wishes") }
            guard case .send = delivery.verdict else { continue }
            if !type.mandatory, preferences != .allOn {
                let isOff = preferences.disabledChannels.isEmpty || preferences.disabledChannels.contains(delivery.channel)
                if isOff { broken.append("what is off is not sent") }
            }
            if hour != .day, !isPlanned(delivery), !isExempt(delivery.channel) {
                broken.append("nothing leaves in quiet hours")
            }
            if !type.silent, let endpoint = delivery.endpoint, denied.contains(endpoint) {
                broken.append("nothing shows without permission")
            }
        }
        return broken
    }

    /// Whether quiet hours leave the channel alone.
    private func isExempt(_ channel: Channel) -> Bool {
        type.mandatory || type.silent || quietPolicy == .ignore || quietPolicy == .inAppOnly && channel == .inApp
    }

    /// Checks a decision in an unknown zone. A delivery that quiet hours could stop is held, not dropped. Every other delivery is decided
    /// as at noon. In a known zone no delivery waits for the zone.
    private func zone(_ decision: Decision) -> [String] {
        let waiting = decision.deliveries.filter { $0.verdict.reason == .timeZoneUnknown }
        guard hour == .unknown else { return waiting.isEmpty ? [] : ["only an unknown zone is waited for"] }
        var broken: [String] = []
        if waiting.contains(where: { isExempt($0.channel) }) { broken.append("what is exempt does not wait for the zone") }
        let quiet: Set<ReasonCode> = [.quietHours, .quietHoursDrop]
        if decision.deliveries.contains(where: { $0.verdict.reason.map(quiet.contains) == true }) {
            broken.append("nobody knows that it is quiet")
        }
        for delivery in waiting {
            guard case .hold(let until, _) = delivery.verdict else { return broken + ["what waits for the zone is held"] }
            if until > now.adding(.seconds(900)) { broken.append("the zone is asked for again within 15 minutes") }
        }
        if decision.strategy == .escalate { return broken }
        var day = self
        day.hour = .day
        let known = route(intent, facts: day.facts, catalogue: catalogue, now: now, acceptedAt: now)
        let whole = Set(decision.deliveries.filter(waitsAsChannel).map(\.channel))
        for channel in whole where !known.deliveries.contains(where: { $0.channel == channel && $0.verdict.isOpen }) {
            broken.append("a channel that waits for the zone would go out")
        }
        let pairs = zip(
            decision.deliveries.filter { !whole.contains($0.channel) }, known.deliveries.filter { !whole.contains($0.channel) })
        for (delivery, byDay) in pairs where delivery.verdict != byDay.verdict {
            guard case .send = byDay.verdict, !isExempt(delivery.channel), delivery.verdict.reason == .timeZoneUnknown else {
                return broken + ["the zone holds what would go out, and nothing else"]
            }
        }
        return broken
    }

    /// Whether quiet hours or an unknown zone hold the whole channel, without a device or an address.
    private func waitsAsChannel(_ delivery: PlannedDelivery) -> Bool {
        let reason = delivery.verdict.reason
        return delivery.provider.isEmpty && delivery.endpoint == nil && (reason == .quietHours || reason == .timeZoneUnknown)
    }

    /// Whether a device gets the delivery in its plan before the scheduled time, and shows it by itself then.
    private func isPlanned(_ delivery: PlannedDelivery) -> Bool {
        timing == .scheduled && delivery.channel == .local && catalogue.providers[delivery.provider]?.kind == ProviderBinding.localPlanKind
    }

    private func times(_ decision: Decision) -> [String] {
        var broken: [String] = []
        for delivery in decision.deliveries {
            switch delivery.verdict {
            case .send(let validUntil):
                if validUntil <= now || validUntil > now.adding(.seconds(900)) { broken.append("validity lies ahead, at most 15 minutes") }
                if timing != .plain, timing != .scheduledInPast, !isPlanned(delivery) { broken.append("neither early nor late") }
            case .hold(let until, _):
                if until <= now { broken.append("a hold ends later") }
            case .paused, .awaitEscalation, .notSent:
                break
            }
        }
        if (decision.notes == [.scheduledInPast]) != (timing == .scheduledInPast) { broken.append("a schedule in the past is noted") }
        return broken
    }

    private func sequence(_ decision: Decision) -> [String] {
        let waiting = decision.deliveries.filter { $0.verdict == .awaitEscalation }
        guard decision.strategy == .escalate else { return waiting.isEmpty ? [] : ["only escalation waits for channels"] }
        let begun = Set(decision.deliveries.filter { $0.verdict.isOpen && $0.verdict != .awaitEscalation }.map(\.channel))
        if begun.count > 1 { return ["one channel at a time"] }
        guard let first = begun.first else { return waiting.isEmpty ? [] : ["somebody goes first"] }
        // A push that waits for the zone gives its turn to the inbox, because quiet hours leave the inbox alone.
        let gaveTurn = hour == .unknown && first == .inApp && !isExempt(.push)
        return waiting.allSatisfy { $0.channel > first || gaveTurn } ? [] : ["only later channels wait"]
    }

    /// Checks that consent takes nothing away: with everything allowed, each endpoint that was to get something still does. The channel may
    /// differ: a device that may get the push again shows no local notification.
    private func consent(_ decision: Decision) -> [String] {
        guard preferences != .allOn else { return [] }
        var willing = self
        willing.preferences = .allOn
        let freer = route(intent, facts: willing.facts, catalogue: catalogue, now: now, acceptedAt: now)
        return reached(decision).isSubset(of: reached(freer)) ? [] : ["consent never takes away"]
    }

    private func reached(_ decision: Decision) -> Set<String> {
        Set(decision.deliveries.filter(\.verdict.isOpen).flatMap(places))
    }

    private func places(of delivery: PlannedDelivery) -> [String] {
        if waitsAsChannel(delivery) { return [delivery.channel.endsOnDevice ? "their devices" : "\(delivery.channel)/"] }
        let place = delivery.endpoint ?? "\(delivery.channel)/\(delivery.provider)"
        // A planned delivery counts as its whole channel too: without a plan, the channel would be held until the scheduled time.
        return isPlanned(delivery) ? [place, "\(delivery.channel)/"] : [place]
    }

    private func judgedAgain(_ decision: Decision, _ again: [PlannedDelivery]) -> [String] {
        if again.contains(where: { $0.verdict == .awaitEscalation }) { return ["what is judged again never waits for channels"] }
        if zip(decision.deliveries, again).contains(where: { $0.channel != $1.channel || $0.endpoint != $1.endpoint }) {
            return ["a delivery judged again keeps its place"]
        }
        guard decision.strategy == .all else { return [] }
        return decision.deliveries == again ? [] : ["judged again at once, the answer is the same"]
    }
}
