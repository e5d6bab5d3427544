public import TidingsCore

/// The verdict on a catalogue file that an operator wants to make active.
public struct CatalogueJudgement: Sendable {
    /// The catalogue as ``CatalogueFile/sealed(_:)`` returns it. Nil if the file has a problem.
    public let catalogue: Catalogue?
    /// The part of the file that can be read, for further checks. Nil if nothing can.
    package let readable: Catalogue?
    /// The problems in the order of the file, each with its line.
    public let problems: [CatalogueProblem]
    /// The parts of the file that are doubtful but valid, in the order of the file, each with its line.
    public let warnings: [CatalogueProblem]
    let gaps: CatalogueGaps
    let lines: CatalogueLines

    /// Adds problems of further checks in the order of the file. A problem is left out if its place has a problem already, because the
    /// further one is then a consequence.
    package func problems(with further: [CatalogueProblem]) -> [CatalogueProblem] {
        let known = Set(problems.map(\.path))
        return CatalogueFile.inOrder(problems + further.filter { !known.contains($0.path) }.map { $0.placed(by: lines) })
    }

    /// Returns a problem of a further check with its line.
    package func placed(_ problem: CatalogueProblem) -> CatalogueProblem { problem.placed(by: lines) }

    /// Whether a provider can be made on trial: the file has no problem with the choice of its kind, of its channel, and of the people that
    /// it serves. Otherwise its settings would be judged by the wrong rules.
    package func canMake(provider: String) -> Bool {
        let path = "providers.\(provider)"
        let known = Set(problems.map(\.path))
        return !gaps.has(path) && !["channel", "kind", "addressing", "copy"].contains { known.contains("\(path).\($0)") }
    }
}

extension CatalogueProblem {
    /// Returns the problem with its line. A problem that has a line keeps it.
    func placed(by lines: CatalogueLines) -> CatalogueProblem {
        CatalogueProblem(path: path, message: message, line: line ?? lines.line(of: path))
    }
}
