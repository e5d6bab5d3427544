import TidingsContracts
import TidingsCore
import TidingsEncodings
import TidingsJSON

/// The events of a request, decoded by the router's own decoder, and the faults of those that a router would refuse.
struct SubmittedBody {
    /// A valid event with the bytes that go to the broker.
    struct Event {
        let bytes: [UInt8]
        let intents: [DecodedIntent]
        /// The place of the event in the body.
        let pointer: String
    }

    private(set) var events: [Event] = []
    private(set) var faults: [SubmissionFault] = []
    private var notifications = 0
    private let decoder: IntentDecoder
    private let rights: ProducerRights
    private let now: Timestamp

    init(_ request: SubmittedRequest, decoder: IntentDecoder, rights: ProducerRights, now: Timestamp) {
        (self.decoder, self.rights, self.now) = (decoder, rights, now)
        guard request.body.count <= decoder.limits.maximumMessageBytes else {
            let limit = decoder.limits.maximumMessageBytes
            add(EventProblem(.messageTooLarge, "", "\(request.body.count) bytes; at most \(limit) are allowed"))
            return
        }
        switch Self.form(of: request) {
        case .one: add(request.body, at: "", of: request)
        case .many:
            do throws(JSONParseError) {
                let ranges = try JSON.splitArray(request.body, maximumElements: decoder.limits.maximumEventsPerMessage)
                for (index, range) in ranges.enumerated() { add(Array(request.body[range]), at: "/\(index)", of: request) }
            } catch {
                add(EventProblem(error))
            }
        case .unknown(let hint): add(EventProblem(.unsupportedContentType, "", hint))
        }
    }

    enum Form {
        case one, many
        case unknown(String)
    }

    /// A body of `application/json` tells by its first character whether it is one event or a batch.
    static func form(of request: SubmittedRequest) -> Form {
        let accepted = "use \(ContentMode.structuredType), \(ContentMode.batchType) or application/json"
        guard let contentType = request.contentType else { return .unknown("no content type; \(accepted)") }
        guard let media = MediaType(contentType) else {
            return .unknown("the content type \"\(EventProblem.shown(contentType))\" is not accepted; \(accepted)")
        }
        guard media.isUTF8 else {
            return .unknown("the charset \"\(EventProblem.shown(media.parameters["charset"] ?? ""))\" is not UTF-8")
        }
        switch media.essence {
        case ContentMode.structuredType: return .one
        case ContentMode.batchType: return .many
        case "application/json":
            let first = request.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return first == UInt8(ascii: "[") ? .many : .one
        default: return .unknown("the content type \"\(EventProblem.shown(media.essence))\" is not accepted; \(accepted)")
        }
    }

    private mutating func add(_ bytes: [UInt8], at pointer: String, of request: SubmittedRequest) {
        let message = IncomingMessage(
            body: bytes, contentType: ContentMode.structuredType, headers: request.traceparent.map { ["traceparent": $0] } ?? [:])
        let decoded = decoder.decode(message, rights: rights, now: now)
        for rejection in decoded.rejections {
            if rejection.violations.isEmpty {
                faults.append(SubmissionFault(pointer: pointer + rejection.pointer, message: rejection.message, reason: rejection.reason))
            }
            faults += rejection.violations.map {
                SubmissionFault(pointer: pointer + $0.pointer, message: $0.message, reason: rejection.reason)
            }
        }
        guard !decoded.intents.isEmpty else { return }
        notifications += decoded.intents.count
        let limit = decoder.limits.maximumIntentsPerMessage
        guard notifications <= limit else {
            // The first event beyond the limit names it for all.
            if notifications - decoded.intents.count <= limit {
                add(
                    EventProblem(
                        .tooManyRecipients, "\(pointer)/data/recipients",
                        "the request asks for more than \(limit) notifications in all; send fewer events in one"))
            }
            return
        }
        events.append(Event(bytes: bytes, intents: decoded.intents, pointer: pointer))
    }

    private mutating func add(_ problem: EventProblem) {
        faults.append(SubmissionFault(pointer: problem.pointer, message: problem.message, reason: problem.reason))
    }
}
