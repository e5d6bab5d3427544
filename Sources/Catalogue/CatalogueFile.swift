public import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// The catalogue as the YAML file that a person edits. The file may leave out some parts:
///
/// - A missing category, or a missing setting of a category, takes the built-in policy.
/// - A missing section `markets`, `providers` or `producers` takes the built-in section.
/// - A missing section `features`, or a missing setting of it, takes the values that the modules declare.
/// - A type that is not in `types` does not exist.
public enum CatalogueFile {
    /// The largest file that is read, in bytes. It holds thousands of types with their schemas, and is still read in well under a second.
    public static let maximumBytes = 1024 * 1024

    /// Reads and checks a file completely: keys, names, durations, references between sections, templates, and that every schema compiles.
    /// Settings of modules are taken as they are: a binary with other modules may have stored the file.
    ///
    /// - Returns: the catalogue as ``sealed(_:)`` returns it.
    /// - Throws: ``CatalogueProblems`` with every problem found, each with its line.
    public static func parse(yaml: String) throws(CatalogueProblems) -> Catalogue {
        let file = read(yaml, features: nil)
        guard let catalogue = file.catalogue, file.problems.isEmpty else { throw CatalogueProblems(problems: inOrder(file.problems)) }
        return sealed(catalogue)
    }

    /// Reads a file that an operator wants to make active. This is ``parse(yaml:)``, plus a check of each template against its type's
    /// schema, and of the settings of modules.
    ///
    /// A problem of one part hides no problem of another part. A problem that is only the consequence of another one is left out. A text
    /// that is not YAML, or that has a key twice, has that one problem.
    ///
    /// - Parameter features: the settings that the modules of this binary declare.
    public static func judge(yaml: String, features: [FeatureSetting] = []) -> CatalogueJudgement {
        let file = read(yaml, features: features)
        let templates = file.catalogue.map { TemplateChecks(of: $0, gaps: file.gaps) }
        let problems = file.problems + (templates?.problems ?? []).map { $0.placed(by: file.lines) }
        return CatalogueJudgement(
            catalogue: problems.isEmpty ? file.catalogue.map(sealed) : nil, readable: file.catalogue, problems: inOrder(problems),
            warnings: inOrder((templates?.warnings ?? []).map { $0.placed(by: file.lines) }), gaps: file.gaps, lines: file.lines)
    }

    /// A file that was read and checked, except its templates' placeholders.
    private struct ReadFile {
        /// The readable part. Nil if the text has no sections.
        var catalogue: Catalogue?
        var problems: [CatalogueProblem]
        var gaps = CatalogueGaps()
        var lines = CatalogueLines()
    }

    private static func read(_ yaml: String, features: [FeatureSetting]?) -> ReadFile {
        guard yaml.utf8.count <= maximumBytes else {
            return ReadFile(problems: [CatalogueProblem(path: "", message: "the file is larger than \(maximumBytes) bytes")])
        }
        let log = ProblemLog()
        let document: YAMLValue
        do {
            document = try YAMLValue(document: yaml, log)
        } catch {
            return ReadFile(problems: error.problems)
        }
        guard let section = document.section() else { return ReadFile(problems: log.problems) }
        let catalogue = CatalogueReader.read(section, features: features)
        let (gaps, lines) = (log.gaps, log.lines)
        let checked = CatalogueChecks.problems(in: catalogue, gaps: gaps).map { $0.placed(by: lines) }
        let types = catalogue.types.sorted { $0.key < $1.key }.map(\.value)
        let schemas = types.flatMap { CompiledCatalogue.schema(of: $0, lines: lines).problems.map { $0.placed(by: lines) } }
        return ReadFile(catalogue: catalogue, problems: log.problems + checked + schemas, gaps: gaps, lines: lines)
    }

    /// Sorts problems by line. Problems without a line come first, and those of one line keep their order.
    static func inOrder(_ problems: [CatalogueProblem]) -> [CatalogueProblem] {
        let ordered = problems.enumerated().sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
        return ordered.map(\.element)
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
