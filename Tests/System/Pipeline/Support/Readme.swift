import Foundation
import Testing
import TidingsTestSupport

/// The README's marked examples: a comment `<!-- kind: name -->` and the fenced block that follows it.
struct Readme {
    private let lines: [String]

    init() throws {
        let url = TestSystem.repository.appendingPathComponent("README.md")
        lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    }

    /// The block under the comment `<!-- example: name -->`; fails the test when there is none.
    func example(_ name: String) throws -> String {
        let blocks = blocks("example").filter { $0.name == name }
        return try #require(blocks.first?.text, "README.md has no block under <!-- example: \(name) -->")
    }

    /// Every block under a comment `<!-- query: … -->`, with its name.
    var queries: [(name: String, text: String)] { blocks("query") }

    private func blocks(_ kind: String) -> [(name: String, text: String)] {
        lines.indices.compactMap { index in
            let (opening, closing) = ("<!-- \(kind): ", " -->")
            let line = lines[index].trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix(opening), line.hasSuffix(closing) else { return nil }
            let rest = lines[(index + 1)...]
            guard let fence = rest.firstIndex(where: { $0.hasPrefix("```") }),
                let end = lines[(fence + 1)...].firstIndex(where: { $0.hasPrefix("```") })
            else { return nil }
            return (String(line.dropFirst(opening.count).dropLast(closing.count)), lines[(fence + 1)..<end].joined(separator: "\n") + "\n")
        }
    }
}
