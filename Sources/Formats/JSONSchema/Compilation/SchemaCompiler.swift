import TidingsJSON

/// Turns the subschemas of a document into nodes. The values of keywords are checked here and nowhere else.
struct SchemaCompiler {
    let document: SchemaDocument
    let assertFormats: Bool

    /// Returns the program, and the errors in the order found. With an error, the program lacks the rule at fault.
    ///
    /// An error that is only a consequence of one of the document is left out: at the same keyword of the same schema, or a reference whose
    /// place the document does not know.
    func program() -> (SchemaProgram, errors: [SchemaError]) {
        var nodes: [SchemaNode] = []
        var errors: [SchemaError] = []
        nodes.reserveCapacity(document.locations.count)
        for location in document.locations {
            let rules = rules(of: location, &errors)
            nodes.append(SchemaNode(pointer: location.pointer, resource: location.resource, rules: rules))
        }
        let known = Set(document.errors.map { [$0.pointer, $0.keyword].map(ExactText.init) })
        errors.removeAll { error in
            error.code == .unresolvedReference && !document.knowsItsPlaces
                || known.contains([error.pointer, error.keyword].map(ExactText.init))
        }
        return (SchemaProgram(nodes: nodes, dynamicAnchors: document.resources.map(\.dynamicAnchors)), errors + loops(in: nodes))
    }

    private func rules(of location: SchemaDocument.Location, _ errors: inout [SchemaError]) -> SchemaRules {
        var rules = SchemaRules()
        guard case .object(let object) = location.value else {
            rules.verdict = location.value.boolValue
            return rules
        }
        for entry in object.entries {
            guard let keyword = SchemaKeyword(rawValue: entry.key) else { continue }
            do throws(SchemaError) {
                try read(KeywordValue(keyword: keyword, value: entry.value, location: location), into: &rules)
            } catch {
                errors.append(error)
            }
        }
        rules.object = objectRules(object, location, &errors)
        return rules
    }

    private func read(_ value: KeywordValue, into rules: inout SchemaRules) throws(SchemaError) {
        switch value.keyword {
        case .schema, .id, .anchor, .dynamicAnchor, .defs: break
        case .comment, .title, .description, .contentEncoding, .contentMediaType: _ = try value.text()
        case .deprecated, .readOnly, .writeOnly: _ = try value.flag()
        case .examples: _ = try value.elements()
        case .default, .contentSchema: break
        case .ref, .dynamicRef, .allOf, .anyOf, .oneOf, .not, .if, .then, .else, .unevaluatedItems, .unevaluatedProperties:
            try combine(value, into: &rules)
        case .type, .const, .enum: try compare(value, into: &rules)
        case .multipleOf, .maximum, .exclusiveMaximum, .minimum, .exclusiveMinimum:
            try add(value, to: &rules.number)
        case .maxLength, .minLength, .pattern, .format: try add(value, to: &rules.string)
        case .prefixItems, .items, .contains, .maxItems, .minItems, .uniqueItems, .maxContains, .minContains:
            try add(value, to: &rules.array)
        case .properties, .patternProperties, .additionalProperties, .propertyNames, .maxProperties, .minProperties, .required,
            .dependentRequired, .dependentSchemas:
            break
        }
    }

    private func combine(_ value: KeywordValue, into rules: inout SchemaRules) throws(SchemaError) {
        switch value.keyword {
        case .ref: rules.reference = try target(value).index
        case .dynamicRef:
            let target = try target(value)
            rules.dynamicReference = DynamicReference(initial: target.index, anchor: target.dynamicAnchor)
        case .allOf: rules.allOf = try children(value)
        case .anyOf: rules.anyOf = try children(value)
        case .oneOf: rules.oneOf = try children(value)
        case .not: rules.not = try child(value)
        case .if: rules.condition = try child(value)
        case .then: rules.consequence = try child(value)
        case .else: rules.alternative = try child(value)
        case .unevaluatedItems: rules.unevaluatedItems = try child(value)
        case .unevaluatedProperties: rules.unevaluatedProperties = try child(value)
        default: break
        }
    }

    private func target(_ value: KeywordValue) throws(SchemaError) -> SchemaDocument.Target {
        try document.resolve(try value.text(), keyword: value.keyword, from: value.location)
    }

    private func compare(_ value: KeywordValue, into rules: inout SchemaRules) throws(SchemaError) {
        switch value.keyword {
        case .type: rules.types = try value.types()
        case .const: rules.const = value.value
        case .enum: rules.enumeration = try value.elements()
        default: break
        }
    }

    private func add(_ value: KeywordValue, to rules: inout NumberRules?) throws(SchemaError) {
        var own = rules ?? NumberRules()
        switch value.keyword {
        case .maximum: own.maximum = try value.number()
        case .exclusiveMaximum: own.exclusiveMaximum = try value.number()
        case .minimum: own.minimum = try value.number()
        case .exclusiveMinimum: own.exclusiveMinimum = try value.number()
        default:
            let number = try value.number()
            guard let divisor = ExactDecimal.Divisor(number.exact) else {
                throw value.invalid("takes a number above 0 of at most 18 significant digits")
            }
            own.multipleOf = divisor
            own.multipleOfText = number.text
        }
        rules = own
    }

    private func add(_ value: KeywordValue, to rules: inout StringRules?) throws(SchemaError) {
        var own = rules ?? StringRules()
        switch value.keyword {
        case .maxLength: own.maximumLength = try value.count()
        case .minLength: own.minimumLength = try value.count()
        case .pattern: own.pattern = try value.pattern(value.text())
        default:
            let name = try value.text()
            guard assertFormats else { break }
            guard let format = SchemaFormat(rawValue: name) else {
                let known = JSONSchema.supportedFormats.joined(separator: ", ")
                throw value.error(.unsupportedFormat, "cannot be checked here; known are \(known)")
            }
            own.format = format
        }
        rules = own
    }

    private func add(_ value: KeywordValue, to rules: inout ArrayRules?) throws(SchemaError) {
        var own = rules ?? ArrayRules()
        switch value.keyword {
        case .prefixItems: own.prefix = try children(value)
        case .items: own.items = try child(value)
        case .contains: own.contains = try child(value)
        case .maxItems: own.maximumCount = try value.count()
        case .minItems: own.minimumCount = try value.count()
        case .maxContains: own.maximumContains = try value.count()
        case .minContains: own.minimumContains = try value.count()
        default: own.isUnique = try value.flag()
        }
        rules = own
    }

    // MARK: - Subschemas

    func node(at pointer: String, _ value: KeywordValue) throws(SchemaError) -> Int {
        guard let index = document.index(at: pointer) else { throw value.invalid("takes a schema") }
        return index
    }

    func child(_ value: KeywordValue) throws(SchemaError) -> Int { try node(at: value.pointer, value) }

    private func children(_ value: KeywordValue) throws(SchemaError) -> [Int] {
        var nodes: [Int] = []
        for number in try value.elements().indices { nodes.append(try node(at: "\(value.pointer)/\(number)", value)) }
        return nodes
    }

    // MARK: - Loops

    /// Returns an error for each reference by which a schema would apply itself to the same instance without end. Each node is entered
    /// once, without recursion.
    private func loops(in nodes: [SchemaNode]) -> [SchemaError] {
        enum Visit { case unseen, open, done }
        var visits = [Visit](repeating: .unseen, count: nodes.count)
        var errors: [SchemaError] = []
        for start in nodes.indices where visits[start] == .unseen {
            var path: [(node: Int, next: ArraySlice<Int>)] = [(start, nodes[start].rules.inPlace[...])]
            visits[start] = .open
            while let last = path.indices.last {
                guard let next = path[last].next.popFirst() else {
                    visits[path.removeLast().node] = .done
                    continue
                }
                switch visits[next] {
                case .done: continue
                case .open:
                    let pointer = nodes[path[last].node].pointer
                    errors.append(
                        SchemaError(.referenceLoop, keyword: "$ref", at: pointer, "leads back to itself without moving into the instance"))
                case .unseen:
                    visits[next] = .open
                    path.append((next, nodes[next].rules.inPlace[...]))
                }
            }
        }
        return errors
    }
}
