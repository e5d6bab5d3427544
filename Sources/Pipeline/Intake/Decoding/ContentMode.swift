import TidingsContracts
import TidingsCore
import TidingsEncodings

/// The way in which a message carries events, by its content type and headers (CloudEvents 1.0.2, AMQP binding and JSON format).
enum ContentMode {
    static let structuredType = "application/cloudevents+json"
    static let batchType = "application/cloudevents-batch+json"

    /// The body is one event.
    case structured
    /// The body is an array of events.
    case batch
    /// The body is the data of one event, whose other attributes are headers.
    case binary(attributes: [HeaderAttribute])
    /// The message looks like binary mode, but some of its attributes may be missing.
    case cut
    /// None of these modes. The message tells the producer what to do.
    case unsupported(String)

    init(_ message: IncomingMessage) {
        if message.contentType == ContentMode.structuredType {
            // This is the case for nearly every message. It avoids parsing the content type.
            self = .structured
            return
        }
        guard let contentType = message.contentType?.ifPresent else {
            self = ContentMode.withoutEventType(message, what: "no content type")
            return
        }
        guard let media = MediaType(contentType) else {
            self = ContentMode.withoutEventType(message, what: "the content type \"\(EventProblem.shown(contentType))\"")
            return
        }
        guard media.isUTF8 else {
            self = .unsupported("the charset \"\(EventProblem.shown(media.parameters["charset"] ?? ""))\" is not UTF-8")
            return
        }
        switch media.essence {
        case ContentMode.structuredType: self = .structured
        case ContentMode.batchType: self = .batch
        default:
            if media.essence.hasPrefix("application/cloudevents") {
                self = .unsupported("\"\(EventProblem.shown(media.essence))\" is not read here; use \(ContentMode.structuredType)")
            } else {
                self = ContentMode.withoutEventType(message, what: "the content type \"\(EventProblem.shown(media.essence))\"")
            }
        }
    }

    /// The attributes of a message that stand in its headers. They tell its event from another event with the same body. A structured event
    /// and a batch have none there.
    func headerAttributes(of message: IncomingMessage) -> [HeaderAttribute] {
        switch self {
        case .structured, .batch: []
        case .binary(let attributes): attributes
        case .cut, .unsupported: ContentMode.attributes(of: message.headers)
        }
    }

    /// Returns binary mode, or a hint at the mode that the producer probably meant.
    private static func withoutEventType(_ message: IncomingMessage, what: String) -> ContentMode {
        // An event that lost an attribute is a different event.
        if message.attributesCut { return .cut }
        let attributes = attributes(of: message.headers)
        if !attributes.isEmpty {
            guard message.contentType?.ifPresent.map({ MediaType.isJSON($0) }) ?? true else {
                return .unsupported("\(what) with CloudEvents headers: the data must be application/json")
            }
            return .binary(attributes: attributes)
        }
        if looksStructured(message.body) {
            return .unsupported("\(what), but the body looks like a CloudEvents event: set the content type \(structuredType)")
        }
        return .unsupported("\(what); use \(structuredType), \(batchType), or application/json with cloudEvents_ headers")
    }

    /// The attributes among headers, without their prefix, sorted. If `cloudEvents_` and `cloudEvents:` name the same attribute,
    /// `cloudEvents_` wins.
    private static func attributes(of headers: [String: String]) -> [HeaderAttribute] {
        var attributes: [String: String] = [:]
        for prefix in ["cloudevents:", "cloudevents_"] {
            for (name, value) in headers where name.lowercased().hasPrefix(prefix) {
                attributes[String(name.dropFirst(prefix.count))] = value
            }
        }
        return attributes.sorted { $0.key < $1.key }.map { HeaderAttribute(name: $0.key, value: $0.value) }
    }

    /// The number of bytes searched for a sign of an event. The attributes usually come first.
    private static let searchedBytes = 4_096

    private static func looksStructured(_ body: [UInt8]) -> Bool {
        let start = String(decoding: body.prefix(searchedBytes), as: UTF8.self)
        return start.contains("\"specversion\"")
    }
}
