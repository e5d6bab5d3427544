public import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The catalogue as the YAML file that a person edits. The file may leave out some parts:
///
/// - A missing category, or a missing setting of a category, takes the built-in policy.
/// - A missing section `markets`, `providers`, `producers` or `features` takes the built-in section.
/// - A type that is not in `types` does not exist.
public enum CatalogueFile {
    /// The largest file that is read, in bytes. It holds thousands of types with their schemas, and is still read in well under a second.
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

    /// Reads a file that an operator wants to make active. This is ``parse(yaml:)``, plus a check of each template against its type's
    /// schema.
    ///
    /// - Returns: the catalogue, and a warning with its line for each part of the file that is doubtful but valid.
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

    /// Returns the file of a catalogue, with comments about the purpose of each section. ``parse(yaml:)`` of this file returns the sealed
    /// catalogue again.
    public static func print(_ catalogue: Catalogue) -> String {
        CataloguePrinter.header + CataloguePrinter.body(of: catalogue)
    }

    /// Returns printed YAML with an escape in place of each character that is not printable, such as a mark that reorders the text. The
    /// meaning stays: the printer quotes every text that has such a character.
    public static func shown(_ yaml: String) -> String {
        if yaml.unicodeScalars.allSatisfy({ $0.isPrintable || $0 == "\n" }) { return yaml }
        return yaml.unicodeScalars.map { $0.isPrintable || $0 == "\n" ? String($0) : escape(of: $0) }.joined()
    }

    private static func escape(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let (letter, width) = scalar.value <= 0xFFFF ? ("u", 4) : ("U", 8)
        return "\\\(letter)" + String(repeating: "0", count: width - digits.count) + digits
    }

    /// Returns the same catalogue in the form that all equal catalogues share. Every category is present, schemas are compact JSON, and
    /// `hash` is computed. Strategies are present only if they differ from `all` and their channel has providers.
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
    /// Returns the problem with the line of its path.
    fileprivate func placed(by log: ProblemLog) -> CatalogueProblem {
        CatalogueProblem(path: path, message: message, line: log.line(of: path))
    }
}
