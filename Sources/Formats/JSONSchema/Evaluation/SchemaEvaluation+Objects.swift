import TidingsJSON

extension SchemaEvaluation {
    mutating func accepts(
        _ node: SchemaNode, _ rules: ObjectRules, _ object: JSONObject, _ value: JSON, _ marks: inout EvaluatedMarks?
    ) -> Bool {
        var isAccepted = true
        if object.count > rules.maximumCount {
            isAccepted = fault(node, "maxProperties", "has \(object.count) members, at most \(rules.maximumCount) are allowed")
        }
        if object.count < rules.minimumCount {
            isAccepted = fault(node, "minProperties", "has \(object.count) members, at least \(rules.minimumCount) are needed")
        }
        var present = EvaluatedMarks()
        for (place, entry) in object.entries.enumerated() {
            if !isAccepted, isQuiet { return false }
            let known = rules.names.place(of: entry.key)
            if let known { present.insert(known) }
            isAccepted = accepts(node, rules, entry, known: known, at: place, &marks) && isAccepted
        }
        for name in rules.required where !present.contains(name) {
            isAccepted = fault(node, "required", "lacks \"\(rules.names.names[name])\"")
        }
        for dependency in rules.dependentRequired where present.contains(dependency.name) {
            for name in dependency.required where !present.contains(name) {
                let (cause, missing) = (rules.names.names[dependency.name], rules.names.names[name])
                isAccepted = fault(node, "dependentRequired", "has \"\(cause)\" and so lacks \"\(missing)\"")
            }
        }
        for dependency in rules.dependentSchemas where present.contains(dependency.name) {
            isAccepted = accepts(dependency.node, value, &marks) && isAccepted
        }
        return isAccepted
    }

    /// Checks one member against `properties`, `patternProperties`, `additionalProperties` and `propertyNames`.
    private mutating func accepts(
        _ node: SchemaNode, _ rules: ObjectRules, _ entry: JSONObject.Entry, known: Int?, at place: Int,
        _ marks: inout EvaluatedMarks?
    ) -> Bool {
        var isAccepted = true
        var isEvaluated = false
        if let known, let index = rules.schemas[known] {
            isEvaluated = true
            isAccepted = accepts(index, member: entry.value, named: entry.key)
        }
        for (pattern, index) in rules.patterns where pattern.matches(entry.key) {
            isEvaluated = true
            isAccepted = accepts(index, member: entry.value, named: entry.key) && isAccepted
        }
        if !isEvaluated, let index = rules.additional {
            isEvaluated = true
            isAccepted = accepts(index, member: entry.value, named: entry.key) && isAccepted
        }
        if isEvaluated { marks?.insert(place) }
        if let index = rules.propertyNames {
            // Report faults at the member, because a name has no pointer of its own.
            isAccepted = accepts(index, member: .string(entry.key), named: entry.key) && isAccepted
        }
        return isAccepted
    }

    /// Applies `unevaluatedProperties` and `unevaluatedItems` to the members or elements that are not evaluated yet. Neither another
    /// keyword of the node, nor a schema that it applied to the same value, has evaluated them.
    mutating func acceptsUnevaluated(_ node: SchemaNode, _ value: JSON, _ marks: inout EvaluatedMarks?) -> Bool {
        var isAccepted = true
        switch value {
        case .object(let object):
            guard let index = node.rules.unevaluatedProperties else { return true }
            for (place, entry) in object.entries.enumerated() where marks?.contains(place) == false {
                isAccepted = accepts(index, member: entry.value, named: entry.key) && isAccepted
                marks?.insert(place)
            }
        case .array(let elements):
            guard let index = node.rules.unevaluatedItems else { return true }
            for (number, element) in elements.enumerated() where marks?.contains(number) == false {
                isAccepted = accepts(index, element: element, at: number) && isAccepted
                marks?.insert(number)
            }
        default: break
        }
        return isAccepted
    }
}
