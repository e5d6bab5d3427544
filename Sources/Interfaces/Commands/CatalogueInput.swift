import TidingsCatalogue
package import TidingsCore
import TidingsJSON
import TidingsModules
import TidingsProvider
import TidingsServer
import TidingsStore

/// The result of checking a catalogue's YAML: its problems and its warnings.
struct CatalogueVerdict: Sendable {
    /// Nil if the file has a problem of its own. A provider that cannot be made here is none.
    let catalogue: Catalogue?
    /// The problems in the order of the file. Each of them keeps the catalogue from becoming active.
    let problems: [CatalogueRemark]
    let warnings: [CatalogueRemark]

    /// Checks everything that can be read, so that a person corrects all faults of a file at once.
    ///
    /// - Parameter isStrict: true if a secret that is missing on this machine is a problem. Otherwise it is a warning, because the roles
    ///   may have the secret. A provider without its secret ends only its own deliveries as misconfigured.
    static func of(
        _ yaml: String, _ context: CommandContext, _ environment: [String: String], isStrict: Bool
    ) async -> CatalogueVerdict {
        let judged = CatalogueFile.judge(yaml: yaml, features: context.modules.features)
        var found: [ProviderConfigurationError] = []
        var problems = judged.problems
        if let readable = judged.readable {
            found = await context.providers.problems(of: readable, environment: environment, where: judged.canMake)
            let mistakes = found.filter { isStrict || !$0.isMissing }
            problems = judged.problems(with: context.modules.projections.problems(of: readable) + mistakes.map(CatalogueProblem.init))
        }
        return CatalogueVerdict(
            catalogue: judged.catalogue, problems: problems.map { CatalogueRemark($0, text: "\($0)") },
            warnings: judged.warnings.map { CatalogueRemark($0, text: "warning: \($0)") }
                + found.filter { !isStrict && $0.isMissing }.map {
                    let text = "note: here, \($0); where the roles lack it too, its deliveries end as misconfigured"
                    return CatalogueRemark(judged.placed(CatalogueProblem($0)), text: text)
                })
    }

    /// Prints the warnings as notes, and returns the catalogue. Throws a ``Failure`` that lists every problem.
    ///
    /// - Parameter source: the name of the checked catalogue for people: the file's name, or the catalogue's hash.
    func accepted(from source: String) throws -> Catalogue {
        for warning in warnings { Output.note(warning.text) }
        guard let catalogue, problems.isEmpty else { throw Failure(.data, "\(source): " + problems.map(\.text).joined(separator: "\n  ")) }
        return catalogue
    }

    func json(of source: String) -> JSON {
        [
            "file": .string(source), "valid": .bool(problems.isEmpty), "hash": catalogue.map { .string($0.hash) } ?? .null,
            "types": catalogue.map { .number(JSONNumber(Int64($0.types.count))) } ?? .null, "problems": .array(problems.map(\.json)),
            "warnings": .array(warnings.map(\.json)),
        ]
    }
}

/// One problem or warning, with its place.
struct CatalogueRemark: Sendable {
    /// The line for people.
    let text: String
    let json: JSON

    init(_ problem: CatalogueProblem, text: String) {
        self.text = text
        json = [
            "path": .string(problem.path), "line": problem.line.map { .number(JSONNumber(Int64($0))) } ?? .null,
            "message": .string(problem.message),
        ]
    }
}

extension CatalogueProblem {
    /// The error of a provider at the place of its setting.
    fileprivate init(_ error: ProviderConfigurationError) {
        self.init(path: "providers.\(error.provider)" + (error.setting.map { ".settings.\($0)" } ?? ""), message: error.message)
    }
}

extension Projections {
    /// Returns a problem for each type whose projection is not part of this binary.
    func problems(of catalogue: Catalogue) -> [CatalogueProblem] {
        let own = names.isEmpty ? "none" : names.joined(separator: ", ")
        return missing(in: catalogue).sorted { $0.key < $1.key }.map { type, projection in
            CatalogueProblem(
                path: "types.\(type).projection",
                message: "projection \"\(projection)\" is not part of this binary (it has \(own))"
                    + NearestName.hint(for: projection, among: names))
        }
    }
}

/// Returns a file's text. Throws a ``Failure`` if the file cannot be read or is not UTF-8.
func readCatalogueFile(_ file: String) throws -> String {
    guard let bytes = readBytes(file) else { throw Failure(.data, "cannot read \(file)") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(.data, "\(file) is not UTF-8") }
    return text
}

/// Parses and checks a catalogue file, and makes each of its providers once. Throws a ``Failure`` that lists every problem.
package func readCatalogue(
    _ file: String, _ context: CommandContext, _ environment: [String: String], strict: Bool = false
) async throws -> Catalogue {
    try await CatalogueVerdict.of(try readCatalogueFile(file), context, environment, isStrict: strict).accepted(from: file)
}
