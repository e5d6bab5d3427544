/// The limits of a schema's size and of the work of one validation. Without them, a mistake or a hostile instance could bring down the
/// process.
public struct SchemaLimits: Sendable, Hashable {
    /// The most subschemas in one document. The official metaschema has about 150.
    public var maximumSubschemas = 10_000
    /// The deepest nesting of subschemas in the document. The parser's own default depth is 64.
    public var maximumNesting = 128
    /// The most faults reported for one instance. No person repairs more at a time.
    public var maximumViolations = 20
    /// The most schemas that are applied within one another, references included. Beyond it a validation fails, so that it cannot exhaust
    /// the stack. 64 levels of an instance fit, each behind four steps of reference or combination.
    public var maximumEvaluationDepth = 256
    /// The most schemas applied in one validation. Branching references can multiply without end. A large ordinary event needs a few
    /// thousand.
    public var maximumEvaluationSteps = 1_000_000

    /// The defaults above, to be changed one by one.
    public init() {}

    /// The limits of a schema in a catalogue.
    public static let standard = SchemaLimits()
}
