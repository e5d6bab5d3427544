import TidingsCore
import TidingsJSON

/// The error for a message that is no signal of this version. The message is ignored and counted.
public struct SignalDecodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// JSON Pointer (RFC 6901) to the value that is wrong; empty for the whole message.
    public let pointer: String
    public let message: String

    public var description: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}

extension InboxSignal {
    /// Nesting of a signal: the object, its people, a person, a list of ids.
    private static let limits: JSONLimits = {
        var limits = JSONLimits.standard
        limits.maximumDepth = 8
        // A person has two names, a kind and two lists: with every id, 105 values, and some to spare.
        limits.maximumNodes = maximumPeople * (2 * maximumIDs + 16)
        return limits
    }()

    /// Reads a signal in the form that ``messages(for:)`` writes.
    ///
    /// The reading is strict, because nothing is lost with a refused signal: another version, an unknown or missing member, an empty list of
    /// people and anything beyond the limits are refused.
    public static func decode(_ bytes: [UInt8]) throws(SignalDecodingError) -> InboxSignal {
        guard bytes.count <= maximumBytes else { throw refused("", "has \(bytes.count) bytes, more than \(maximumBytes)") }
        let document: JSON
        do {
            document = try JSON.parse(bytes, limits: limits)
        } catch {
            throw refused(error.pointer, error.message)
        }
        guard document["v"]?.intValue == version else { throw refused("/v", "must be \(version)") }
        let members = try SignalMembers(document, at: "", names: ["v", "people"])
        let elements = try members.list("people", atMost: maximumPeople)
        guard !elements.isEmpty else { throw refused("/people", "must hold a person") }
        var people: [Person] = []
        people.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() { people.append(try Person(element, at: "/people/\(index)")) }
        return InboxSignal(people: people)
    }

    fileprivate static func refused(_ pointer: String, _ message: String) -> SignalDecodingError {
        SignalDecodingError(pointer: pointer, message: message)
    }
}

extension InboxSignal.Person {
    fileprivate init(_ json: JSON, at pointer: String) throws(SignalDecodingError) {
        let members = try SignalMembers(json, at: pointer, names: ["tenant", "recipient", "new", "changed", "kind"])
        let (tenant, recipient) = (try members.name("tenant"), try members.name("recipient"))
        let (new, changed) = (try members.ids("new"), try members.ids("changed"))
        self.init(tenant: tenant, recipient: recipient, kind: try members.kind(), new: new, changed: changed)
    }
}

/// The members of an object that has exactly these names.
private struct SignalMembers {
    private let object: JSONObject
    private let pointer: String

    init(_ json: JSON, at pointer: String, names: [String]) throws(SignalDecodingError) {
        guard case .object(let object) = json else { throw InboxSignal.refused(pointer, "must be an object") }
        for name in names where object[name] == nil { throw InboxSignal.refused("\(pointer)/\(name)", "is missing") }
        guard object.entries.count == names.count else { throw InboxSignal.refused(pointer, "has unknown members") }
        self.object = object
        self.pointer = pointer
    }

    func name(_ key: String) throws(SignalDecodingError) -> String {
        guard case .string(let text)? = object[key], InboxSignal.isName(text) else {
            throw InboxSignal.refused("\(pointer)/\(key)", "must be a string of 1 to \(InboxSignal.maximumNameBytes) bytes")
        }
        return text
    }

    func list(_ key: String, atMost limit: Int) throws(SignalDecodingError) -> [JSON] {
        guard case .array(let elements)? = object[key], elements.count <= limit else {
            throw InboxSignal.refused("\(pointer)/\(key)", "must be an array of at most \(limit) elements")
        }
        return elements
    }

    func ids(_ key: String) throws(SignalDecodingError) -> [NotificationID] {
        let elements = try list(key, atMost: InboxSignal.maximumIDs)
        var ids: [NotificationID] = []
        ids.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element, let id = NotificationID(text), id.description == text else {
                throw InboxSignal.refused("\(pointer)/\(key)/\(index)", "must be a UUID of version 7 in lower case")
            }
            ids.append(id)
        }
        return ids
    }

    func kind() throws(SignalDecodingError) -> InboxSignal.Kind {
        guard case .string(let text)? = object["kind"], let kind = InboxSignal.Kind(rawValue: text) else {
            throw InboxSignal.refused(
                "\(pointer)/kind", "must be inbox or the name of a topic, at most \(InboxSignal.Kind.maximumBytes) bytes")
        }
        return kind
    }
}
