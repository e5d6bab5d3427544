import TidingsCore
import TidingsEncodings
import TidingsJSON
import TidingsStore
import TidingsWeb

/// Reads the events of a request. Every fault is collected, as by ``BodyReader``.
struct EngagementBody {
    private static let members = ["type", "notificationId", "deviceId", "at", "detail"]

    private var body: BodyReader

    init(_ object: JSONObject) { body = BodyReader(object, known: ["events"]) }

    /// Returns the events in their order. Throws a ``Problem`` if one is not valid: then none is stored.
    mutating func events() throws -> [EngagementEvent] {
        guard let list = body.present("events")?.arrayValue else {
            let isMissing = body.present("events") == nil
            body.refuse("events", isMissing ? "is missing" : "must be an array of events")
            try body.finish()
            return []
        }
        if !(1...APILimits.eventsInRequest).contains(list.count) {
            body.refuse("events", "must have 1 to \(APILimits.eventsInRequest) events")
        }
        var events: [EngagementEvent] = []
        for (index, value) in list.prefix(APILimits.eventsInRequest).enumerated() {
            if let event = event(value, at: index) { events.append(event) }
        }
        try body.finish()
        return events
    }

    /// Nil if the event has no kind: then the body is refused.
    private mutating func event(_ value: JSON, at index: Int) -> EngagementEvent? {
        guard let object = value.objectValue else {
            body.refuse(String(index), in: "/events", "must be an object, not \(value.typeName)")
            return nil
        }
        let place = "/events/\(index)"
        for name in object.keys where !Self.members.contains(where: { isSameText($0, name) }) {
            body.refuse(name, in: place, Problem.unknown("member", name, among: Self.members))
        }
        let words = EngagementEvent.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = text("type", of: object, place, "must be one of \(words)") { EngagementEvent.Kind(rawValue: $0) }
        if kind == nil, object["type"].map(\.isNull) ?? true { body.refuse("type", in: place, "is missing") }
        let notification = text("notificationId", of: object, place, "must be the id of a notification") { NotificationID($0) }
        let device = text("deviceId", of: object, place, "must be the id of a device") { Self.isDeviceID($0) ? $0 : nil }
        let at = text("at", of: object, place, "must be a time of RFC 3339, such as 2026-11-25T07:40:00Z") { text in
            text.utf8.count <= APILimits.timeBytes ? Timestamp(rfc3339: text) : nil
        }
        let detail = detail(of: object, place)
        return kind.map { EngagementEvent($0, notification: notification, device: device, at: at, detail: detail) }
    }

    /// The value of an optional member that is a text. Refuses any other value, and each text that `read` does not take.
    private mutating func text<Value>(
        _ name: String, of object: JSONObject, _ place: String, _ fault: String, read: (String) -> Value?
    ) -> Value? {
        guard let member = object[name], !member.isNull else { return nil }
        if let value = member.stringValue.flatMap(read) { return value }
        body.refuse(name, in: place, fault)
        return nil
    }

    /// The facts beside an event, as canonical JSON. Nil if there are none, or if they are refused.
    private mutating func detail(of object: JSONObject, _ place: String) -> String? {
        guard let member = object["detail"], !member.isNull else { return nil }
        guard let facts = member.objectValue else {
            body.refuse("detail", in: place, "must be an object, not \(member.typeName)")
            return nil
        }
        if facts.count > APILimits.facts { body.refuse("detail", in: place, "must have at most \(APILimits.facts) members") }
        for fact in facts.entries {
            if let fault = Self.fault(of: fact) { body.refuse(fact.key, in: "\(place)/detail", fault) }
        }
        let text = member.canonical().serialized
        if text.utf8.count > APILimits.factBytes {
            body.refuse("detail", in: place, "must have at most \(APILimits.factBytes) bytes as JSON")
        }
        return text
    }

    private static func fault(of fact: JSONObject.Entry) -> String? {
        guard (1...APILimits.factNameCharacters).contains(fact.key.unicodeScalars.count) else {
            return "must have a name of 1 to \(APILimits.factNameCharacters) characters"
        }
        guard let text = fact.value.stringValue else { return "must be a string, not \(fact.value.typeName)" }
        guard text.unicodeScalars.count <= APILimits.factTextCharacters else {
            return "must have at most \(APILimits.factTextCharacters) characters"
        }
        return nil
    }

    /// Whether a text has the form of a device's id, a UUID in lower case. Whether the person has such a device is no fault of the body.
    private static func isDeviceID(_ text: String) -> Bool {
        Hexadecimal.isUUID(text) && !text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
    }
}
