import Foundation
import Testing
import TidingsTestSupport

/// The marked blocks of README.md and of the pages of `Sources/Documentation.docc`: a comment `<!-- kind: name -->` and the fenced block that
/// follows it.
struct Guides {
    private let lines: [String]

    init() throws {
        let folder = TestSystem.repository.appendingPathComponent("Sources/Documentation.docc")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }.sorted()
        let files = [TestSystem.repository.appendingPathComponent("README.md")] + pages.map { folder.appendingPathComponent($0) }
        lines = try files.flatMap { try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n") }
    }

    /// The block under the comment `<!-- example: name -->`. Fails the test if there is none.
    func example(_ name: String) throws -> String {
        let blocks = blocks("example").filter { $0.name == name }
        return try #require(blocks.first?.text, "no page has a block under <!-- example: \(name) -->")
    }

    /// Every block under a comment `<!-- query: … -->`, with its name.
    var queries: [(name: String, text: String)] { blocks("query") }

    /// The commands of every block under a comment `<!-- run: … -->`, as a shell script: the lines that begin with `$ `.
    var scripts: [(name: String, text: String)] {
        blocks("run").map { name, text in
            let commands = text.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { "\($0.dropFirst(2))\n" }
            return (name, commands.joined())
        }
    }

    /// The commands of every block under a comment `<!-- http: … -->`, in the order of the pages, each with the answer that the page shows.
    var requests: [(command: String, answer: String)] {
        var requests: [(command: String, answer: String)] = []
        for line in blocks("http").flatMap({ $0.text.split(separator: "\n") }) {
            if line.hasPrefix("$ ") {
                requests.append((String(line.dropFirst(2)), ""))
            } else if let last = requests.indices.last {
                requests[last].answer += "\(line)\n"
            }
        }
        return requests
    }

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
