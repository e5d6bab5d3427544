public import TidingsCore
import TidingsJSON

/// The losses of producers by a change of the catalogue: intents that are no longer accepted, and channels that no provider carries any
/// more.
public struct BreakingChanges: Sendable, Hashable {
    /// One sentence for each, types by name first. Empty when everything that was accepted still is.
    public let sentences: [String]
    /// Changes of schemas that cannot be judged here, such as another `oneOf`.
    public let unclear: [String]

    public init(from old: Catalogue, to new: Catalogue) {
        var (breaking, unclear): ([String], [String]) = ([], [])
        for (name, before) in old.types.sorted(by: { $0.key < $1.key }) {
            guard let after = new.types[name] else {
                breaking.append("type \(name): is gone; its intents are refused as unknownType")
                continue
            }
            if before.allowsCritical, !after.allowsCritical { breaking.append("type \(name): critical is not allowed any more") }
            guard before.schemaJSON != after.schemaJSON else { continue }
            var comparison = SchemaComparison()
            comparison.compare(Self.schema(before), Self.schema(after), at: "data")
            breaking += comparison.narrowed.map { "type \(name): \($0)" }
            unclear += comparison.unclear.map { "type \(name): \($0)" }
        }
        for (name, market) in old.markets.sorted(by: { $0.key < $1.key }) {
            for channel in Channel.allCases where market.providers[channel]?.isEmpty == false {
                if let after = new.markets[name], after.providers[channel]?.isEmpty != false {
                    breaking.append("market \(name): no provider carries \(channel.rawValue) any more")
                }
            }
        }
        for name in CatalogueRemovals(from: old, to: new).providers { breaking.append("provider \(name): is gone or changes its channel") }
        for name in CatalogueRemovals(from: old, to: new).markets { breaking.append("market \(name): is gone") }
        breaking += Self.tenants(from: old, to: new)
        (sentences, self.unclear) = (breaking, unclear)
    }

    private static func schema(_ type: NotificationType) -> JSON {
        type.schemaJSON.flatMap { try? JSON.parse($0) } ?? .object(JSONObject())
    }

    private static func tenants(from old: Catalogue, to new: Catalogue) -> [String] {
        if new.producers.isEmpty { return [] }
        if old.producers.isEmpty { return ["producers: a user that is not listed may only name the tenant \(Intent.defaultTenant)"] }
        return old.producers.sorted { $0.key < $1.key }.compactMap { name, producer in
            let rights = new.rights(of: name)
            let tenants = producer.tenants.filter { !rights.allows(tenant: $0) }.sorted().map { "name tenant \($0)" }
            let sources = producer.sources.filter { !rights.allows(source: $0) }.sorted().map { "send from \($0)" }
            let lost = tenants + sources
            return lost.isEmpty ? nil : "producer \(name): may not \(lost.joined(separator: ", ")) any more"
        }
    }
}

/// The comparison of two schemas of the same value, keyword by keyword.
private struct SchemaComparison {
    var narrowed: [String] = []
    var unclear: [String] = []

    /// Keywords that cannot make a valid value invalid.
    private static let annotations: Set = [
        "$schema", "$id", "$comment", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples",
        "contentEncoding",
        "contentMediaType", "contentSchema",
    ]
    /// Keywords that ``compare(_:_:at:)`` judges by themselves.
    private static let judged: Set = ["type", "enum", "const", "required", "properties", "additionalProperties", "items"]
    /// Keywords with an upper limit. A larger number makes more values valid.
    private static let ceilings: Set = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"]
    /// Keywords with a lower limit. A smaller number makes more values valid.
    private static let floors: Set = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"]

    /// Recursion ends with the schema's own nesting, which the compiler bounds.
    mutating func compare(_ old: JSON, _ new: JSON, at path: String) {
        if old == new || new == true || old == false { return }
        guard let before = old == true ? JSONObject() : old.objectValue, let after = new.objectValue else {
            return narrowed.append("\(path): nothing is valid any more")
        }
        compareTypes(before, after, at: path)
        compareMembers(before, after, at: path)
        if after["items"] != nil, before["items"] != after["items"] {
            compare(before["items"] ?? true, after["items"] ?? true, at: "\(path)[]")
        }
        for (keyword, value) in after.entries.map({ ($0.key, $0.value) }) {
            if Self.judged.contains(keyword) || Self.annotations.contains(keyword) || keyword.hasPrefix("x-") { continue }
            compareOther(keyword, before[keyword], value, at: path)
        }
    }

    private mutating func compareTypes(_ old: JSONObject, _ new: JSONObject, at path: String) {
        if let after = Self.types(new) {
            let before = Self.types(old) ?? Self.allTypes
            // Keep integers out of the losses, because every integer is a number.
            let lost = before.filter { !after.contains($0) && !($0 == "integer" && after.contains("number")) }
            if !lost.isEmpty { narrowed.append("\(path): was \(Self.list(before)), is \(Self.list(after))") }
        }
        let (before, after) = (Self.values(old), Self.values(new))
        if let after, let before {
            let lost = before.filter { !after.contains($0) }
            if !lost.isEmpty { narrowed.append("\(path): \(lost.map(\.serialized).joined(separator: ", ")) is no value any more") }
        } else if after != nil {
            narrowed.append("\(path): only listed values are valid now")
        }
    }

    private mutating func compareMembers(_ old: JSONObject, _ new: JSONObject, at path: String) {
        let (requiredBefore, requiredAfter) = (Self.texts(old["required"]), Self.texts(new["required"]))
        for name in requiredAfter where !requiredBefore.contains(name) { narrowed.append("\(path).\(name): is required now") }
        let (before, after) = (old["properties"]?.objectValue ?? JSONObject(), new["properties"]?.objectValue ?? JSONObject())
        // The schema of a member without an entry of its own.
        let (othersBefore, othersAfter) = (old["additionalProperties"] ?? true, new["additionalProperties"] ?? true)
        for name in Set(before.keys).union(after.keys).sorted() {
            let (one, other) = (before[name] ?? othersBefore, after[name] ?? othersAfter)
            if before[name] != nil, after[name] == nil, othersAfter == false {
                narrowed.append("\(path).\(name): is not allowed any more")
            } else {
                compare(one, other, at: "\(path).\(name)")
            }
        }
        if othersAfter == false, othersBefore != false {
            narrowed.append("\(path): members that the schema does not name are not allowed any more")
        } else {
            compare(othersBefore, othersAfter, at: "\(path).*")
        }
    }

    private mutating func compareOther(_ keyword: String, _ old: JSON?, _ new: JSON, at path: String) {
        if old == new { return }
        if Self.ceilings.contains(keyword) || Self.floors.contains(keyword) {
            let (before, after) = (old?.doubleValue, new.doubleValue ?? 0)
            let isNarrower = before.map { Self.ceilings.contains(keyword) ? after < $0 : after > $0 } ?? true
            if isNarrower { narrowed.append("\(path): \(keyword) \(old?.serialized ?? "none") → \(new.serialized)") }
        } else if ["pattern", "format", "multipleOf"].contains(keyword) {
            narrowed.append("\(path): \(keyword) \(old?.serialized ?? "none") → \(new.serialized)")
        } else {
            unclear.append("\(path): \(keyword) is \(old == nil ? "new" : "another")")
        }
    }

    private static let allTypes = ["array", "boolean", "null", "number", "object", "string"]

    private static func types(_ schema: JSONObject) -> [String]? {
        switch schema["type"] {
        case .string(let type)?: [type]
        case .array(let types)?: types.compactMap(\.stringValue)
        default: nil
        }
    }

    /// The only values that are valid; nil where the schema lists none.
    private static func values(_ schema: JSONObject) -> [JSON]? { schema["const"].map { [$0] } ?? schema["enum"]?.arrayValue }

    private static func texts(_ value: JSON?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }

    private static func list(_ types: [String]) -> String { types.count == allTypes.count ? "anything" : types.joined(separator: " or ") }
}
