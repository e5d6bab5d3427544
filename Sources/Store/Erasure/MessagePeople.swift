import TidingsCore
import TidingsJSON

/// The people that the bytes of a message name as recipients: an event in any mode of CloudEvents, a batch of events, or a pack.
///
/// In each form an object names people by `recipient` or `recipients`, and their tenant by `tenant`. A tenant that is not named is the
/// default tenant. People in other members, such as the data of a type, are not recipients.
enum MessagePeople {
    /// A message without some of its people.
    enum Removal: Sendable, Equatable {
        /// The message names none of them.
        case unnamed
        /// The message for its other people. The bytes name none of the removed people, also not in another member.
        case rest([UInt8])
        /// Nothing of the message can stay.
        case nothing
    }

    /// The recipients of a message. Empty if the message cannot be read.
    static func recipients(of bytes: [UInt8]) -> Set<RecipientKey> {
        var found: Set<RecipientKey> = []
        for part in parts(of: bytes) {
            guard let json = try? JSON.parse(bytes[part], limits: .pack) else { continue }
            for holder in holders(in: json) { found.formUnion(holder.people) }
        }
        return found
    }

    /// Removes people from a message.
    ///
    /// - A person alone in an event, or an entry of a pack, takes the event or the entry along.
    /// - An event that cannot be read is removed if it has the id of one of them as a string. Its tenant is not known.
    /// - The rest of an event or pack is removed as well if it still has the id of a removed person, such as in its data.
    static func removing(_ people: Set<RecipientKey>, from bytes: [UInt8]) -> Removal {
        guard !people.isEmpty else { return .unnamed }
        let parts = parts(of: bytes)
        let isBatch = parts.count != 1 || parts[0].lowerBound > 0
        var kept: [[UInt8]] = []
        var isChanged = false
        for part in parts {
            switch removing(people, fromPart: Array(bytes[part])) {
            case .unnamed: kept.append(Array(bytes[part]))
            case .rest(let rest):
                isChanged = true
                kept.append(rest)
            case .nothing: isChanged = true
            }
        }
        guard isChanged else { return .unnamed }
        if kept.isEmpty { return .nothing }
        guard isBatch else { return .rest(kept[0]) }
        return .rest([UInt8(ascii: "[")] + Array(kept.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")])
    }

    /// Whether bytes have the id of one of these people as a JSON string, at any place.
    static func mayName(_ people: Set<RecipientKey>, in bytes: [UInt8]) -> Bool {
        people.contains { bytes.firstRange(of: JSON.string($0.id).serializedBytes) != nil }
    }

    /// The events of a batch. Any other message is one part.
    private static func parts(of bytes: [UInt8]) -> [Range<Int>] {
        let batch = try? JSON.splitArray(bytes, maximumElements: JSONLimits.standard.maximumNodes)
        return batch ?? [bytes.startIndex..<bytes.endIndex]
    }

    private static func removing(_ people: Set<RecipientKey>, fromPart bytes: [UInt8]) -> Removal {
        guard let json = try? JSON.parse(bytes, limits: .pack) else { return mayName(people, in: bytes) ? .nothing : .unnamed }
        let named = people.intersection(holders(in: json).flatMap(\.people))
        if named.isEmpty { return .unnamed }
        guard let rest = rest(of: json, without: named), !mentions(named, in: withoutNames(rest)) else { return .nothing }
        return .rest(rest.serializedBytes)
    }

    // MARK: Objects that name people

    /// An object that names recipients, with the tenant that is in force for it.
    private struct Holder {
        let object: JSONObject
        let tenant: String

        init(_ object: JSONObject, in outer: JSONObject? = nil) {
            self.object = object
            let named = [object["tenant"], outer?["tenant"]].lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty }
            tenant = named ?? Intent.defaultTenant
        }

        var people: [RecipientKey] {
            ([object["recipient"], object["recipients"]].compactMap { $0 }).flatMap { $0.arrayValue ?? [$0] }.compactMap(person)
        }

        func person(_ json: JSON) -> RecipientKey? {
            MessagePeople.name(json).map { RecipientKey(tenant: tenant, id: $0) }
        }
    }

    /// A refused event may name a person by a number.
    private static func name(_ json: JSON) -> String? {
        switch json {
        case .string(let text): text
        case .number(let number): number.exact.canonicalText
        case .null, .bool, .array, .object: nil
        }
    }

    private static func holders(in json: JSON) -> [Holder] {
        guard let outer = unwrapped(json).objectValue else { return [] }
        if let entries = outer["entries"]?.arrayValue { return entries.compactMap { $0.objectValue.map { Holder($0) } } }
        return [Holder(outer)] + (outer["data"].map(unwrapped)?.objectValue.map { [Holder($0, in: outer)] } ?? [])
    }

    /// The document that a string holds, else the value itself. Some producers encode an event or its data twice.
    private static func unwrapped(_ json: JSON) -> JSON {
        guard case .string(let text) = json, let document = try? JSON.parse(text, limits: .pack) else { return json }
        return document
    }

    /// Nil if no recipient is left, or if the people stand in a string.
    private static func rest(of json: JSON, without people: Set<RecipientKey>) -> JSON? {
        guard var outer = json.objectValue else { return nil }
        if let entries = outer["entries"]?.arrayValue {
            let kept = entries.filter { entry in entry.objectValue.map { people.isDisjoint(with: Holder($0).people) } ?? false }
            outer["entries"] = .array(kept)
            return kept.isEmpty ? nil : .object(outer)
        }
        guard var kept = rest(of: Holder(outer), without: people) else { return nil }
        if let data = outer["data"]?.objectValue {
            guard let inner = rest(of: Holder(data, in: outer), without: people) else { return nil }
            kept["data"] = .object(inner)
        } else if let data = outer["data"].map(unwrapped)?.objectValue, !people.isDisjoint(with: Holder(data, in: outer).people) {
            return nil
        }
        return .object(kept)
    }

    /// Nil if the object named people and no one of them is left.
    private static func rest(of holder: Holder, without people: Set<RecipientKey>) -> JSONObject? {
        var object = holder.object
        for member in ["recipient", "recipients"] {
            guard let value = object[member] else { continue }
            let names = value.arrayValue ?? [value]
            let kept = names.filter { name in holder.person(name).map { !people.contains($0) } ?? true }
            guard kept.count < names.count else { continue }
            guard !kept.isEmpty else { return nil }
            object[member] = .array(kept)
        }
        return object
    }

    /// The message without its recipients. Another tenant may have a person of the same id.
    private static func withoutNames(_ json: JSON) -> JSON {
        func bare(_ object: JSONObject) -> JSONObject {
            var object = object
            object["recipient"] = nil
            object["recipients"] = nil
            return object
        }
        guard var outer = json.objectValue.map(bare) else { return json }
        if let entries = outer["entries"]?.arrayValue {
            outer["entries"] = .array(entries.map { entry in entry.objectValue.map { JSON.object(bare($0)) } ?? entry })
        } else if let data = outer["data"]?.objectValue {
            outer["data"] = .object(bare(data))
        }
        return .object(outer)
    }

    /// Whether a text, a number or the name of a member is the id of one of these people.
    private static func mentions(_ people: Set<RecipientKey>, in json: JSON) -> Bool {
        func isOne(_ text: String) -> Bool { people.contains { isSameText($0.id, text) } }
        return switch json {
        case .null, .bool: false
        case .string, .number: name(json).map(isOne) ?? false
        case .array(let elements): elements.contains { mentions(people, in: $0) }
        case .object(let object): object.entries.contains { isOne($0.key) || mentions(people, in: $0.value) }
        }
    }
}
