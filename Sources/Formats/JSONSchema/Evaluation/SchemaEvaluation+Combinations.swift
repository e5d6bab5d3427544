import TidingsJSON

extension SchemaEvaluation {
    /// Applies the keywords that apply other schemas to the same value.
    mutating func acceptsCombinations(_ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        let rules = node.rules
        var isAccepted = true
        if let reference = rules.reference { isAccepted = accepts(reference, value, &marks) }
        if let reference = rules.dynamicReference { isAccepted = accepts(target(of: reference), value, &marks) && isAccepted }
        for index in rules.allOf {
            if !isAccepted, isQuiet { return false }
            isAccepted = accepts(index, value, &marks) && isAccepted
        }
        if !rules.anyOf.isEmpty { isAccepted = acceptsAny(node, value, &marks) && isAccepted }
        if !rules.oneOf.isEmpty { isAccepted = acceptsOne(node, value, &marks) && isAccepted }
        if let index = rules.not { isAccepted = refuses(index, node, value) && isAccepted }
        if let index = rules.condition { isAccepted = acceptsCondition(index, node, value, &marks) && isAccepted }
        return isAccepted
    }

    /// Applies a node without noting faults. Its marks are kept only when it accepts.
    private mutating func tries(_ index: Int, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        var own: EvaluatedMarks? = marks == nil ? nil : EvaluatedMarks()
        let isAccepted = quietly { $0.accepts(index, value, &own) }
        if isAccepted, let own { marks?.formUnion(own) }
        return isAccepted
    }

    private mutating func acceptsAny(_ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        var isAccepted = false
        for index in node.rules.anyOf {
            isAccepted = tries(index, value, &marks) || isAccepted
            // Stop early only without marks: with marks to collect, every alternative that accepts counts.
            if isAccepted, marks == nil { return true }
        }
        return isAccepted || fault(node, "anyOf", "matches none of the \(node.rules.anyOf.count) alternatives")
    }

    private mutating func acceptsOne(_ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        var accepted = 0
        for index in node.rules.oneOf {
            if tries(index, value, &marks) { accepted += 1 }
            if accepted > 1 { return fault(node, "oneOf", "matches more than one of the alternatives") }
        }
        return accepted == 1 || fault(node, "oneOf", "matches none of the \(node.rules.oneOf.count) alternatives")
    }

    private mutating func refuses(_ index: Int, _ node: SchemaNode, _ value: JSON) -> Bool {
        var none: EvaluatedMarks?
        if tries(index, value, &none) { return fault(node, "not", "matches what it must not match") }
        return true
    }

    private mutating func acceptsCondition(
        _ index: Int, _ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?
    ) -> Bool {
        let next = tries(index, value, &marks) ? node.rules.consequence : node.rules.alternative
        guard let next else { return true }
        return accepts(next, value, &marks)
    }
}
