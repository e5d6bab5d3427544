public import TidingsJSON

/// A JSON Schema of draft 2020-12, compiled once and then used from any number of threads.
///
/// Every keyword of the draft's core, applicator, unevaluated, validation, format-annotation, content and meta-data vocabularies is
/// either carried out or refused when the schema is compiled; nothing that could change a verdict is passed over in silence.
/// ``supportedKeywords`` and ``refusedKeywords`` list both. Names beginning with `x-` are the author's own and have no effect.
/// References reach anywhere within the document (`$id`, `$anchor`, `$dynamicAnchor`, JSON Pointer) and nowhere outside it.
public struct JSONSchema: Sendable {
    private let program: SchemaProgram
    private let limits: SchemaLimits

    /// Compiles `schema`, or says which keyword at which place prevents it.
    ///
    /// - Parameter assertFormats: whether `format` decides validity. By default it is an annotation, as the draft says; when true,
    ///   a format outside ``supportedFormats`` is refused.
    public init(_ schema: JSON, assertFormats: Bool = false, limits: SchemaLimits = .standard) throws(SchemaError) {
        let document = try SchemaDocument(schema, limits: limits)
        program = try SchemaCompiler(document: document, assertFormats: assertFormats).program()
        self.limits = limits
    }

    /// Everything wrong with `instance`, in the order found, at most ``SchemaLimits/maximumViolations``; empty means valid.
    public func validate(_ instance: JSON) -> [Violation] {
        var evaluation = SchemaEvaluation(program: program, limits: limits)
        return evaluation.violations(of: instance)
    }

    /// Whether `instance` is valid: ``validate(_:)`` without the explanations, stopping at the first fault.
    public func isValid(_ instance: JSON) -> Bool {
        var evaluation = SchemaEvaluation(program: program, limits: limits)
        return evaluation.isValid(instance)
    }

    /// The keywords that are carried out, or that the draft defines as annotations.
    public static let supportedKeywords: [String] = SchemaKeyword.allCases.map(\.rawValue)

    /// Known keywords that are refused, each with the reason; any other unknown name is refused too.
    public static let refusedKeywords: [String: String] = SchemaKeyword.refused

    /// The formats that can be asserted.
    public static let supportedFormats: [String] = SchemaFormat.allCases.map(\.rawValue)
}
