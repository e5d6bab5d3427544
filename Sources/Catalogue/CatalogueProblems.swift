/// All problems of a catalogue, not only the first one, so that a person fixes a file in one go.
public struct CatalogueProblems: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one, in the order of the file where there is a file.
    public let problems: [CatalogueProblem]

    public init(problems: [CatalogueProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// One problem of a catalogue.
public struct CatalogueProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place, as names joined by dots, for example `types.orderUpdate.channels`. Empty for the file as a whole.
    public let path: String
    /// The problem and, if it can be guessed, the name that was meant.
    public let message: String
    /// The line in the file, from 1; nil when the catalogue did not come from a file.
    public let line: Int?

    public init(path: String, message: String, line: Int? = nil) {
        self.path = path
        self.message = message
        self.line = line
    }

    public var description: String {
        let place = path.isEmpty ? "catalogue" : path
        return line.map { "\(place) (line \($0)): \(message)" } ?? "\(place): \(message)"
    }
}
