import TidingsJSON

/// A keyword with its value. Each method reads the value as the kind that the draft demands, or throws.
struct KeywordValue {
    let keyword: SchemaKeyword
    let value: JSON
    let location: SchemaDocument.Location

    /// JSON Pointer of the value in the document.
    var pointer: String { location.pointer + "/" + keyword.rawValue }

    func error(_ code: SchemaError.Code, _ message: String) -> SchemaError {
        SchemaError(code, keyword: keyword.rawValue, at: location.pointer, message)
    }

    func invalid(_ message: String) -> SchemaError { error(.invalidValue, message) }

    func text() throws(SchemaError) -> String {
        guard let text = value.stringValue else { throw invalid("takes a string, not a \(value.typeName)") }
        return text
    }

    func flag() throws(SchemaError) -> Bool {
        guard let flag = value.boolValue else { throw invalid("takes true or false, not a \(value.typeName)") }
        return flag
    }

    func elements() throws(SchemaError) -> [JSON] {
        guard let elements = value.arrayValue else { throw invalid("takes an array, not a \(value.typeName)") }
        return elements
    }

    func members() throws(SchemaError) -> [JSONObject.Entry] {
        guard let object = value.objectValue else { throw invalid("takes an object, not a \(value.typeName)") }
        return object.entries
    }

    func number() throws(SchemaError) -> JSONNumber {
        guard case .number(let number) = value else { throw invalid("takes a number, not a \(value.typeName)") }
        return number
    }

    /// Reads a count. A count beyond 64 bits becomes the largest integer, because no instance has that many of anything.
    func count() throws(SchemaError) -> Int {
        let number = try number()
        guard number.isInteger, number >= JSONNumber(0) else { throw invalid("takes an integer of at least 0") }
        return number.int64.map { Int($0) } ?? .max
    }

    /// Reads an array of different strings.
    func names() throws(SchemaError) -> [String] {
        var names: [String] = []
        var known: Set<ExactText> = []
        for element in try elements() {
            guard let name = element.stringValue, known.insert(ExactText(name)).inserted else {
                throw invalid("takes an array of strings, each once")
            }
            names.append(name)
        }
        return names
    }

    func types() throws(SchemaError) -> TypeSet {
        var types: TypeSet = []
        let names = value.stringValue == nil ? try names() : [try text()]
        guard !names.isEmpty else { throw invalid("takes a type name, or a non-empty array of them") }
        for name in names {
            guard let known = TypeSet.names.first(where: { $0.name == name }) else { throw invalid("\(name) is no type") }
            types.insert(known.type)
        }
        return types
    }

    func pattern(_ source: String) throws(SchemaError) -> Pattern {
        do throws(PatternError) {
            return try Pattern(source)
        } catch {
            throw self.error(.unsupportedPattern, "\(source): \(error.message)")
        }
    }
}
