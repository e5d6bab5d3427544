public import TidingsCatalogue
public import TidingsContracts
public import TidingsCore
import TidingsJSON
import TidingsStore

/// Decodes a message of a producer into valid intents, one for each recipient, or into rejections that say precisely what is wrong.
///
/// Decoding never throws and never stops. One bad event of a batch is one rejection, and the other events are decoded as if it were not
/// there. It reads the structured, batch and binary modes of CloudEvents 1.0, in JSON only.
public struct IntentDecoder: Sendable {
    public let catalogue: CompiledCatalogue
    public let limits: IntentLimits

    public init(catalogue: CompiledCatalogue, limits: IntentLimits = .init()) {
        self.catalogue = catalogue
        self.limits = limits
    }

    /// - Parameters:
    ///   - rights: the tenants and sources that the message's producer may name.
    ///   - now: the time with which `scheduledFor` is compared.
    public func decode(_ message: IncomingMessage, rights: ProducerRights, now: Timestamp) -> DecodedMessage {
        let checks = IntentChecks(catalogue: catalogue, limits: limits, rights: rights, now: now)
        var run = MessageDecoding(message: message, checks: checks)
        run.decode()
        return run.decoded
    }

    /// Returns the rejection of a valid intent. It is refused because of stored data, or because of a failure of Tidings.
    ///
    /// - Parameter message: the message the intent was decoded from.
    public func rejection(of intent: DecodedIntent, in message: IncomingMessage, _ reason: ReasonCode, _ text: String) -> Rejection {
        let asked = intent.intent
        var rejection = RejectedBytes(message, intent.bytesInMessage, limits: limits).rejection(EventProblem(reason, "", text))
        (rejection.source, rejection.eventID, rejection.type) = (asked.source, asked.id, asked.type)
        rejection.tenant = asked.tenant
        rejection.recipientIDs = [asked.recipient]
        rejection.isVerified = true
        return rejection
    }
}

/// The decoding of one message: a list of named steps over one value.
struct MessageDecoding {
    let message: IncomingMessage
    let checks: IntentChecks
    var decoded = DecodedMessage()

    init(message: IncomingMessage, checks: IntentChecks) {
        self.message = message
        self.checks = checks
    }

    mutating func decode() {
        let limits = checks.limits
        guard !message.headersTooDeep else {
            return rejectMessage(EventProblem(.headersTooDeep, "", "the headers are nested too deeply to be read"))
        }
        guard message.body.count <= limits.maximumMessageBytes else {
            return rejectMessage(
                EventProblem(.messageTooLarge, "", "\(message.body.count) bytes; at most \(limits.maximumMessageBytes) are allowed"))
        }
        switch ContentMode(message) {
        case .structured: decodeEvent(in: message.body.indices)
        case .batch: decodeBatch()
        case .binary(let attributes): decodeBinary(attributes)
        case .cut:
            rejectMessage(
                EventProblem(
                    .headersTooLarge, "",
                    "the headers are too many or too long to be kept, and attributes of binary mode may be among those left out"))
        case .unsupported(let hint): rejectMessage(EventProblem(.unsupportedContentType, "", hint))
        }
    }

    private mutating func decodeBatch() {
        do {
            let ranges = try JSON.splitArray(message.body, maximumElements: checks.limits.maximumEventsPerMessage)
            for range in ranges { decodeEvent(in: range) }
        } catch {
            rejectMessage(EventProblem(error))
        }
    }

    private mutating func decodeEvent(in range: Range<Int>) {
        guard range.count <= checks.limits.maximumEventBytes else { return rejectTooLarge(range) }
        do {
            let json = try JSON.parse(message.body[range])
            guard case .object(let event) = json else {
                return reject(EventProblem(.notJSON, "", "an event must be a JSON object, not \(json.typeName)"), range)
            }
            decode(event, range)
        } catch {
            reject(EventProblem(error), range)
        }
    }

    private mutating func decodeBinary(_ attributes: [HeaderAttribute]) {
        let range = message.body.indices
        guard range.count <= checks.limits.maximumEventBytes else { return rejectTooLarge(range) }
        let neighbours = zip(attributes, attributes.dropFirst())
        if let twice = neighbours.first(where: { $0.name != "data" && $0.name.utf8.elementsEqual($1.name.utf8) })?.0 {
            let problem = "two headers give the attribute \"\(EventProblem.shown(twice.name))\" different values"
            return reject(EventProblem(.invalidAttribute, JSONPointer.appending(twice.name, to: ""), problem), range)
        }
        var event = JSONObject(binaryAttributes: attributes)
        // The JSON parser refuses a NUL in a body, but a header may hold any bytes. A header named `data` is no attribute, so it is
        // ignored.
        if let bad = attributes.first(where: { $0.name != "data" && ($0.value.utf8.contains(0) || $0.name.utf8.contains(0)) }) {
            let pointer = JSONPointer.appending(bad.name, to: "")
            return reject(EventProblem(.nulCharacter, pointer, "the header of an attribute contains a NUL byte"), range, event: event)
        }
        do {
            if !range.isEmpty { event["data"] = try JSON.parse(message.body, limits: .binaryData) }
            decode(event, range)
        } catch {
            reject(EventProblem(error, inside: "/data"), range, event: event)
        }
    }

    private mutating func decode(_ event: JSONObject, _ range: Range<Int>) {
        do throws(EventProblem) {
            if message.isUnroutable { throw unroutable(event) }
            try decoded.intents.append(contentsOf: intents(of: event, range))
        } catch {
            reject(error, range, event: event)
        }
    }

    /// Returns the intents of one event. A recipient that is named twice counts once.
    private func intents(of event: JSONObject, _ range: Range<Int>) throws(EventProblem) -> [DecodedIntent] {
        let attributes = try EventAttributes(event, limits: checks.limits)
        try checks.checkProducer(of: attributes.source)
        let type = try checks.type(named: attributes.type)
        let request = try IntentRequest(attributes.data, limits: checks.limits)
        let scheduleNotes = try checks.check(request, against: type)
        let content = try checks.content(of: request, type: type)
        let notes = scheduleNotes + checks.notes(on: request, type: type)
        try checks.checkFanOut(request, eventBytes: range.count, alreadyAsked: decoded.intents.count)
        let traceparent = attributes.traceparent ?? message.headers["traceparent"].flatMap { TraceParent.validated($0) }
        let contentHash = IntentIdentity.contentHash(type: attributes.type, data: attributes.data)
        var keys = IntentKey(tenant: request.tenant, source: attributes.source, id: attributes.id)
        var seen: Set<Digest128> = []
        var intents: [DecodedIntent] = []
        intents.reserveCapacity(request.recipients.count)
        for recipient in request.recipients {
            let key = keys.key(for: recipient)
            if request.recipients.count > 1, !seen.insert(key).inserted { continue }
            let intent = Intent(
                tenant: request.tenant, source: attributes.source, id: attributes.id, type: attributes.type, time: attributes.time,
                recipient: recipient, content: content, channels: request.channels, scheduledFor: request.scheduledFor,
                expiresAt: request.expiresAt, critical: request.critical, market: request.market, traceparent: traceparent)
            intents.append(
                DecodedIntent(intent: intent, idempotencyKey: key, contentHash: contentHash, notes: notes, bytesInMessage: range))
        }
        return intents
    }

    private func unroutable(_ event: JSONObject) -> EventProblem {
        guard let name = event["type"]?.stringValue, let type = checks.catalogue.types[name]?.type else {
            return EventProblem(.unroutable, "", "the routing key matched no queue; publish with <category>.<type>")
        }
        let key = QueueNames.routingKey(category: type.category, type: type.name)
        return EventProblem(.unroutable, "", "the routing key matched no queue; publish \(type.name) with \"\(key)\"")
    }
}

extension MessageDecoding {
    private mutating func rejectMessage(_ problem: EventProblem) {
        reject(problem, message.body.indices)
    }

    private mutating func rejectTooLarge(_ range: Range<Int>) {
        reject(EventProblem(.tooLarge, "", "\(range.count) bytes; at most \(checks.limits.maximumEventBytes) are allowed"), range)
    }

    private mutating func reject(_ problem: EventProblem, _ range: Range<Int>, event: JSONObject? = nil) {
        var rejection = RejectedBytes(message, range, limits: checks.limits).rejection(problem)
        let claims = EventClaims(in: message.body[range], attributes: rejection.attributes, limits: checks.limits)
        rejection.describe(claims)
        rejection.mayNameOthers = event == nil || !claims.isExact || claims.recipients.count >= checks.limits.maximumRecipients
        if let event {
            rejection.countRecipients(of: event)
            rejection.isVerified = claims.isExact && checks.vouch(for: event)
        }
        decoded.rejections.append(rejection)
    }
}
