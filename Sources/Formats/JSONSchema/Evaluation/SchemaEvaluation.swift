import TidingsJSON

/// One validation of one instance. It applies nodes to values, notes faults, and tracks the evaluated members and elements for
/// `unevaluated…`.
///
/// `marks` is nil unless a schema further out needs the evaluated members or elements. A schema that fails may leave wrong marks behind.
/// This does no harm, because its caller discards them.
struct SchemaEvaluation {
    let program: SchemaProgram
    let limits: SchemaLimits
    private var found: [Violation] = []
    private var path: [Step] = []
    /// Resources that have been entered, outermost first: the dynamic scope.
    private var scope: [Int] = []
    private var depth = 0
    private var steps = 0
    private var isExhausted = false
    /// Whether faults are discarded, so that the first one ends the work.
    private(set) var isQuiet = false

    private enum Step {
        case member(String)
        case element(Int)
    }

    init(program: SchemaProgram, limits: SchemaLimits) {
        self.program = program
        self.limits = limits
    }

    mutating func violations(of instance: JSON) -> [Violation] {
        var none: EvaluatedMarks?
        _ = accepts(0, instance, &none)
        if isExhausted {
            // Report this even when the verdict was positive: a `not` may have turned the exhaustion into success.
            let message = "needs more work to check than is allowed"
            found.append(Violation(instancePointer: "", schemaPointer: "", keyword: "", message: message))
        }
        return found
    }

    mutating func isValid(_ instance: JSON) -> Bool {
        isQuiet = true
        var none: EvaluatedMarks?
        return accepts(0, instance, &none) && !isExhausted
    }

    /// Applies one node to a value.
    mutating func accepts(_ index: Int, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        let node = program.nodes[index]
        if let verdict = node.rules.verdict {
            return verdict || fault(node, "false", "is not allowed here")
        }
        steps += 1
        guard !isExhausted, depth < limits.maximumEvaluationDepth, steps <= limits.maximumEvaluationSteps else {
            isExhausted = true
            return false
        }
        depth += 1
        let entered = scope.last != node.resource
        if entered { scope.append(node.resource) }
        defer {
            depth -= 1
            if entered { scope.removeLast() }
        }
        guard node.rules.usesEvaluated else { return applies(node, value, &marks) }
        // Begin with empty marks, because evaluation by neighbouring schemas does not count here.
        var own: EvaluatedMarks? = EvaluatedMarks()
        guard applies(node, value, &own), acceptsUnevaluated(node, value, &own) else { return false }
        if let own { marks?.formUnion(own) }
        return true
    }

    private mutating func applies(_ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        var isAccepted = acceptsIdentity(node, value)
        if !isAccepted, isQuiet { return false }
        switch value {
        case .number(let number): if let rules = node.rules.number { isAccepted = accepts(node, rules, number) && isAccepted }
        case .string(let text): if let rules = node.rules.string { isAccepted = accepts(node, rules, text) && isAccepted }
        case .array(let elements):
            if let rules = node.rules.array { isAccepted = accepts(node, rules, elements, &marks) && isAccepted }
        case .object(let object):
            if let rules = node.rules.object { isAccepted = accepts(node, rules, object, value, &marks) && isAccepted }
        case .null, .bool: break
        }
        if !isAccepted, isQuiet { return false }
        return acceptsCombinations(node, value, &marks) && isAccepted
    }

    private mutating func acceptsIdentity(_ node: SchemaNode, _ value: JSON) -> Bool {
        if let types = node.rules.types, !types.accepts(value) {
            return fault(node, "type", "is a \(value.typeName), expected \(types.text)")
        }
        if let const = node.rules.const, const != value { return fault(node, "const", "is not the one value allowed") }
        if let enumeration = node.rules.enumeration, !enumeration.contains(value) {
            return fault(node, "enum", "is none of the \(enumeration.count) values allowed")
        }
        return true
    }

    // MARK: - Faults, path, scope

    /// Notes a fault at the present place. Always returns false, so that the caller can return it.
    mutating func fault(_ node: SchemaNode, _ keyword: String, _ message: String) -> Bool {
        guard !isQuiet, found.count < limits.maximumViolations else { return false }
        var pointer = ""
        for step in path {
            switch step {
            case .member(let name): pointer = JSONPointer.appending(name, to: pointer)
            case .element(let number): pointer += "/\(number)"
            }
        }
        let place = keyword == "false" ? node.pointer : node.pointer + "/" + keyword
        found.append(Violation(instancePointer: pointer, schemaPointer: place, keyword: keyword, message: message))
        return false
    }

    /// Applies a node to an element.
    mutating func accepts(_ index: Int, element: JSON, at number: Int) -> Bool {
        path.append(.element(number))
        defer { path.removeLast() }
        var none: EvaluatedMarks?
        return accepts(index, element, &none)
    }

    /// Applies a node to a member.
    mutating func accepts(_ index: Int, member: JSON, named name: String) -> Bool {
        path.append(.member(name))
        defer { path.removeLast() }
        var none: EvaluatedMarks?
        return accepts(index, member, &none)
    }

    /// Runs a body whose faults are discarded.
    mutating func quietly(_ body: (inout SchemaEvaluation) -> Bool) -> Bool {
        let before = isQuiet
        isQuiet = true
        defer { isQuiet = before }
        return body(&self)
    }

    /// Returns the present node of a dynamic reference. The outermost resource entered that has the anchor decides (core section 8.2.3.2).
    func target(of reference: DynamicReference) -> Int {
        guard let anchor = reference.anchor else { return reference.initial }
        for resource in scope {
            if let node = program.dynamicAnchors[resource][ExactText(anchor)] { return node }
        }
        return reference.initial
    }
}
