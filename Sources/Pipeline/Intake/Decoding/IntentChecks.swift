public import TidingsCatalogue
import TidingsContracts
public import TidingsCore
import TidingsJSON
import TidingsJSONSchema

/// The checks of an event's request beyond its form: the type's schema and rights, the catalogue's markets, the clock, and the producer's
/// tenants and sources.
struct IntentChecks {
    let catalogue: CompiledCatalogue
    let limits: IntentLimits
    let rights: ProducerRights
    let now: Timestamp

    /// The number of a schema's violations that a message names. The first ones are nearly always enough to see the cause.
    private static let shownViolations = 5
    /// The number of a schema's violations that a rejection lists.
    private static let keptViolations = 50

    func type(named name: String) throws(EventProblem) -> CompiledType { try catalogue.type(named: name) }

    /// - Returns: notes about unusual members that are accepted anyway.
    func check(_ request: IntentRequest, against type: CompiledType) throws(EventProblem) -> [ReasonCode] {
        try checkData(request.data, against: type)
        let notes = try checkSchedule(request.scheduledFor)
        try catalogue.check(critical: request.critical, market: request.market, of: type)
        if !rights.allows(tenant: request.tenant) {
            throw EventProblem(.tenantForbidden, "/data/tenant", "this producer may not send for the tenant \"\(request.tenant)\"")
        }
        return notes
    }

    /// Checks that somebody vouches for the producer, and that the source belongs to the producer. With the source of another producer, it
    /// could use up that producer's idempotency keys.
    func checkProducer(of source: String) throws(EventProblem) {
        if rights == .unknown {
            throw EventProblem(
                .producerUnknown, "", "the message does not say which user published it: set user_id to the user of the connection")
        }
        if !rights.allows(source: source) {
            throw EventProblem(
                .sourceNotAllowed, "/source", "this producer may not send with the source \"\(EventProblem.shown(source))\"")
        }
    }

    /// Whether a refused event has valid attributes, and its producer may name its source and its tenant.
    func vouch(for event: JSONObject) -> Bool {
        guard let attributes = try? EventAttributes(event, limits: limits) else { return false }
        let tenant = attributes.data["tenant"]?.stringValue ?? Intent.defaultTenant
        return rights.allows(source: attributes.source) && rights.allows(tenant: tenant)
    }

    /// Checks that the message does not ask for too many notifications: one small message must not become gigabytes.
    func checkFanOut(_ request: IntentRequest, eventBytes: Int, alreadyAsked: Int) throws(EventProblem) {
        let recipients = request.recipients.count
        guard eventBytes * recipients <= limits.maximumFanOutBytes else {
            throw EventProblem(
                .tooLarge, "/data/recipients",
                "\(eventBytes) bytes for \(recipients) recipients; event times recipients may be at most \(limits.maximumFanOutBytes) bytes"
            )
        }
        guard alreadyAsked + recipients <= limits.maximumIntentsPerMessage else {
            throw EventProblem(
                .tooManyRecipients, "/data/recipients",
                "the message asks for more than \(limits.maximumIntentsPerMessage) notifications in all; send fewer events in one",
                mayPassLater: true)
        }
    }

    /// Returns the request's content, with the type's templates instead of a missing title and body. Only a type that shows nothing may
    /// have no title.
    func content(of request: IntentRequest, type: CompiledType) throws(EventProblem) -> Content {
        var content = request.content
        content.title = IntentChecks.text(content.title, else: type.title, request.data)
        guard content.title != nil || type.type.silent else {
            throw EventProblem(
                .missingAttribute, "/data/title", "title is missing, and the type \(type.type.name) has no template for it",
                mayPassLater: true)
        }
        content.body = IntentChecks.text(content.body, else: type.body, request.data)
        if !request.data.isEmpty { content.data = JSON.object(request.data).serialized }
        return content
    }

    /// Names of data that push services use themselves. A silent push has the data beside the members of the service. Each service leaves out
    /// those of these names that it uses.
    private static let namesOfServices = ["aps", "ab", "type"]

    /// Notes about data that people or apps will not get.
    func notes(on request: IntentRequest, type: CompiledType) -> [ReasonCode] {
        var notes: [ReasonCode] = []
        let isShown =
            Self.isShown(request.content.title, else: type.title, request.data)
            && Self.isShown(request.content.body, else: type.body, request.data)
        if !isShown { notes.append(.placeholderEmpty) }
        if type.type.silent, Self.namesOfServices.contains(where: { request.data[$0] != nil }) { notes.append(.fieldLeftOut) }
        return notes
    }

    private static func isShown(_ own: String?, else template: Template?, _ data: JSONObject) -> Bool {
        if let own, !own.isEmpty { return true }
        return template?.isFilled(by: data) ?? true
    }

    private static func text(_ own: String?, else template: Template?, _ data: JSONObject) -> String? {
        own ?? template?.render(data).ifPresent
    }

    private func checkData(_ data: JSONObject, against type: CompiledType) throws(EventProblem) {
        guard let violations = type.schema?.validate(.object(data)), let first = violations.first else { return }
        let shown = violations.prefix(IntentChecks.shownViolations).map { violation in
            violation.instancePointer.isEmpty
                ? violation.message : "\(violation.instancePointer.printable): \(violation.message)"
        }
        let more = violations.count > shown.count ? "; and more" : ""
        throw EventProblem(
            .schemaViolation, "/data/data" + first.instancePointer, shown.joined(separator: "; ") + more,
            violations: violations.prefix(IntentChecks.keptViolations).map {
                Rejection.Violation(pointer: "/data/data" + $0.instancePointer.printable, message: $0.message)
            })
    }

    private func checkSchedule(_ scheduledFor: Timestamp?) throws(EventProblem) -> [ReasonCode] {
        guard let scheduledFor else { return [] }
        let ahead = scheduledFor - now
        if ahead > limits.futureHorizon {
            let horizon = DurationText.print(limits.futureHorizon)
            throw EventProblem(.scheduledTooFarAhead, "/data/scheduledFor", "\(scheduledFor.rfc3339) is more than \(horizon) ahead")
        }
        if ahead < .zero - limits.pastTolerance {
            let tolerance = DurationText.print(limits.pastTolerance)
            throw EventProblem(.scheduledTooFarInPast, "/data/scheduledFor", "\(scheduledFor.rfc3339) is more than \(tolerance) ago")
        }
        return ahead < .zero ? [.scheduledInPast] : []
    }
}

extension CompiledCatalogue {
    /// The reason why the catalogue refuses an intent, whatever its content is. Nil if it does not. Simulated intents get the same check as
    /// arriving intents.
    public func refusal(of intent: Intent) -> EventProblem? {
        do throws(EventProblem) {
            try check(critical: intent.critical, market: intent.market, of: type(named: intent.type))
            return nil
        } catch {
            return error
        }
    }

    fileprivate func type(named name: String) throws(EventProblem) -> CompiledType {
        if let type = types[name], isSameText(type.type.name, name) { return type }
        throw EventProblem(
            .unknownType, "/type",
            "the catalogue has no type \"\(EventProblem.shown(name))\"\(NearestName.hint(for: name, among: types.keys))")
    }

    fileprivate func check(critical: Bool, market: String?, of type: CompiledType) throws(EventProblem) {
        if critical, !type.type.allowsCritical {
            throw EventProblem(.criticalNotAllowed, "/data/critical", "the type \(type.type.name) does not allow critical")
        }
        if let market, !catalogue.hasMarket(spelled: market) {
            let hint = NearestName.hint(for: market, among: catalogue.markets.keys)
            throw EventProblem(.unknownMarket, "/data/market", "the catalogue has no market \"\(EventProblem.shown(market))\"\(hint)")
        }
    }
}

extension Catalogue {
    /// Whether a market has this name, code point by code point. A dictionary would also find a name that is only equivalent.
    fileprivate func hasMarket(spelled name: String) -> Bool {
        markets[name].map { isSameText($0.name, name) } ?? false
    }
}
