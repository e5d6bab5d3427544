import TidingsCore
import TidingsJSON

/// The error for a message whose bytes are not a pack. The message is set aside as `undecodablePack`, and nothing of it is sent.
public struct PackDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// JSON Pointer (RFC 6901) to the value that is wrong; empty for the whole message.
    public let pointer: String
    public let message: String

    public var description: String {
        pointer.isEmpty ? message : "\(pointer): \(message)"
    }
}

extension Pack {
    /// Reads a pack in the form that ``encode()`` writes.
    ///
    /// Members that this version does not know are ignored, so that a newer router may add one while older workers still run. A pack of
    /// more than ``maximumEntries`` entries or none is refused.
    public static func decode(_ bytes: [UInt8]) throws(PackDecodingError) -> Pack {
        let document: JSON
        do {
            document = try JSON.parse(bytes, limits: .pack)
        } catch {
            throw PackDecodingError(pointer: error.pointer, message: error.message)
        }
        var members = try PackMembers(document, at: "")
        let id = try members.identifier("id")
        let channel: Channel = try members.word("channel")
        let provider = try members.text("provider")
        let lane: Lane = try members.word("lane")
        guard case .array(let elements)? = members.next("entries") else { throw members.problem("entries", "must be an array") }
        guard !elements.isEmpty, elements.count <= maximumEntries else {
            throw members.problem("entries", "must hold 1 to \(maximumEntries) entries, not \(elements.count)")
        }
        var entries: [PackEntry] = []
        entries.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            entries.append(try PackEntry(element, index: index))
        }
        return Pack(id: id, channel: channel, provider: provider, lane: lane, entries: entries)
    }
}

extension PackEntry {
    fileprivate convenience init(_ json: JSON, index: Int) throws(PackDecodingError) {
        var members = try PackMembers(json, at: "/entries/\(index)")
        let (id, ordinal) = (try members.identifier("notificationID"), try members.integer("ordinal", atLeast: 0))
        let (attempt, tenant) = (try members.integer("attempt", atLeast: 1), try members.text("tenant"))
        let (recipient, type) = (try members.text("recipient"), try members.text("type"))
        let category: Category = try members.word("category")
        var content = Content()
        for field in Content.Field.shown { content[field] = try members.optionalText(field.rawValue) }
        content.data = try members.object("data")
        let endpoint = try members.optionalText("endpoint")
        for field in Content.Field.keys { content[field] = try members.optionalText(field.rawValue) }
        let (traceparent, createdAt) = (try members.optionalText("traceparent"), try members.time("createdAt"))
        let (decidedAt, validUntil) = (try members.time("decidedAt"), try members.time("validUntil"))
        let header = DeliveryHeader(
            notificationID: id, ordinal: ordinal, attempt: attempt, tenant: tenant, recipient: recipient, type: type, category: category,
            createdAt: createdAt, traceparent: traceparent, expiresAt: try members.time("expiresAt"))
        self.init(
            header: header, content: content, endpoint: endpoint, decidedAt: decidedAt, validUntil: validUntil,
            escalates: try members.flag("escalates"), hasStandby: try members.flag("hasStandby"),
            waitsForProvider: try members.flag("waitsForProvider"))
    }
}

/// Reads members of an object in the order in which they were written, which is nearly always the order of the calls. A member at another
/// place is found as well.
private struct PackMembers {
    private let object: JSONObject
    private let pointer: String
    private var position = 0

    init(_ json: JSON, at pointer: String) throws(PackDecodingError) {
        guard case .object(let object) = json else { throw PackDecodingError(pointer: pointer, message: "must be an object") }
        self.object = object
        self.pointer = pointer
    }

    mutating func next(_ key: String) -> JSON? {
        if position < object.entries.count, object.entries[position].key == key {
            position += 1
            return object.entries[position - 1].value
        }
        return object[key]
    }

    mutating func text(_ key: String) throws(PackDecodingError) -> String {
        guard case .string(let text)? = next(key) else { throw problem(key, "must be a string") }
        return text
    }

    mutating func optionalText(_ key: String) throws(PackDecodingError) -> String? {
        switch next(key) {
        case nil: return nil
        case .string(let text)?: return text
        default: throw problem(key, "must be a string")
        }
    }

    /// Returns an object as JSON text.
    mutating func object(_ key: String) throws(PackDecodingError) -> String {
        guard let value = next(key), case .object = value else { throw problem(key, "must be an object") }
        return value.serialized
    }

    /// Returns false when the member is absent.
    mutating func flag(_ key: String) throws(PackDecodingError) -> Bool {
        switch next(key) {
        case nil: return false
        case .bool(let value)?: return value
        default: throw problem(key, "must be true or false")
        }
    }

    mutating func integer(_ key: String, atLeast minimum: Int) throws(PackDecodingError) -> Int {
        guard let value = next(key)?.intValue, value >= minimum else { throw problem(key, "must be an integer of at least \(minimum)") }
        return value
    }

    mutating func identifier(_ key: String) throws(PackDecodingError) -> NotificationID {
        guard case .string(let text)? = next(key), let id = NotificationID(text) else { throw problem(key, "must be a UUID of version 7") }
        return id
    }

    mutating func time(_ key: String) throws(PackDecodingError) -> Timestamp {
        guard case .string(let text)? = next(key), let time = Timestamp(rfc3339: text) else {
            throw problem(key, "must be a date-time of RFC 3339")
        }
        return time
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(_ key: String) throws(PackDecodingError) -> Word
    where Word.RawValue == String {
        guard case .string(let text)? = next(key), let word = Word(rawValue: text) else {
            throw problem(key, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    func problem(_ key: String, _ message: String) -> PackDecodingError {
        PackDecodingError(pointer: "\(pointer)/\(key)", message: message)
    }
}
