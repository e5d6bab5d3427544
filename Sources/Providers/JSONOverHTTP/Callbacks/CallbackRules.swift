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

    /// - Parameter requestID: the service's id of the whole request. Nil if it gives none.
    func read(_ body: [UInt8], requestID: String?) -> CallbackReading {
        let document: JSON
        do throws(JSONParseError) {
            document = try JSON.parse(body)
        } catch {
            return .malformed(reason: "the body is not JSON: \(error)")
        }
        let events: [JSON]
        if let eventsPath {
            guard let array = eventsPath.value(in: document)?.arrayValue else {
                return .malformed(reason: "there is no array at callbackEventsPath")
            }
            events = array
        } else {
            events = document.arrayValue ?? [document]
        }
        guard events.count <= CallbackRequest.maximumReports else {
            return .malformed(reason: "\(events.count) events are more than \(CallbackRequest.maximumReports)")
        }
        guard events.allSatisfy({ $0.objectValue != nil }) else { return .malformed(reason: "an event is not an object") }
        return .reports(
            events.enumerated().map { position, event in report(of: event, requestID: requestID.map { "\($0)/\(position)" }) })
    }

    private func report(of event: JSON, requestID: String?) -> DeliveryReport {
        let word = statePath.text(in: event) ?? ""
        let outcome = states[word] ?? .ignored
        let time = timePath.flatMap { $0.value(in: event) }.flatMap(Self.time)
        let told = keyPath.flatMap { $0.text(in: event) } ?? requestID
        return DeliveryReport(reference(in: event), outcome, at: time, key: Self.key(told ?? "\(word)@\(time?.rfc3339 ?? "")"))
    }

    /// Nil if the event names no delivery of Tidings: others may send through the same account.
    private func reference(in event: JSON) -> DeliveryReport.Reference? {
        guard let text = referencePath.text(in: event) else { return nil }
        return switch referenceKind {
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

    func read(_ request: CallbackRequest) -> CallbackReading {
        if let reason = authentication.refusal(of: request) { return .unauthenticated(reason: reason) }
        var requestID: String?
        // The id is part of the signed text. Without a signature it could be anybody's.
        if case .standardWebhooks = authentication.method { requestID = request.header("webhook-id") }
        return rules.read(request.body, requestID: requestID)
    }
}
