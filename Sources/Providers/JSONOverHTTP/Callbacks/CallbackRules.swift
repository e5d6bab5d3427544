import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsProvider

/// The rules by which the events of a callback become reports.
struct CallbackRules: Sendable {
    /// The place of the array of events. Nil: the body is an array of events, or one event.
    let eventsPath: AnswerPath?
    let referenceKind: ReferenceKind
    let referencePath: AnswerPath
    let statePath: AnswerPath
    /// The meaning of each word at ``statePath``. Other words change nothing: a service may add words at any time.
    let states: [String: DeliveryReport.Outcome]
    let timePath: AnswerPath?
    let keyPath: AnswerPath?

    /// Reads every event by itself: an event that cannot be read costs none of the others.
    ///
    /// - Parameter requestID: the service's id of the whole request. Nil if it gives none.
    func read(_ body: [UInt8], requestID: String?) -> CallbackReading {
        let events: [JSON?]
        do throws(Malformed) {
            events = try self.events(of: body)
        } catch {
            return .malformed(reason: error.reason)
        }
        guard events.count <= CallbackRequest.maximumReports else {
            return .malformed(reason: "\(events.count) events are more than \(CallbackRequest.maximumReports)")
        }
        var reports: [DeliveryReport] = []
        var unreadable: [String] = []
        for (position, event) in events.enumerated() {
            switch report(of: event, requestID: requestID.map { "\($0)/\(position)" }) {
            case .report(let report): reports.append(report)
            case .unreadable(let reason): unreadable.append("event \(position + 1): \(reason)")
            }
        }
        return .reports(reports, unreadable: unreadable)
    }

    private struct Malformed: Error {
        let reason: String
    }

    /// The events in their order. An event that is no JSON is nil.
    private func events(of body: [UInt8]) throws(Malformed) -> [JSON?] {
        let document: JSON
        do throws(JSONParseError) {
            document = try JSON.parse(leniently: body)
        } catch {
            let events = AnswerPath.bytes(at: eventsPath, in: body).map(Self.elements) ?? []
            guard events.contains(where: { $0 != nil }) else { throw Malformed(reason: "the body is not JSON: \(error)") }
            return events
        }
        if let eventsPath {
            guard let array = eventsPath.value(in: document)?.arrayValue else {
                throw Malformed(reason: "there is no array at callbackEventsPath")
            }
            return array
        }
        switch document {
        case .array(let events): return events
        case .object: return [document]
        default: throw Malformed(reason: "the body is neither an event nor an array of events")
        }
    }

    /// The elements of an array that is not JSON as a whole, each read alone. Empty if the bytes are no array.
    private static func elements(of array: [UInt8]) -> [JSON?] {
        let ranges = try? JSON.splitArray(array, maximumElements: CallbackRequest.maximumReports)
        return (ranges ?? []).map { try? JSON.parse(leniently: Array(array[$0])) }
    }

    private enum EventReading {
        case report(DeliveryReport)
        case unreadable(reason: String)
    }

    private func report(of event: JSON?, requestID: String?) -> EventReading {
        guard let event, event.objectValue != nil else { return .unreadable(reason: "it is not an object") }
        let (word, reference) = (statePath.text(in: event) ?? "", referencePath.text(in: event))
        if AnswerPath.isLost(word) { return .unreadable(reason: "the text at callbackStatePath cannot be read") }
        if let reference, AnswerPath.isLost(reference) {
            return .unreadable(reason: "the text at callbackReferencePath cannot be read")
        }
        let outcome = states[word] ?? .ignored
        let time = timePath.flatMap { $0.value(in: event) }.flatMap(Self.time)
        let told = keyPath.flatMap { $0.text(in: event) }.flatMap { AnswerPath.isLost($0) ? nil : $0 } ?? requestID
        let key = Self.key(told ?? "\(word)@\(time?.rfc3339 ?? "")")
        return .report(DeliveryReport(reference.flatMap(delivery), outcome, at: time, key: key))
    }

    /// Nil if the reference names no delivery of Tidings: others may send through the same account.
    private func delivery(_ text: String) -> DeliveryReport.Reference? {
        switch referenceKind {
        case .delivery: DeliveryReport.Reference(idempotencyKey: text)
        case .message: DeliveryReport.Reference(messageID: text)
        }
    }

    /// Reads RFC 3339, or Unix seconds or milliseconds as a number or as digits. Nil for every other value: a report counts without a time.
    private static func time(_ value: JSON) -> Timestamp? {
        if let text = value.stringValue, let time = Timestamp(rfc3339: text) { return time }
        guard let number = value.doubleValue ?? value.stringValue.flatMap({ Double($0) }), number >= 0, number < 1e14 else { return nil }
        // Seconds reach this number in the year 5138, milliseconds reached it in 1973.
        return number < 1e11 ? Timestamp(microseconds: Int64(number * 1e6)) : Timestamp(microseconds: Int64(number * 1e3))
    }

    /// A key as it is stored. A long key is replaced by its digest.
    private static func key(_ text: String) -> String {
        text.utf8.count <= DeliveryReport.longestText && !text.utf8.contains(0) ? text : Hexadecimal.encode(SHA256.hash(Array(text.utf8)))
    }
}

/// Reads the callbacks of a service that its settings describe.
struct HTTPCallbackReader: CallbackReader {
    let mediaTypes = ["application/json"]
    let authentication: CallbackAuthentication
    let rules: CallbackRules

    func proof(in head: CallbackRequest) -> CallbackProof { authentication.proof(in: head) }

    func read(_ request: CallbackRequest) -> CallbackReading {
        if let reason = authentication.refusal(of: request) { return .unauthenticated(reason: reason) }
        var requestID: String?
        // The id is part of the signed text. Without a signature it could be anybody's.
        if case .standardWebhooks = authentication.method { requestID = request.header("webhook-id") }
        return rules.read(request.body, requestID: requestID)
    }
}
