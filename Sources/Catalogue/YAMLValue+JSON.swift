import TidingsJSON
import Yams

extension YAMLValue {
    /// Returns the value as compact JSON text, with keys in the order of the file. Reports a value that cannot be JSON and returns nil.
    func json() -> String? {
        var writer = JSONWriter()
        var budget = YAMLValue.maximumNodes
        guard write(node, at: path, to: &writer, depth: 0, budget: &budget) else { return nil }
        return writer.text
    }

    /// Most values in one schema. With aliases of YAML, a few lines can expand to billions of values. A schema that a person writes has
    /// some hundred.
    private static let maximumNodes = 20_000
    /// Deepest nesting of one schema, the same as for JSON from the wire.
    private static let maximumDepth = 64

    /// Writes a value and notes the line of every part, so that a problem found by the schema's compiler is reported with its line.
    private func write(_ node: Node, at path: String, to writer: inout JSONWriter, depth: Int, budget: inout Int) -> Bool {
        budget -= 1
        log.note(line: node.mark?.line, of: path)
        guard budget > 0, depth < YAMLValue.maximumDepth else {
            let (depth, nodes) = (YAMLValue.maximumDepth, YAMLValue.maximumNodes)
            problem(budget > 0 ? "is nested deeper than \(depth) levels" : "has more than \(nodes) values")
            return false
        }
        switch node {
        case .scalar(let scalar):
            YAMLValue.write(scalar, to: &writer)
        case .sequence(let sequence):
            writer.beginArray()
            for (index, element) in sequence.enumerated() {
                guard write(element, at: "\(path)/\(index)", to: &writer, depth: depth + 1, budget: &budget) else { return false }
            }
            writer.endArray()
        case .mapping(let mapping):
            writer.beginObject()
            for (key, value) in mapping {
                guard case .scalar(let name) = key else {
                    problem("a key must be a plain name")
                    return false
                }
                writer.key(name.string)
                let place = JSONPointer.appending(name.string, to: path)
                guard write(value, at: place, to: &writer, depth: depth + 1, budget: &budget) else { return false }
            }
            writer.endObject()
        case .alias:
            problem("holds an alias that could not be followed")
            return false
        }
        return true
    }

    private static func write(_ scalar: Node.Scalar, to writer: inout JSONWriter) {
        guard scalar.style == .plain else { return writer.string(scalar.string) }
        switch YAMLScalar(plain: scalar.string) {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let text): writer.raw(text)
        case .text(let text): writer.string(text)
        }
    }
}
