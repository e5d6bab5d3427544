import Testing

/// Words that do not belong into what ships.
@Suite struct WordTests {
    @Test(arguments: [
        Banned("fatalError(", "throw, or state with preconditionFailure what the caller did wrong"),
        Banned("try!", "handle the error"),
        Banned("as!", "cast conditionally"),
        Banned("print(", "data goes through Output, everything else through the log"),
        Banned("TODO", "do it, or write an issue"),
        Banned("FIXME", "fix it, or write an issue"),
        Banned("Thread.sleep", "no thread of the cooperative pool may block"),
    ])
    func sourcesAreFreeOf(_ banned: Banned) throws {
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.lines.enumerated() where banned.isIn(line) {
                Issue.record("\(file.place(index)) has \(banned.word): \(banned.instead)")
            }
        }
    }

    @Test func unsafeSharingGivesItsReason() throws {
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let before = index > 0 ? file.lines[index - 1] : ""
                #expect(
                    line.contains("//") || before.contains("//"),
                    "\(file.place(index)) shares without the compiler's check: say beside it why that is right")
            }
        }
    }

    @Test func foldersAreNamedForConcepts() throws {
        let kinds: Set = ["Models", "Utils", "Utilities", "Helpers", "Common", "Misc", "New", "Extensions"]
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Tests") {
            let folders = Set(file.path.split(separator: "/").dropLast().map(String.init))
            #expect(folders.isDisjoint(with: kinds), "\(file.path) lies in a folder named for a kind")
        }
    }

    @Test func aWordInsideAnotherIsNotFound() {
        let print = Banned("print(", "")
        #expect(print.isIn("    print(1)"))
        #expect(!print.isIn("    explanation.print(as: format)"))
        #expect(!print.isIn("    static func print(_ catalogue: Catalogue)"))
        #expect(!print.isIn("    blueprint(1)"))
    }
}

/// A word with what to write instead.
struct Banned: Sendable, CustomTestStringConvertible {
    let word: String
    let instead: String

    init(_ word: String, _ instead: String) {
        self.word = word
        self.instead = instead
    }

    var testDescription: String { word }

    /// Whether the line has it as a word of its own: no member of that name, and no declaration of one.
    func isIn(_ line: String) -> Bool {
        var rest = line[...]
        while let range = rest.firstRange(of: word) {
            let before = line[..<range.lowerBound]
            let joins = before.last.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ?? false
            if !joins, !before.hasSuffix("func ") { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}
