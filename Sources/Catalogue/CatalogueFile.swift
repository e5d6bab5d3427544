public import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The catalogue as the YAML file a person edits.
///
/// What a file leaves out: a category, or a setting of one, takes the built-in policy; the sections `markets`, `providers` and
/// `producers`, when left out as a whole, are the built-in ones. `types` is the whole truth: a type that is not in the file does not exist.
public enum CatalogueFile {
    /// Largest file that is read, in bytes: thousands of types with their schemas, and still read in well under a second.
    public static let maximumBytes = 1024 * 1024

    /// Reads and checks a file completely: keys, names, durations, references between sections, templates, and that every schema compiles.
    ///
    /// - Returns: the catalogue as ``sealed(_:)`` returns it.
    /// - Throws: ``CatalogueProblems`` with every problem found, each with its line.
    public static func parse(yaml: String) throws(CatalogueProblems) -> Catalogue {
        let (read, log) = try read(yaml)
        do {
            return try CompiledCatalogue(read).catalogue
        } catch {
            throw CatalogueProblems(problems: error.problems.map { $0.placed(by: log) })
        }
    }

    /// Reads a file that somebody wants to make active: ``parse(yaml:)``, and each template against its type's schema.
    ///
    /// - Returns: the catalogue, and what is doubtful in the file without being wrong, each with its line.
    /// - Throws: ``CatalogueProblems`` with every problem found, those of templates last, each with its line.
    public static func judge(yaml: String) throws(CatalogueProblems) -> (catalogue: Catalogue, warnings: [CatalogueProblem]) {
        let (read, log) = try read(yaml)
        let templates = TemplateChecks(of: read)
        let problems: [CatalogueProblem]
        do {
            let catalogue = try CompiledCatalogue(read).catalogue
            if templates.problems.isEmpty { return (catalogue, templates.warnings.map { $0.placed(by: log) }) }
            problems = templates.problems
        } catch {
            problems = error.problems + templates.problems
        }
        throw CatalogueProblems(problems: problems.map { $0.placed(by: log) })
    }

    /// The content of the file with its places, before names and references are checked.
    private static func read(_ yaml: String) throws(CatalogueProblems) -> (Catalogue, ProblemLog) {
        guard yaml.utf8.count <= maximumBytes else {
            throw CatalogueProblems(problems: [CatalogueProblem(path: "", message: "the file is larger than \(maximumBytes) bytes")])
        }
        let log = ProblemLog()
        let document = try YAMLValue(document: yaml, log)
        let read = document.section().map(CatalogueReader.read)
        guard let read, log.problems.isEmpty else { throw CatalogueProblems(problems: log.problems) }
        return (read, log)
    }

    /// The file of a catalogue, with comments that say what each section is for. ``parse(yaml:)`` of it is the sealed catalogue again.
    public static func print(_ catalogue: Catalogue) -> String {
        CataloguePrinter.header + CataloguePrinter.body(of: catalogue)
    }

    /// The same catalogue in the one form that all equal catalogues have: every category present, schemas as compact JSON, strategies only where
    /// they say something, and `hash` computed.
    ///
    /// The hash is the hexadecimal SHA-256 of the printed file without its header, so comments and the order of a person's file do not
    /// count.
    public static func sealed(_ catalogue: Catalogue) -> Catalogue {
        var sealed = catalogue
        for category in Category.allCases { sealed.categories[category] = catalogue.policy(for: category) }
        for (name, market) in catalogue.markets {
            sealed.markets[name]?.strategies = market.strategies.filter { $0.value != .all && market.providers[$0.key] != nil }
        }
        for (name, type) in catalogue.types {
            guard let text = type.schemaJSON, let schema = try? JSON.parse(text) else { continue }
            sealed.types[name]?.schemaJSON = schema.serialized
        }
        sealed.hash = Hexadecimal.encode(SHA256.hash(CataloguePrinter.body(of: sealed).utf8))
        return sealed
    }
}

extension CatalogueProblem {
    /// With the line of its path.
    fileprivate func placed(by log: ProblemLog) -> CatalogueProblem {
        CatalogueProblem(path: path, message: message, line: log.line(of: path))
    }
}
