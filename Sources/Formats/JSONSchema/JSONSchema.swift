public import TidingsJSON

/// A JSON Schema of draft 2020-12, compiled once and then used from any number of threads.
///
/// Every keyword of the draft is either carried out or refused when the schema is compiled. This covers the vocabularies core, applicator,
/// unevaluated, validation, format-annotation, content and meta-data. No keyword that could change a verdict is silently ignored.
///
/// ``supportedKeywords`` and ``refusedKeywords`` list both kinds. Names that begin with `x-` are the author's own and have no effect.
/// References reach anywhere within the document (`$id`, `$anchor`, `$dynamicAnchor`, JSON Pointer) and nowhere outside it.
public struct JSONSchema: Sendable {
    private let program: SchemaProgram
    private let limits: SchemaLimits

    /// Compiles `schema`, or throws an error with the keyword and the place that prevent it.
    ///
    /// - Parameter assertFormats: whether `format` decides validity. By default it is an annotation, as the draft says; when true,
    ///   a format outside ``supportedFormats`` is refused.
    public init(_ schema: JSON, assertFormats: Bool = false, limits: SchemaLimits = .standard) throws(SchemaError) {
        let document = try SchemaDocument(schema, limits: limits)
        program = try SchemaCompiler(document: document, assertFormats: assertFormats).program()
        self.limits = limits
    }

    /// Returns all faults of `instance` in the order found, at most ``SchemaLimits/maximumViolations``. Empty means valid.
    public func validate(_ instance: JSON) -> [Violation] {
        var evaluation = SchemaEvaluation(program: program, limits: limits)
        return evaluation.violations(of: instance)
    }

    /// Whether `instance` is valid. This is ``validate(_:)`` without the explanations, and it stops at the first fault.
    public func isValid(_ instance: JSON) -> Bool {
        var evaluation = SchemaEvaluation(program: program, limits: limits)
        return evaluation.isValid(instance)
    }

    /// The keywords that are carried out, or that the draft defines as annotations.
    public static let supportedKeywords: [String] = SchemaKeyword.allCases.map(\.rawValue)

    /// Known keywords that are refused, each with the reason. Any other unknown name is refused too.
    public static let refusedKeywords: [String: String] = SchemaKeyword.refused

    /// The formats that can be asserted.
    public static let supportedFormats: [String] = SchemaFormat.allCases.map(\.rawValue)
}
