/// One fault of an instance.
public struct Violation: Sendable, Hashable {
    /// JSON Pointer of the faulty value in the instance. Empty for the whole instance. Long member names are cut.
    public var instancePointer: String
    /// JSON Pointer of the keyword in the schema document, after following references.
    public var schemaPointer: String
    /// The keyword that found the fault. `false` for the schema that no value satisfies.
    public var keyword: String
    /// One sentence for a person, without the instance's own content beyond member names.
    public var message: String

    /// Makes a violation. A fault that was found without a schema may use the same form.
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
