import Testing

/// A file holds one concept, a function fits on a screen. Beyond these sizes a reader should look: the file or function is split by concept, or
/// gets its reason here.
@Suite struct SizeTests {
    private static let fileLines = 350
    private static let functionLines = 70
    /// Files and functions that read better in one piece, each with its reason.
    private static let exceptions: [String: String] = [:]

    /// The formatter keeps code within 140; this is for what it leaves alone, SQL in literals and comments.
    private static let lineCharacters = 160

    @Test func filesAreShort() throws {
        for file in try Repository.files(below: "Sources") {
            guard file.lines.count > Self.fileLines, Self.exceptions[file.path] == nil else { continue }
            Issue.record("\(file.path) has \(file.lines.count) lines: split it by concept, or name it in exceptions")
        }
    }

    @Test func linesFitOnAScreen() throws {
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Tests") {
            for (index, line) in file.lines.enumerated() where line.count > Self.lineCharacters && !Self.isUnbreakable(line) {
                Issue.record("\(file.place(index)) has \(line.count) characters")
            }
        }
    }

    /// A line that is one long word, such as an address or a test's vector.
    private static func isUnbreakable(_ line: String) -> Bool {
        line.split(separator: " ").contains { $0.count > lineCharacters / 2 }
    }

    @Test func functionsFitOnAScreen() throws {
        for file in try Repository.files(below: "Sources") {
            for function in Function.all(in: file) where function.lines > Self.functionLines {
                guard Self.exceptions["\(file.path) \(function.name)"] == nil else { continue }
                Issue.record("\(file.place(function.index)) \(function.name) has \(function.lines) lines")
            }
        }
    }

    @Test func theMeasureOfAFunctionIsRight() {
        let body = Array(repeating: "        work()", count: 71)
        let file = SourceFile(
            path: "a",
            lines: ["struct S {", "    func long(", "        _ a: Int", "    ) {"] + body + ["    }", "    func short() { work() }", "}"])
        #expect(Function.all(in: file).map(\.lines) == [75, 1])
    }
}

/// A function, initialiser or computed property with the lines it takes, from its first to its closing brace. Relies on the formatter: the
/// closing brace stands alone, as far in as the first line.
private struct Function {
    let index: Int
    let name: String
    let lines: Int

    static func all(in file: SourceFile) -> [Function] {
        file.code.compactMap { index, text in
            let trimmed = text.trimmingPrefix(while: \.isWhitespace)
            guard begins(trimmed) else { return nil }
            let closing = String(text.prefix(text.count - trimmed.count)) + "}"
            let isWhole = trimmed.hasSuffix("}") && trimmed.filter { $0 == "{" }.count == trimmed.filter { $0 == "}" }.count
            let end = isWhole ? index : file.lines[index...].firstIndex(of: closing)
            return end.map { Function(index: index, name: String(trimmed.prefix(60)), lines: $0 - index + 1) }
        }
    }

    private static func begins(_ line: Substring) -> Bool {
        let words = line.split { $0 == " " || $0 == "(" || $0 == "<" || $0 == "?" }
        let keyword = words.first { !modifiers.contains(String($0)) && !$0.hasPrefix("@") && !$0.hasPrefix("nonisolated") }
        guard let keyword else { return false }
        if keyword == "var" { return line.hasSuffix("{") }
        return ["func", "init", "deinit", "subscript"].contains(keyword) && (line.contains("{") || line.hasSuffix("("))
    }

    private static let modifiers: Set<String> = [
        "public", "package", "internal", "private", "fileprivate", "static", "final", "mutating", "override", "convenience", "required",
        "isolated", "class", "consuming", "borrowing", "prefix", "infix", "indirect", "lazy",
    ]
}
