import TidingsJSON

extension SchemaCompiler {
    /// Returns the rules for members. They come from all keywords about members, because these share one table of names.
    func objectRules(_ object: JSONObject, _ location: SchemaDocument.Location) throws(SchemaError) -> ObjectRules? {
        var names = NameList()
        var rules = ObjectRules()
        var isUsed = false
        for entry in object.entries {
            guard let keyword = SchemaKeyword(rawValue: entry.key) else { continue }
            let value = KeywordValue(keyword: keyword, value: entry.value, location: location)
            switch keyword {
            case .properties:
                for member in try value.members() {
                    rules.setSchema(try node(at: value.pointer + "/" + JSONPointer.escape(member.key), value), names.place(member.key))
                }
            case .required: rules.required = try value.names().map { names.place($0) }
            case .dependentRequired:
                for member in try value.members() {
                    let needed = KeywordValue(keyword: keyword, value: member.value, location: location)
                    rules.dependentRequired.append((names.place(member.key), try needed.names().map { names.place($0) }))
                }
            case .dependentSchemas:
                for member in try value.members() {
                    let node = try node(at: value.pointer + "/" + JSONPointer.escape(member.key), value)
                    rules.dependentSchemas.append((names.place(member.key), node))
                }
            case .patternProperties:
                for member in try value.members() {
                    let node = try node(at: value.pointer + "/" + JSONPointer.escape(member.key), value)
                    rules.patterns.append((try value.pattern(member.key), node))
                }
            case .additionalProperties: rules.additional = try child(value)
            case .propertyNames: rules.propertyNames = try child(value)
            case .maxProperties: rules.maximumCount = try value.count()
            case .minProperties: rules.minimumCount = try value.count()
            default: continue
            }
            isUsed = true
        }
        guard isUsed else { return nil }
        rules.names = PropertyTable(names.all)
        rules.schemas += Array(repeating: nil, count: names.all.count - rules.schemas.count)
        return rules
    }
}

/// The names in the order of their first appearance.
private struct NameList {
    private(set) var all: [String] = []
    private var places: [ExactText: Int] = [:]

    mutating func place(_ name: String) -> Int {
        if let known = places[ExactText(name)] { return known }
        places[ExactText(name)] = all.count
        all.append(name)
        return all.count - 1
    }
}

extension ObjectRules {
    fileprivate mutating func setSchema(_ node: Int, _ place: Int) {
        while schemas.count <= place { schemas.append(nil) }
        schemas[place] = node
    }
}
