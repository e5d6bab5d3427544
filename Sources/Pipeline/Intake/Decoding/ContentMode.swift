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

    /// The attributes of a message that stand in its headers, sorted by the bytes of name and value. They tell its event from another event
    /// with the same body. A structured event and a batch have none there. An attribute stands twice if two headers give it different values.
    func headerAttributes(of message: IncomingMessage) -> [HeaderAttribute] {
        switch self {
        case .structured, .batch: []
        case .binary(let attributes): attributes
        case .cut, .unsupported: ContentMode.claimedAttributes(of: message)
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
        if let prefix = foreignPrefix(of: message.headers) {
            return .unsupported("\(what) with headers that begin with \"\(prefix)\": over AMQP, attributes begin with cloudEvents_")
        }
        return .unsupported("\(what); use \(structuredType), \(batchType), or application/json with cloudEvents_ headers")
    }

    /// The prefixes of attributes over AMQP, in lower case.
    private static let prefixes = ["cloudevents_", "cloudevents:"]

    /// The prefixes of attributes in other bindings of CloudEvents, and in mistakes: `ce-` is that of HTTP, and `ce_` that of Kafka. An
    /// event with such headers is refused, and these attributes are its claims.
    private static let foreignPrefixes = ["ce-", "ce_", "ce:", "cloudevents-"]

    /// The attributes that an event must have. Another header with a foreign prefix may belong to anything else.
    private static let required = ["specversion", "id", "source", "type"]

    /// Whether a header may be an attribute, in the right spelling or in a foreign one.
    static func isAttribute(_ header: String) -> Bool {
        let name = header.lowercased()
        return name.hasPrefix("cloudevents") || foreignPrefixes.contains { name.hasPrefix($0) }
    }

    /// The attributes of a message that is not read. If none has the right spelling, and the body is no event, those in a foreign spelling.
    private static func claimedAttributes(of message: IncomingMessage) -> [HeaderAttribute] {
        let attributes = attributes(of: message.headers)
        guard attributes.isEmpty, foreignPrefix(of: message.headers) != nil, !looksStructured(message.body) else { return attributes }
        // A gateway of HTTP may write `Ce-Id`.
        return self.attributes(of: message.headers, after: foreignPrefixes).map {
            HeaderAttribute(name: $0.name.lowercased(), value: $0.value)
        }
    }

    private static func foreignPrefix(of headers: [String: String]) -> String? {
        let names = Set(headers.keys.map { $0.lowercased() })
        return foreignPrefixes.first { prefix in required.contains { names.contains(prefix + $0) } }
    }

    /// The attributes among headers, without their prefix, sorted by their bytes, each once.
    private static func attributes(of headers: [String: String], after prefixes: [String] = ContentMode.prefixes) -> [HeaderAttribute] {
        var attributes: [HeaderAttribute] = []
        for (name, value) in headers {
            let lower = name.lowercased()
            guard let prefix = prefixes.first(where: { lower.hasPrefix($0) }) else { continue }
            attributes.append(HeaderAttribute(name: String(name.dropFirst(prefix.count)), value: value))
        }
        // The order of a dictionary differs from process to process.
        attributes.sort { left, right in
            guard left.name.utf8.elementsEqual(right.name.utf8) else { return left.name.utf8.lexicographicallyPrecedes(right.name.utf8) }
            return left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        }
        return attributes.reduce(into: []) { kept, next in
            if let last = kept.last, last.name.utf8.elementsEqual(next.name.utf8), last.value.utf8.elementsEqual(next.value.utf8) { return }
            kept.append(next)
        }
    }

    /// The number of bytes searched for a sign of an event. The attributes usually come first.
    private static let searchedBytes = 4_096

    private static func looksStructured(_ body: [UInt8]) -> Bool {
        let start = String(decoding: body.prefix(searchedBytes), as: UTF8.self)
        return start.contains("\"specversion\"")
    }
}
