import Synchronization
import TidingsCatalogue
package import TidingsJSON
package import TidingsJSONSchema
import TidingsStore

/// The contract of the HTTP API, `schemas/openapi.yaml`, for tests of the contract and of real answers.
package final class OpenAPIDocument: Sendable {
    package let root: JSON
    /// In the order of the file, without those of modules that this binary lacks.
    package let operations: [Operation]
    private let definitions: JSONObject
    private let closedDefinitions: JSON
    /// Compiled schemas by their text: answers of many operations share one.
    private let compiled = Mutex<[String: JSONSchema]>([:])

    package struct Operation: Sendable {
        /// In upper case.
        package let method: String
        /// With `{name}` for a parameter.
        package let path: String
        package let id: String
        package let body: JSON
        /// Of the path and of the operation, references followed.
        package let parameters: [JSON]
        /// By status, references followed.
        package let responses: [Int: JSON]
    }

    /// The document of this repository, read once.
    package static func standard() throws -> OpenAPIDocument { try shared.get() }

    private static let shared = Result { try OpenAPIDocument(yaml: SchemaFiles.text("openapi.yaml")) }

    init(yaml: String) throws {
        root = try YAMLDocument.json(yaml)
        let schemas = root["components"]?["schemas"]?.objectValue ?? JSONObject()
        definitions = schemas
        var closed = JSONObject()
        for entry in schemas.entries { closed[entry.key] = Self.closing(entry.value, isPlace: false, definitions: schemas) }
        closedDefinitions = .object(closed)
        operations = try Self.operations(of: root)
    }

    /// The tags of the API itself. Any other tag is the name of a module.
    private static let tags: Set = [
        "Intents", "Recipients", "Callbacks", "Inbox", "Realtime", "Preferences", "Devices", "Engagement", "Service",
    ]

    private static func isPart(_ operation: JSON) -> Bool {
        guard let tag = operation["tags"]?.arrayValue?.first?.stringValue, !tags.contains(tag) else { return true }
        return TestSystem.parts.contains { $0.module == tag.lowercased() }
    }

    private static let methods: Set = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]

    private static func operations(of root: JSON) throws -> [Operation] {
        var operations: [Operation] = []
        for path in root["paths"]?.objectValue?.entries ?? [] {
            let shared = path.value["parameters"]?.arrayValue ?? []
            for entry in path.value.objectValue?.entries ?? [] where methods.contains(entry.key) && isPart(entry.value) {
                var responses: [Int: JSON] = [:]
                for response in entry.value["responses"]?.objectValue?.entries ?? [] {
                    guard let status = Int(response.key) else {
                        throw Fault(text: "\(entry.key) \(path.key): \(response.key) is no status")
                    }
                    responses[status] = try follow(response.value, in: root)
                }
                guard let id = entry.value["operationId"]?.stringValue else {
                    throw Fault(text: "\(entry.key) \(path.key) has no operationId")
                }
                let parameters = try (shared + (entry.value["parameters"]?.arrayValue ?? [])).map { try follow($0, in: root) }
                operations.append(
                    Operation(
                        method: entry.key.uppercased(), path: path.key, id: id, body: entry.value, parameters: parameters,
                        responses: responses))
            }
        }
        return operations
    }

    /// A fault of the document itself.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        let text: String

        package var description: String { "openapi.yaml: \(text)" }
    }

    // MARK: References

    /// The value that a reference leads to, through any number of references. A value that is no reference leads to itself.
    package func follow(_ value: JSON) throws -> JSON { try Self.follow(value, in: root) }

    private static func follow(_ value: JSON, in root: JSON) throws -> JSON {
        guard let reference = value["$ref"]?.stringValue else { return value }
        guard reference.hasPrefix("#/") else { throw Fault(text: "\(reference) leaves the document") }
        var target: JSON? = root
        for segment in reference.dropFirst(2).split(separator: "/") { target = target?[String(segment)] }
        guard let target else { throw Fault(text: "\(reference) leads nowhere") }
        return try follow(target, in: root)
    }

    // MARK: Schemas

    /// Compiles a schema of the document. A member that the schema does not list is a fault, although clients must ignore such members.
    package func schema(_ schema: JSON) throws -> JSONSchema {
        let key = schema.serialized
        if let known = compiled.withLock({ $0[key] }) { return known }
        var document = Self.closing(schema, isPlace: true, definitions: definitions).objectValue ?? JSONObject()
        document["$defs"] = closedDefinitions
        let made = try JSONSchema(.object(document), assertFormats: true)
        compiled.withLock { $0[key] = made }
        return made
    }

    /// A schema of OpenAPI as one of JSON Schema, with references to `$defs`, that refuses members that it does not list.
    ///
    /// Only a place is closed: the whole value, a member, an element. The branches of `allOf`, `anyOf` and `oneOf` describe one place
    /// together, so a branch alone must not refuse the members of another branch. A schema without `properties` stays open: it describes a
    /// map. A schema with `additionalProperties` says itself what else there may be.
    private static func closing(_ schema: JSON, isPlace: Bool, definitions: JSONObject) -> JSON {
        guard let object = schema.objectValue else { return schema }
        func closed(_ schema: JSON, isPlace: Bool) -> JSON { closing(schema, isPlace: isPlace, definitions: definitions) }
        var result = JSONObject()
        for entry in object.entries {
            switch entry.key {
            case "$ref":
                let name = entry.value.stringValue?.split(separator: "/").last ?? ""
                result["$ref"] = .string("#/$defs/\(name)")
            case "properties", "patternProperties":
                var members = JSONObject()
                for member in entry.value.objectValue?.entries ?? [] { members[member.key] = closed(member.value, isPlace: true) }
                result[entry.key] = .object(members)
            case "items", "additionalProperties": result[entry.key] = closed(entry.value, isPlace: true)
            case "allOf", "anyOf", "oneOf":
                result[entry.key] = .array((entry.value.arrayValue ?? []).map { closed($0, isPlace: false) })
            // An annotation of OpenAPI. It has no effect on a verdict.
            case "example": break
            default: result[entry.key] = entry.value
            }
        }
        if isPlace, listsMembers(schema, definitions, depth: 0) { result["unevaluatedProperties"] = .bool(false) }
        return .object(result)
    }

    private static func listsMembers(_ schema: JSON, _ definitions: JSONObject, depth: Int) -> Bool {
        guard depth < 16 else { return false }
        if schema["properties"] != nil { return true }
        if let name = schema["$ref"]?.stringValue?.split(separator: "/").last, let target = definitions[String(name)] {
            return listsMembers(target, definitions, depth: depth + 1)
        }
        return ["allOf", "anyOf", "oneOf"].contains { key in
            (schema[key]?.arrayValue ?? []).contains { listsMembers($0, definitions, depth: depth + 1) }
        }
    }
}
