import TidingsJSON

extension SchemaEvaluation {
    mutating func accepts(
        _ node: SchemaNode, _ rules: ArrayRules, _ elements: [JSON], _ marks: inout EvaluatedMarks?
    ) -> Bool {
        var isAccepted = true
        if elements.count > rules.maximumCount {
            isAccepted = fault(node, "maxItems", "has \(elements.count) elements, at most \(rules.maximumCount) are allowed")
        }
        if elements.count < rules.minimumCount {
            isAccepted = fault(node, "minItems", "has \(elements.count) elements, at least \(rules.minimumCount) are needed")
        }
        if rules.isUnique, elements.count > 1, Set(elements).count < elements.count {
            isAccepted = fault(node, "uniqueItems", "has two equal elements")
        }
        if !isAccepted, isQuiet { return false }
        for (number, element) in elements.enumerated() {
            guard let index = number < rules.prefix.count ? rules.prefix[number] : rules.items else { break }
            isAccepted = accepts(index, element: element, at: number) && isAccepted
            if !isAccepted, isQuiet { return false }
            marks?.insert(number)
        }
        if let contains = rules.contains {
            isAccepted = acceptsContained(contains, node, rules, elements, &marks) && isAccepted
        }
        return isAccepted
    }

    private mutating func acceptsContained(
        _ contains: Int, _ node: SchemaNode, _ rules: ArrayRules, _ elements: [JSON], _ marks: inout EvaluatedMarks?
    ) -> Bool {
        var count = 0
        for (number, element) in elements.enumerated() where quietly({ $0.accepts(contains, element: element, at: number) }) {
            count += 1
            marks?.insert(number)
        }
        if count < rules.minimumContains {
            let keyword = rules.minimumContains == 1 ? "contains" : "minContains"
            return fault(node, keyword, "has \(count) elements of the kind it must contain, at least \(rules.minimumContains) are needed")
        }
        if count > rules.maximumContains {
            return fault(node, "maxContains", "has \(count) elements of that kind, at most \(rules.maximumContains) are allowed")
        }
        return true
    }
}
