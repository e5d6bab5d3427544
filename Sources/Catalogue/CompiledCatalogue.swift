public import TidingsCore
package import TidingsJSON
public import TidingsJSONSchema

/// A checked catalogue, with the compiled schemas and templates for its intents.
public struct CompiledCatalogue: Sendable {
    /// The catalogue as ``CatalogueFile/sealed(_:)`` returns it, so its hash is always that of its content.
    public let catalogue: Catalogue
    /// The compiled schema of every type that has one, by the type's name.
    public let schemas: [String: JSONSchema]
    /// The parts of each type that the decoder needs, found with one look-up.
    package let types: [String: CompiledType]

    /// - Throws: ``CatalogueProblems`` with all problems: names, references, limits, templates, and schemas that do not compile.
    public init(_ catalogue: Catalogue) throws(CatalogueProblems) {
        var problems = CatalogueChecks.problems(in: catalogue, gaps: CatalogueGaps())
        var schemas: [String: JSONSchema] = [:]
        var types: [String: CompiledType] = [:]
        for (name, type) in catalogue.types.sorted(by: { $0.key < $1.key }) {
            let compiled = CompiledCatalogue.schema(of: type)
            schemas[name] = compiled.schema
            problems += compiled.problems
            types[name] = CompiledType(
                type: type, schema: schemas[name], title: type.titleTemplate.flatMap { try? Template($0) },
                body: type.bodyTemplate.flatMap { try? Template($0) })
        }
        guard problems.isEmpty else { throw CatalogueProblems(problems: problems) }
        self.catalogue = CatalogueFile.sealed(catalogue)
        self.schemas = schemas
        self.types = types
    }

    /// Compiles the schema of a type. Returns nil for a type without a schema, and for a schema with a problem.
    ///
    /// - Parameter lines: gives each problem the line of its keyword.
    static func schema(
        of type: NotificationType, lines: CatalogueLines = CatalogueLines()
    ) -> (schema: JSONSchema?, problems: [CatalogueProblem]) {
        guard let text = type.schemaJSON else { return (nil, []) }
        let path = "types.\(type.name).schema"
        let json: JSON
        do {
            json = try JSON.parse(text)
        } catch {
            return (nil, [CatalogueProblem(path: path + error.pointer, message: "the schema is not JSON: \(error.message)")])
        }
        if let schema = try? JSONSchema(json, assertFormats: true) { return (schema, []) }
        let problems = JSONSchema.errors(in: json, assertFormats: true).map { error in
            let keyword = error.keyword.isEmpty ? "" : "\"\(error.keyword)\": "
            let hint = error.code == .unknownKeyword ? NearestName.hint(for: error.keyword, among: JSONSchema.supportedKeywords) : ""
            let place = error.keyword.isEmpty ? error.pointer : JSONPointer.appending(error.keyword, to: error.pointer)
            return CatalogueProblem(path: path + error.pointer, message: keyword + error.message + hint, line: lines.line(of: path + place))
        }
        return (nil, problems)
    }
}

/// A type with its schema and templates compiled.
package struct CompiledType: Sendable {
    package let type: NotificationType
    package let schema: JSONSchema?
    package let title: Template?
    package let body: Template?
}
