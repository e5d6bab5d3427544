import TidingsEncodings
import TidingsJSON

/// A schema document split into parts: every subschema with its place, the resources that `$id` makes, and their anchors.
struct SchemaDocument {
    /// One subschema.
    struct Location {
        let value: JSON
        /// The JSON Pointer from the document's root.
        let pointer: String
        /// The index of the resource it belongs to.
        let resource: Int
    }

    /// A schema with its own identity: the root, and every subschema with `$id`.
    struct Resource {
        let uri: URIReference
        let root: String
        var anchors: [ExactText: Int] = [:]
        var dynamicAnchors: [ExactText: Int] = [:]
    }

    private(set) var locations: [Location] = []
    private(set) var resources: [Resource] = []
    /// The errors in the order found. Values that are no schemas are among the locations, as schemas that allow everything.
    private(set) var errors: [SchemaError] = []
    /// Whether every place that a reference may name is known. If a keyword that names or holds subschemas is itself at fault, a reference
    /// that leads nowhere may only be a consequence.
    private(set) var knowsItsPlaces = true
    private var indexByPointer: [ExactText: Int] = [:]
    private var resourceByURI: [ExactText: Int] = [:]
    private let limits: SchemaLimits

    /// The identity of a document without an `$id`. The name is reserved (RFC 2606), so no document can refer to it.
    private static let anonymous = URIReference(scheme: "https", authority: "schema.invalid", path: "/")

    private static let draft = "https://json-schema.org/draft/2020-12/schema"

    init(_ schema: JSON, limits: SchemaLimits) {
        self.limits = limits
        addResource(Self.anonymous, root: "", pointer: "")
        visit(schema, pointer: "", resource: 0, depth: 0)
    }

    /// Whether the document is beyond a limit. Its other errors are then not all known.
    var isTooLarge: Bool { errors.last?.code == .tooLarge }

    private mutating func note(_ code: SchemaError.Code, _ keyword: String, at pointer: String, _ message: String) {
        errors.append(SchemaError(code, keyword: keyword, at: pointer, message))
    }

    /// Notes an error of a keyword that names or holds subschemas.
    private mutating func noteUnknownPlaces(_ keyword: SchemaKeyword, at pointer: String, _ message: String) {
        knowsItsPlaces = false
        note(.invalidValue, keyword.rawValue, at: pointer, message)
    }

    /// Returns the index of the subschema at a JSON Pointer of the document.
    func index(at pointer: String) -> Int? { indexByPointer[ExactText(pointer)] }

    private mutating func visit(_ value: JSON, pointer: String, resource: Int, depth: Int) {
        if isTooLarge { return }
        guard locations.count < limits.maximumSubschemas, depth <= limits.maximumNesting else {
            return note(.tooLarge, "", at: pointer, "the document has too many subschemas, or nests them too deep")
        }
        let index = locations.count
        indexByPointer[ExactText(pointer)] = index
        guard case .object(let object) = value else {
            if value.boolValue == nil {
                note(.invalidValue, "", at: pointer, "a schema is an object or a boolean, not a \(value.typeName)")
            }
            // A reference to a value that is no schema is no second error.
            locations.append(Location(value: .bool(value.boolValue ?? true), pointer: pointer, resource: resource))
            return
        }
        let own = identify(object, pointer: pointer, within: resource)
        locations.append(Location(value: value, pointer: pointer, resource: own))
        addAnchors(of: object, index: index, pointer: pointer, resource: own)
        for entry in object.entries {
            guard let keyword = SchemaKeyword(rawValue: entry.key) else {
                refuse(entry, at: pointer)
                continue
            }
            visitSubschemas(of: keyword, entry.value, pointer: pointer, resource: own, depth: depth + 1)
        }
    }

    private mutating func visitSubschemas(of keyword: SchemaKeyword, _ value: JSON, pointer: String, resource: Int, depth: Int) {
        if isTooLarge { return }
        let place = pointer + "/" + keyword.rawValue
        switch keyword.subschemas {
        case .none: break
        case .one: visit(value, pointer: place, resource: resource, depth: depth)
        case .list:
            guard case .array(let elements) = value, !elements.isEmpty else {
                return noteUnknownPlaces(keyword, at: pointer, "takes a non-empty array of schemas")
            }
            for (number, element) in elements.enumerated() {
                visit(element, pointer: "\(place)/\(number)", resource: resource, depth: depth)
            }
        case .named:
            guard case .object(let members) = value else {
                return noteUnknownPlaces(keyword, at: pointer, "takes an object of schemas")
            }
            for member in members.entries {
                visit(member.value, pointer: place + "/" + JSONPointer.escape(member.key), resource: resource, depth: depth)
            }
        }
    }

    private mutating func refuse(_ entry: JSONObject.Entry, at pointer: String) {
        if isTooLarge || entry.key.hasPrefix("x-") { return }
        if entry.value.objectValue != nil || entry.value.arrayValue != nil { knowsItsPlaces = false }
        if let reason = SchemaKeyword.refused[entry.key] {
            note(.unsupportedKeyword, entry.key, at: pointer, reason)
        } else {
            note(.unknownKeyword, entry.key, at: pointer, "is no keyword of draft 2020-12; own names begin with x-")
        }
    }
}

// MARK: - Identity

extension SchemaDocument {
    /// The target of a reference.
    struct Target {
        let index: Int
        /// The name of the anchor if the reference uses a name that is a `$dynamicAnchor` in its target resource.
        let dynamicAnchor: String?
    }

    func resolve(_ reference: String, keyword: SchemaKeyword, from location: Location) throws(SchemaError) -> Target {
        func failure(_ code: SchemaError.Code, _ message: String) -> SchemaError {
            SchemaError(code, keyword: keyword.rawValue, at: location.pointer, message)
        }
        guard let parsed = URIReference(reference) else { throw failure(.invalidValue, "is no URI reference") }
        let target = parsed.resolved(against: resources[location.resource].uri)
        guard let found = resourceByURI[ExactText(target.withoutFragment.text)] else {
            throw failure(.remoteReference, "leads out of the document, to \(target.withoutFragment.text)")
        }
        let resource = resources[found]
        guard let fragment = target.fragment.map(URIReference.percentDecoded), let fragment else {
            guard target.fragment == nil else { throw failure(.invalidValue, "has a fragment that is not UTF-8") }
            return try known(index(at: resource.root), dynamicAnchor: nil, failure(.unresolvedReference, "points at nothing"))
        }
        let missing = failure(.unresolvedReference, "points at nothing in the document that is a schema: #\(fragment)")
        if fragment.isEmpty || fragment.hasPrefix("/") {
            return try known(index(at: resource.root + fragment), dynamicAnchor: nil, missing)
        }
        if let index = resource.dynamicAnchors[ExactText(fragment)] { return Target(index: index, dynamicAnchor: fragment) }
        return try known(resource.anchors[ExactText(fragment)], dynamicAnchor: nil, missing)
    }

    private func known(_ index: Int?, dynamicAnchor: String?, _ error: SchemaError) throws(SchemaError) -> Target {
        guard let index else { throw error }
        return Target(index: index, dynamicAnchor: dynamicAnchor)
    }

    /// Reads `$schema` and `$id`, and returns the resource that the schema belongs to.
    private mutating func identify(_ object: JSONObject, pointer: String, within resource: Int) -> Int {
        if let draft = object["$schema"], draft.stringValue != Self.draft, draft.stringValue != Self.draft + "#" {
            note(.unsupportedDraft, "$schema", at: pointer, "only \(Self.draft) is carried out")
        }
        guard let id = object["$id"] else { return resource }
        guard let reference = id.stringValue.flatMap({ URIReference($0) }), reference.fragment ?? "" == "" else {
            noteUnknownPlaces(.id, at: pointer, "takes a URI reference without a fragment")
            return resource
        }
        return addResource(reference.resolved(against: resources[resource].uri).withoutFragment, root: pointer, pointer: pointer)
    }

    @discardableResult
    private mutating func addResource(_ uri: URIReference, root: String, pointer: String) -> Int {
        if resourceByURI.updateValue(resources.count, forKey: ExactText(uri.text)) != nil {
            noteUnknownPlaces(.id, at: pointer, "another schema of the document has the same identity")
        }
        resources.append(Resource(uri: uri, root: root))
        return resources.count - 1
    }

    private mutating func addAnchors(of object: JSONObject, index: Int, pointer: String, resource: Int) {
        for keyword in [SchemaKeyword.anchor, .dynamicAnchor] {
            guard let value = object[keyword.rawValue] else { continue }
            guard let name = value.stringValue, Self.isAnchorName(name) else {
                noteUnknownPlaces(keyword, at: pointer, "takes a plain name such as address")
                continue
            }
            let key = ExactText(name)
            let taken = resources[resource].anchors[key] ?? resources[resource].dynamicAnchors[key]
            guard taken == nil || taken == index else {
                noteUnknownPlaces(keyword, at: pointer, "the anchor \(name) is given twice")
                continue
            }
            if keyword == .anchor { resources[resource].anchors[key] = index } else { resources[resource].dynamicAnchors[key] = index }
        }
    }

    /// Whether a name begins with a letter or underscore, and goes on with letters, digits, `-`, `_` and `.` (core section 8.2.2).
    private static func isAnchorName(_ name: String) -> Bool {
        guard let first = name.utf8.first, ASCII.isLetter(first) || first == UInt8(ascii: "_") else { return false }
        return name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-_.".utf8.contains($0) }
    }
}
