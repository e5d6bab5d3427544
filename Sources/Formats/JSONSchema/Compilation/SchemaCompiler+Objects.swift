import TidingsJSON

extension SchemaCompiler {
    /// Returns the rules for members. They come from all keywords about members, because these share one table of names.
    func objectRules(_ object: JSONObject, _ location: SchemaDocument.Location, _ errors: inout [SchemaError]) -> ObjectRules? {
        var names = NameList()
        var rules = ObjectRules()
        var isUsed = false
        for entry in object.entries {
            guard let keyword = SchemaKeyword(rawValue: entry.key), keyword.isAboutMembers else { continue }
            isUsed = true
            let value = KeywordValue(keyword: keyword, value: entry.value, location: location)
            do throws(SchemaError) {
                switch keyword {
                case .properties, .dependentRequired, .dependentSchemas, .patternProperties:
                    for member in try value.members() { read(member, of: value, &names, &rules, &errors) }
                case .required: rules.required = try value.names().map { names.place($0) }
                case .additionalProperties: rules.additional = try child(value)
                case .propertyNames: rules.propertyNames = try child(value)
                case .maxProperties: rules.maximumCount = try value.count()
                default: rules.minimumCount = try value.count()
                }
            } catch {
                errors.append(error)
            }
        }
        guard isUsed else { return nil }
        rules.names = PropertyTable(names.all)
        rules.schemas += Array(repeating: nil, count: names.all.count - rules.schemas.count)
        return rules
    }

    /// Reads one member of a keyword whose value has a rule for each member.
    private func read(
        _ member: JSONObject.Entry, of value: KeywordValue, _ names: inout NameList, _ rules: inout ObjectRules,
        _ errors: inout [SchemaError]
    ) {
        let pointer = value.pointer + "/" + JSONPointer.escape(member.key)
        do throws(SchemaError) {
            switch value.keyword {
            case .properties: rules.setSchema(try node(at: pointer, value), names.place(member.key))
            case .dependentRequired:
                let needed = KeywordValue(keyword: value.keyword, value: member.value, location: value.location)
                rules.dependentRequired.append((names.place(member.key), try needed.names().map { names.place($0) }))
            case .dependentSchemas: rules.dependentSchemas.append((names.place(member.key), try node(at: pointer, value)))
            default: rules.patterns.append((try value.pattern(member.key), try node(at: pointer, value)))
            }
        } catch {
            errors.append(error)
        }
    }
}

extension SchemaKeyword {
    /// Whether the keyword judges the members of an object.
    fileprivate var isAboutMembers: Bool {
        switch self {
        case .properties, .patternProperties, .additionalProperties, .propertyNames, .maxProperties, .minProperties, .required,
            .dependentRequired, .dependentSchemas:
            true
        default: false
        }
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
