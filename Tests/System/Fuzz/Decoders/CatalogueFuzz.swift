import TidingsCore

@testable import TidingsCatalogue

/// The catalogue file that an operator writes.
struct CatalogueFuzz: FuzzTarget {
    static let name = "catalogues"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        let usual = CatalogueCorpus.files.map { Array($0.utf8) }
        corpus = usual + [Array(CatalogueFile.print(.builtIn).utf8)] + CatalogueCorpus.hostile.map { Array($0.utf8) }
        mutator = ByteMutator(corpus: usual, words: CatalogueCorpus.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        // For the YAML reader, the end of the text is a line of its own.
        let lines = 2 + text.unicodeScalars.count { $0.properties.isWhitespace }
        let parsed = Result { () throws(CatalogueProblems) in try CatalogueFile.parse(yaml: text) }
        let again = Result { () throws(CatalogueProblems) in try CatalogueFile.parse(yaml: text) }
        try require(parsed == again, "read twice, two results")
        let judged = CatalogueFile.judge(yaml: text, features: Self.features)
        try require((judged.catalogue == nil) == !judged.problems.isEmpty, "a verdict without its reason")
        if case .failure = parsed { try require(judged.catalogue == nil, "refused, and judged good") }
        switch parsed {
        case .success(let catalogue):
            try check(catalogue)
            return .accepted
        case .failure(let problems):
            try require(!problems.problems.isEmpty, "refused without a problem")
            for problem in problems.problems {
                try require(!problem.message.isEmpty, "no message")
                if let line = problem.line { try require(0...lines ~= line, "\(problem.path) is in line \(line) of \(lines)") }
            }
            return .refused
        }
    }

    /// A setting of each form. A file of the corpus has both.
    private static let features = [
        FeatureSetting("is_on", .flag(standard: true)),
        FeatureSetting("interval_sec", .number(standard: 60, range: 1...86_400, unit: "seconds")),
    ]

    private func check(_ catalogue: Catalogue) throws {
        let printed = CatalogueFile.print(catalogue)
        let read: Catalogue
        do {
            read = try CatalogueFile.parse(yaml: printed)
        } catch {
            throw BrokenProperty(description: "printed, it is refused: \(error)\n\(printed)")
        }
        try require(read == catalogue, "printed and read again it is another catalogue:\n\(printed)")
        try require(catalogue.types.values.allSatisfy { CatalogueNames.isType($0.name) }, "a type's name that is none")
        let texts =
            catalogue.types.values.flatMap { [$0.titleTemplate ?? "", $0.bodyTemplate ?? "", $0.deepLink ?? "", $0.icon, $0.color] }
            + catalogue.providers.values.flatMap { [$0.kind] + $0.settings.flatMap { [$0.key, $0.value] } } + catalogue.producers.keys
        try require(!texts.contains { $0.utf8.contains(0) }, "a NUL was let through")
    }
}
