import Foundation
import Testing

/// `--filter` takes a part of a name: two suites of one name cannot be told apart, nor a target from a suite that is named for it.
@Suite struct SuiteNameTests {
    @Test func aNameBelongsToOneSuite() throws {
        let suites = try DeclaredSuite.all()
        try #require(suites.count > 150, "the suites are not recognised any more")
        for (name, places) in Dictionary(grouping: suites, by: \.name) where places.count > 1 {
            Issue.record("\(name) names \(places.count) suites: \(places.map(\.place).sorted().joined(separator: ", "))")
        }
    }

    @Test func noSuiteIsNamedForAnotherTarget() throws {
        let suites = try DeclaredSuite.all()
        let targets = Set(try Repository.files(below: "Tests").map(\.target))
        try #require(targets.contains("FaultTests"))
        for suite in suites {
            for target in targets where target != suite.target && suite.name.contains(target) {
                Issue.record("\(suite.place) \(suite.name): a filter for the target \(target) selects this suite too")
            }
        }
    }

    @Test func noTargetHasTheNameOfAnotherInIts() throws {
        let targets = Set(try Repository.files(below: "Tests").map(\.target))
        for (target, other) in targets.flatMap({ target in targets.map { (target, $0) } }) where target != other {
            #expect(!target.contains(other), "a filter for the target \(other) selects \(target) too")
        }
    }

    @Test func nestedAndPlainSuitesAreRecognised() {
        let file = SourceFile(
            path: "Tests/SomeTests/A.swift",
            lines: [
                "@Suite(", "    .serialized)", "struct OuterTests {", "    enum Word { case a }", "    @Test(arguments: [1])",
                "    func one() {}",
                "    @Suite struct InnerTests {", "        private struct Row {}", "        @Test func two() {}", "    }", "}",
                "extension OuterTests {", "    @Test func three() {}", "}",
            ])
        #expect(DeclaredSuite.all(in: file).map(\.name) == ["OuterTests", "InnerTests"])
    }
}

/// A type that holds tests. Relies on the formatter: a test stands four columns further in than its suite.
private struct DeclaredSuite {
    let name: String
    let target: String
    let place: String

    static func all() throws -> [DeclaredSuite] { try Repository.files(below: "Tests").flatMap(all(in:)) }

    static func all(in file: SourceFile) -> [DeclaredSuite] {
        /// The latest type at each indentation, `nil` for an extension, which declares no suite.
        var open: [Int: (index: Int, name: String)?] = [:]
        var found: [Int: DeclaredSuite] = [:]
        for (index, line) in file.code {
            let text = line.trimmingPrefix(while: \.isWhitespace)
            let indentation = line.count - text.count
            if text.hasPrefix("@Test"), let suite = open[indentation - 4] ?? nil {
                found[suite.index] = DeclaredSuite(name: suite.name, target: file.target, place: file.place(suite.index))
            }
            let words = text.split { " :{<".contains($0) }.map(String.init)
            guard let position = words.firstIndex(where: kinds.contains), position + 1 < words.count,
                text.hasPrefix("@Suite") || words[..<position].allSatisfy(modifiers.contains)
            else { continue }
            open[indentation] = .some(words[position] == "extension" ? nil : (index, words[position + 1]))
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    private static let kinds: Set = ["struct", "enum", "actor", "class", "extension"]
    private static let modifiers: Set = ["public", "package", "internal", "private", "fileprivate", "final", "indirect"]
}
