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

    /// Compiles `schema`, or throws the first of ``errors(in:assertFormats:limits:)``.
    ///
    /// - Parameter assertFormats: whether `format` decides validity. By default it is an annotation, as the draft says; when true,
    ///   a format outside ``supportedFormats`` is refused.
    public init(_ schema: JSON, assertFormats: Bool = false, limits: SchemaLimits = .standard) throws(SchemaError) {
        let document = SchemaDocument(schema, limits: limits)
        if let error = document.errors.first { throw error }
        let (program, errors) = SchemaCompiler(document: document, assertFormats: assertFormats).program()
        if let error = errors.first { throw error }
        self.program = program
        self.limits = limits
    }

    /// Returns every error that prevents `schema` from being compiled, each with its keyword and place: first those of the document, such
    /// as unknown keywords, then those of values. Empty if the schema can be compiled.
    ///
    /// - An error that is only a consequence of another one is left out.
    /// - A document beyond `limits` ends with the error `tooLarge`. Its values are then not judged.
    public static func errors(in schema: JSON, assertFormats: Bool = false, limits: SchemaLimits = .standard) -> [SchemaError] {
        let document = SchemaDocument(schema, limits: limits)
        if document.isTooLarge { return document.errors }
        return document.errors + SchemaCompiler(document: document, assertFormats: assertFormats).program().errors
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
