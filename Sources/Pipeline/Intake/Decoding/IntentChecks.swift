public import TidingsCatalogue
import TidingsContracts
public import TidingsCore
import TidingsJSON
import TidingsJSONSchema

/// What an event's request must meet beyond its form: the type's schema and rights, the catalogue's markets, the clock, the producer's
/// tenants and sources.
struct IntentChecks {
    let catalogue: CompiledCatalogue
    let limits: IntentLimits
    let rights: ProducerRights
    let now: Timestamp

    /// How many of a schema's violations a message names; the first are nearly always enough to see the cause.
    private static let shownViolations = 5

    func type(named name: String) throws(EventProblem) -> CompiledType { try catalogue.type(named: name) }

    /// - Returns: notes about what is unusual and accepted all the same.
    func check(_ request: IntentRequest, against type: CompiledType) throws(EventProblem) -> [ReasonCode] {
        try checkData(request.data, against: type)
        let notes = try checkSchedule(request.scheduledFor)
        try catalogue.check(critical: request.critical, market: request.market, of: type)
        if !rights.allows(tenant: request.tenant) {
            throw EventProblem(.tenantNotAllowed, "/data/tenant", "this producer may not send for the tenant \"\(request.tenant)\"")
        }
        return notes
    }

    /// The producer is vouched for, and the source is not another's: with that source, one producer could use up the other's idempotency keys.
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

    /// One small message must not become gigabytes.
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

    /// The request's content with the type's templates in the place of a missing title and body. Only a type that shows nothing may do without a
    /// title.
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

    private static func text(_ own: String?, else template: Template?, _ data: JSONObject) -> String? {
        if let own, !own.isEmpty { return own }
        guard let rendered = template?.render(data), !rendered.isEmpty else { return nil }
        return rendered
    }

    private func checkData(_ data: JSONObject, against type: CompiledType) throws(EventProblem) {
        guard let violations = type.schema?.validate(.object(data)), let first = violations.first else { return }
        let shown = violations.prefix(IntentChecks.shownViolations).map { violation in
            violation.instancePointer.isEmpty
                ? violation.message : "\(EventProblem.printable(violation.instancePointer)): \(violation.message)"
        }
        let more = violations.count > shown.count ? "; and more" : ""
        throw EventProblem(.schemaViolation, "/data/data" + first.instancePointer, shown.joined(separator: "; ") + more)
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
    /// Why the catalogue refuses an intent whatever its content is; nil if it does not. Intents that are simulated are asked the same as intents
    /// that arrive.
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
    /// Whether there is a market of that name, code point by code point; a dictionary would also find one that is only equivalent.
    fileprivate func hasMarket(spelled name: String) -> Bool {
        markets[name].map { isSameText($0.name, name) } ?? false
    }
}
