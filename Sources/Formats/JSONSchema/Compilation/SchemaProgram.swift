import TidingsJSON

/// A compiled schema. Its nodes refer to each other by index, so that references may form circles.
final class SchemaProgram: Sendable {
    /// The first is the document's root.
    let nodes: [SchemaNode]
    /// For each resource, the nodes its `$dynamicAnchor`s name.
    let dynamicAnchors: [[ExactText: Int]]

    init(nodes: [SchemaNode], dynamicAnchors: [[ExactText: Int]]) {
        self.nodes = nodes
        self.dynamicAnchors = dynamicAnchors
    }
}

/// One compiled subschema. The node is a class, so that walking the program copies a pointer and not the rules.
final class SchemaNode: Sendable {
    let pointer: String
    let resource: Int
    let rules: SchemaRules

    init(pointer: String, resource: Int, rules: SchemaRules) {
        self.pointer = pointer
        self.resource = resource
        self.rules = rules
    }
}

/// The rules of one subschema. A rule that is absent allows everything.
struct SchemaRules: Sendable {
    /// The verdict of a boolean schema. Nil for every other schema.
    var verdict: Bool?
    var types: TypeSet?
    var const: JSON?
    var enumeration: [JSON]?
    var number: NumberRules?
    var string: StringRules?
    var array: ArrayRules?
    var object: ObjectRules?

    var reference: Int?
    var dynamicReference: DynamicReference?
    var allOf: [Int] = []
    var anyOf: [Int] = []
    var oneOf: [Int] = []
    var not: Int?
    var condition: Int?
    var consequence: Int?
    var alternative: Int?

    var unevaluatedItems: Int?
    var unevaluatedProperties: Int?

    /// Whether the subschema must know the members or elements that its other keywords have evaluated.
    var usesEvaluated: Bool { unevaluatedItems != nil || unevaluatedProperties != nil }

    /// Nodes that are applied to the same instance. A loop through them would never end.
    var inPlace: [Int] {
        [reference, not, condition, consequence, alternative].compactMap { $0 } + allOf + anyOf + oneOf
            + (object?.dependentSchemas.map(\.node) ?? [])
    }
}

struct DynamicReference: Sendable {
    /// The node that it leads to as a plain reference.
    let initial: Int
    /// The name to look up in the dynamic scope. Nil when the reference is in fact a plain one.
    let anchor: String?
}

struct NumberRules: Sendable {
    var maximum: JSONNumber?
    var exclusiveMaximum: JSONNumber?
    var minimum: JSONNumber?
    var exclusiveMinimum: JSONNumber?
    var multipleOf: ExactDecimal.Divisor?
    var multipleOfText = ""
}

struct StringRules: Sendable {
    /// The length in Unicode code points, as the draft counts.
    var minimumLength = 0
    var maximumLength = Int.max
    var pattern: Pattern?
    var format: SchemaFormat?
}

struct ArrayRules: Sendable {
    var minimumCount = 0
    var maximumCount = Int.max
    var isUnique = false
    var prefix: [Int] = []
    var items: Int?
    var contains: Int?
    var minimumContains = 1
    var maximumContains = Int.max
}

struct ObjectRules: Sendable {
    var minimumCount = 0
    var maximumCount = Int.max
    /// Every name that occurs in `properties`, `required`, `dependentRequired` or `dependentSchemas`.
    var names = PropertyTable([])
    /// For each of ``names`` the node of `properties`, or nil.
    var schemas: [Int?] = []
    /// Places in ``names``.
    var required: [Int] = []
    var dependentRequired: [(name: Int, required: [Int])] = []
    var dependentSchemas: [(name: Int, node: Int)] = []
    var patterns: [(pattern: Pattern, node: Int)] = []
    var additional: Int?
    var propertyNames: Int?
}

/// A set of the seven type names.
struct TypeSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = TypeSet(rawValue: 1)
    static let boolean = TypeSet(rawValue: 2)
    static let number = TypeSet(rawValue: 4)
    static let integer = TypeSet(rawValue: 8)
    static let string = TypeSet(rawValue: 16)
    static let array = TypeSet(rawValue: 32)
    static let object = TypeSet(rawValue: 64)

    static let names: [(name: String, type: TypeSet)] = [
        ("null", .null), ("boolean", .boolean), ("number", .number), ("integer", .integer), ("string", .string), ("array", .array),
        ("object", .object),
    ]

    /// The type names of the set, for a message.
    var text: String { Self.names.filter { contains($0.type) }.map(\.name).joined(separator: " or ") }

    func accepts(_ value: JSON) -> Bool {
        switch value {
        case .null: contains(.null)
        case .bool: contains(.boolean)
        case .number(let number): contains(.number) || (contains(.integer) && number.isInteger)
        case .string: contains(.string)
        case .array: contains(.array)
        case .object: contains(.object)
        }
    }
}
