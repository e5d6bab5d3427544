package import TidingsJSON

/// A YAML text as JSON, with the scalars of the catalogue file: `no` is a text, and a quoted number too.
package enum YAMLDocument {
    /// Throws if the text is no YAML, or has a value that JSON cannot hold.
    package static func json(_ yaml: String) throws -> JSON {
        let log = ProblemLog()
        guard let text = try YAMLValue(document: yaml, log).json() else { throw CatalogueProblems(problems: log.problems) }
        return try JSON.parse(text)
    }
}
