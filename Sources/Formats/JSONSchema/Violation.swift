/// One thing wrong with an instance.
public struct Violation: Sendable, Hashable {
    /// JSON Pointer of the faulty value in the instance; empty is the whole instance. Long member names are cut.
    public var instancePointer: String
    /// JSON Pointer of the keyword in the schema document, after following references.
    public var schemaPointer: String
    /// The keyword that found it; `false` for the schema that nothing satisfies.
    public var keyword: String
    /// One sentence for a person, without the instance's own content beyond member names.
    public var message: String

    /// A fault found by other means than a schema may be told in the same form.
    public init(instancePointer: String, schemaPointer: String, keyword: String, message: String) {
        self.instancePointer = instancePointer
        self.schemaPointer = schemaPointer
        self.keyword = keyword
        self.message = message
    }
}

extension Violation: CustomStringConvertible {
    public var description: String { "\(instancePointer.isEmpty ? "the value" : instancePointer) \(message)" }
}
