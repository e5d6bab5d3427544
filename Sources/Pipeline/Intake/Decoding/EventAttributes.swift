import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsEncodings
import TidingsJSON

/// The CloudEvents attributes of one event, checked.
struct EventAttributes {
    let id: String
    let source: String
    let type: String
    let time: Timestamp?
    let traceparent: String?
    /// The event's `data`: the request to Tidings.
    let data: JSONObject

    static let specVersion = "1.0"

    init(_ event: JSONObject, limits: IntentLimits) throws(EventProblem) {
        var found = Found()
        for entry in event.entries where !entry.value.isNull {
            try found.take(entry)
        }
        guard let version = found.specversion else { throw EventProblem(.missingAttribute, "/specversion", "specversion is missing") }
        guard version.stringValue == EventAttributes.specVersion else {
            throw EventProblem(.unsupportedSpecVersion, "/specversion", "specversion must be the string \"1.0\"")
        }
        id = try EventAttributes.text(found.id, "id", atMost: limits.maximumIDBytes)
        source = try EventAttributes.text(found.source, "source", atMost: limits.maximumSourceBytes)
        guard source.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw EventProblem(.invalidAttribute, "/source", "source must be a URI reference, without spaces and control characters")
        }
        type = try EventAttributes.text(found.type, "type", atMost: CatalogueNames.longestType)
        time = try found.time.map { value throws(EventProblem) in
            guard let time = value.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else {
                throw EventProblem(.invalidAttribute, "/time", "time must be an RFC 3339 date-time with its offset")
            }
            return time
        }
        if let contentType = found.datacontenttype, contentType != "", contentType.stringValue.map(MediaType.isJSON) != true {
            throw EventProblem(.unsupportedContentType, "/datacontenttype", "datacontenttype must be application/json")
        }
        for entry in found.misplaced { try EventAttributes.checkPlace(of: entry, beside: found.data) }
        if found.hasBinaryData { throw EventProblem(.invalidAttribute, "/data_base64", "data must be a JSON object, not data_base64") }
        guard let data = found.data else { throw EventProblem(.missingAttribute, "/data", "data is missing") }
        guard case .object(let object) = data else {
            throw EventProblem(.invalidAttribute, "/data", "data must be a JSON object, not \(data.typeName)")
        }
        self.data = object
        traceparent = found.traceparent?.stringValue.flatMap { TraceParent.validated($0) }
    }

    private static func text(_ value: JSON?, _ name: String, atMost limit: Int) throws(EventProblem) -> String {
        guard let value else { throw EventProblem(.missingAttribute, "/\(name)", "\(name) is missing") }
        guard case .string(let text) = value else { throw EventProblem(.invalidAttribute, "/\(name)", "\(name) must be a string") }
        guard !text.isEmpty else { throw EventProblem(.missingAttribute, "/\(name)", "\(name) is empty") }
        guard text.utf8.count <= limit else {
            throw EventProblem(.invalidAttribute, "/\(name)", "\(name) has \(text.utf8.count) bytes; at most \(limit) are allowed")
        }
        return text
    }

    /// The attributes by name, before they are checked.
    private struct Found {
        var specversion: JSON?
        var id: JSON?
        var source: JSON?
        var type: JSON?
        var time: JSON?
        var datacontenttype: JSON?
        var data: JSON?
        var hasBinaryData = false
        var traceparent: JSON?
        /// Attributes that have the name of a member of `data`.
        var misplaced: [JSONObject.Entry] = []

        mutating func take(_ entry: JSONObject.Entry) throws(EventProblem) {
            switch entry.key {
            case "specversion": specversion = entry.value
            case "id": id = entry.value
            case "source": source = entry.value
            case "type": type = entry.value
            case "time": time = entry.value
            case "datacontenttype": datacontenttype = entry.value
            case "data": data = entry.value
            case "data_base64": hasBinaryData = true
            case "traceparent": traceparent = entry.value
            default:
                try EventAttributes.checkExtension(entry)
                if EventAttributes.membersOfData[entry.key] != nil { misplaced.append(entry) }
            }
        }
    }

    /// Refuses a name or a value that CloudEvents does not allow. Other extensions are ignored. Without this check, `scheduledFor` beside
    /// `data` instead of inside it would be dropped in silence, and the notification would be sent at once.
    private static func checkExtension(_ entry: JSONObject.Entry) throws(EventProblem) {
        let name = entry.key
        let isAllowed = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        func belongsInData() -> String { membersOfData[name.lowercased()] != nil ? "; it belongs inside data" : "" }
        guard isAllowed, !name.isEmpty else {
            throw EventProblem(
                .invalidAttribute, JSONPointer.appending(name, to: ""),
                "\"\(EventProblem.shown(name))\" is not the name of an attribute: only lower-case letters and digits\(belongsInData())")
        }
        switch entry.value {
        case .array, .object:
            throw EventProblem(
                .invalidAttribute, JSONPointer.appending(name, to: ""),
                "\"\(EventProblem.shown(name))\" must be a string, a number or a boolean, not \(entry.value.typeName)\(belongsInData())")
        case .null, .bool, .number, .string: break
        }
    }

    /// The members of `data` by their names in lower case, the only form of a name that an attribute can have.
    private static let membersOfData = Dictionary(uniqueKeysWithValues: IntentRequest.memberNames.map { ($0.lowercased(), $0) })

    /// Refuses a member of `data` that stands beside `data`. An ignored `tenant` or `channels` would send to other people, or in another
    /// way. A producer may repeat a member beside `data`, with the same value, for consumers that read only attributes.
    private static func checkPlace(of entry: JSONObject.Entry, beside data: JSON?) throws(EventProblem) {
        guard let member = membersOfData[entry.key], data?[member] != entry.value else { return }
        throw EventProblem(
            .invalidAttribute, JSONPointer.appending(entry.key, to: ""),
            "\"\(entry.key)\" beside data has no effect: it belongs inside data, as \"\(member)\"")
    }
}
