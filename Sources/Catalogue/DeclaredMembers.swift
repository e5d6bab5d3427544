import TidingsCore
import TidingsJSON
import TidingsJSONSchema

/// The members of `data` that a type's schema declares, as far as they can be read without an instance.
///
/// A member is declared when `properties` or `required` names it, at the top of the schema or in a subschema that judges the same object.
///
/// Such subschemas are under `allOf`, `anyOf`, `oneOf`, `if`, `then`, `else` and `dependentSchemas`, or behind a `$ref` within the
/// document. `dependentRequired` declares the members that it names as well. A misspelt keyword, which the schema's compiler reports,
/// counts as the nearest one.
struct DeclaredMembers {
    /// The schema of each declared member; nil when only `required` names the member.
    private(set) var schemas: [String: JSON?] = [:]
    /// The members that every valid object has.
    private(set) var required: Set<String> = []
    /// True if the schema describes further members in a way that names none, such as `patternProperties`.
    private(set) var isOpen = false

    var names: [String] { schemas.keys.sorted() }
    func declares(_ name: String) -> Bool { schemas[name] != nil }

    init(of schema: JSON) {
        var reader = DeclaredMembersReader(root: schema)
        self = reader.read(schema, depth: 0)
    }

    fileprivate init() {}

    fileprivate mutating func declare(_ name: String, _ schema: JSON?) {
        // The first schema of a member counts: later ones only narrow the member.
        if schemas[name] == nil || schemas[name] == .some(nil) { schemas[name] = .some(schema) }
    }

    fileprivate mutating func require(_ name: String) {
        declare(name, nil)
        required.insert(name)
    }

    fileprivate mutating func open() { isOpen = true }

    /// Adds the members that another subschema declares for the same object. `always` is false for a subschema that may not apply.
    fileprivate mutating func merge(_ other: DeclaredMembers, always: Bool) {
        for (name, schema) in other.schemas { declare(name, schema) }
        if always { required.formUnion(other.required) }
        isOpen = isOpen || other.isOpen
    }

    fileprivate mutating func requireAll(_ names: Set<String>) { required.formUnion(names) }
}

/// Walks a schema once. A reference that was followed is remembered, so that cycles end and the work grows with the document.
private struct DeclaredMembersReader {
    let root: JSON
    private var followed: [String: DeclaredMembers] = [:]

    /// The deepest level of subschemas that is read. No catalogue nests that deep, and it is far below the limit of a thread's stack.
    private static let deepest = 64

    init(root: JSON) { self.root = root }

    mutating func read(_ schema: JSON, depth: Int) -> DeclaredMembers {
        var members = DeclaredMembers()
        guard let object = schema.objectValue.map(Self.spelt) else { return members }
        guard depth < Self.deepest else {
            members.open()
            return members
        }
        for (name, property) in entries(object["properties"]) { members.declare(name, property) }
        for name in texts(object["required"]) { members.require(name) }
        for (_, names) in entries(object["dependentRequired"]) { for name in texts(names) { members.declare(name, nil) } }
        if !entries(object["patternProperties"]).isEmpty || object["additionalProperties"]?.objectValue != nil
            || object["unevaluatedProperties"]?.objectValue != nil || object["$dynamicRef"] != nil || object["const"] != nil
            || object["enum"] != nil
        {
            members.open()
        }
        if let reference = object["$ref"]?.stringValue { members.merge(follow(reference, depth: depth), always: true) }
        for subschema in object["allOf"]?.arrayValue ?? [] { members.merge(read(subschema, depth: depth + 1), always: true) }
        for keyword in ["anyOf", "oneOf"] { readAlternatives(object[keyword]?.arrayValue ?? [], into: &members, depth: depth) }
        for keyword in ["if", "then", "else"] {
            if let subschema = object[keyword] { members.merge(read(subschema, depth: depth + 1), always: false) }
        }
        for (_, subschema) in entries(object["dependentSchemas"]) { members.merge(read(subschema, depth: depth + 1), always: false) }
        return members
    }

    /// Reads alternatives, of which at least one holds. A member that all of them require is required.
    private mutating func readAlternatives(_ alternatives: [JSON], into members: inout DeclaredMembers, depth: Int) {
        var common: Set<String>?
        for alternative in alternatives {
            let own = read(alternative, depth: depth + 1)
            common = common?.intersection(own.required) ?? own.required
            members.merge(own, always: false)
        }
        members.requireAll(common ?? [])
    }

    private mutating func follow(_ reference: String, depth: Int) -> DeclaredMembers {
        if let known = followed[reference] { return known }
        followed[reference] = DeclaredMembers()
        var members = DeclaredMembers()
        if let target = target(of: reference) { members = read(target, depth: depth + 1) } else { members.open() }
        followed[reference] = members
        return members
    }

    /// The subschema that `#` or `#/a/b` names; nil for an anchor or another document's address, which is not followed here.
    private func target(of reference: String) -> JSON? {
        guard reference.hasPrefix("#") else { return nil }
        let pointer = reference.dropFirst()
        guard pointer.isEmpty || (pointer.hasPrefix("/") && !pointer.contains("%")) else { return nil }
        var found: JSON? = root
        for segment in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let name = segment.replacing("~1", with: "/").replacing("~0", with: "~")
            if let elements = found?.arrayValue {
                found = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                found = found?[String(name)]
            }
        }
        return found
    }

    /// Returns the keywords of a schema by their names.
    private static func spelt(_ schema: JSONObject) -> [String: JSON] {
        let known = JSONSchema.supportedKeywords
        var keywords = Dictionary(schema.entries.map { ($0.key, $0.value) }) { first, _ in first }
        for entry in schema.entries where !known.contains(entry.key) && !entry.key.hasPrefix("x-") {
            guard let nearest = NearestName.of(entry.key, among: known), keywords[nearest] == nil else { continue }
            keywords[nearest] = entry.value
        }
        return keywords
    }

    private func entries(_ value: JSON?) -> [(String, JSON)] { value?.objectValue?.entries.map { ($0.key, $0.value) } ?? [] }

    private func texts(_ value: JSON?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }
}
