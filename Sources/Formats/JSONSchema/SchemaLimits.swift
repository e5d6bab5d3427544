/// How much a schema may hold and how much work one validation may cost. Each keeps a mistake, or a hostile instance, from taking the
/// process with it.
public struct SchemaLimits: Sendable, Hashable {
    /// Subschemas in one document; the official metaschema has about 150.
    public var maximumSubschemas = 10_000
    /// Nesting of subschemas in the document; the parser's own default depth is 64.
    public var maximumNesting = 128
    /// Faults reported for one instance; nobody repairs more at a time.
    public var maximumViolations = 20
    /// Schemas being applied within one another, references included. Beyond it a validation fails rather than exhaust the stack:
    /// 64 levels of instance, each behind four steps of reference or combination, fit.
    public var maximumEvaluationDepth = 256
    /// Schemas applied in one validation. Branching references can multiply without end; a large honest event needs a few thousand.
    public var maximumEvaluationSteps = 1_000_000

    /// The defaults above, to be changed one by one.
    public init() {}

    /// The limits of a schema in a catalogue.
    public static let standard = SchemaLimits()
}
