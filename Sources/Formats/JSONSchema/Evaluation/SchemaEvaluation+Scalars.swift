import TidingsJSON

extension SchemaEvaluation {
    mutating func accepts(_ node: SchemaNode, _ rules: NumberRules, _ number: JSONNumber) -> Bool {
        var isAccepted = true
        if let bound = rules.maximum, number > bound {
            isAccepted = fault(node, "maximum", "is above \(bound.text)")
        }
        if let bound = rules.exclusiveMaximum, number >= bound {
            isAccepted = fault(node, "exclusiveMaximum", "is not below \(bound.text)")
        }
        if let bound = rules.minimum, number < bound {
            isAccepted = fault(node, "minimum", "is below \(bound.text)")
        }
        if let bound = rules.exclusiveMinimum, number <= bound {
            isAccepted = fault(node, "exclusiveMinimum", "is not above \(bound.text)")
        }
        if let divisor = rules.multipleOf, !number.exact.isMultiple(of: divisor) {
            isAccepted = fault(node, "multipleOf", "is no multiple of \(rules.multipleOfText)")
        }
        return isAccepted
    }

    mutating func accepts(_ node: SchemaNode, _ rules: StringRules, _ text: String) -> Bool {
        var isAccepted = true
        if rules.minimumLength > 0 || rules.maximumLength < .max {
            let length = text.unicodeScalars.count
            if length > rules.maximumLength {
                isAccepted = fault(node, "maxLength", "has \(length) characters, at most \(rules.maximumLength) are allowed")
            }
            if length < rules.minimumLength {
                isAccepted = fault(node, "minLength", "has \(length) characters, at least \(rules.minimumLength) are needed")
            }
        }
        if let pattern = rules.pattern, !pattern.matches(text) {
            isAccepted = fault(node, "pattern", "does not match \(pattern.source)")
        }
        if let format = rules.format, !format.accepts(text) {
            isAccepted = fault(node, "format", "is no valid \(format.rawValue)")
        }
        return isAccepted
    }
}
