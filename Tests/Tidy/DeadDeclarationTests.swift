import Testing

/// A declaration that no code names is dead. The compiler warns only about dead local ones.
///
/// The search compares whole words. It does not find a dead declaration if something else has the same name.
@Suite struct DeadDeclarationTests {
    /// Names that this repository declares and does not call, each with its caller.
    private static let callers = [
        "InboundIn": "SwiftNIO, for the type that a handler reads",
        "InboundOut": "SwiftNIO, for the type that a handler passes on",
        "OutboundIn": "SwiftNIO, for the type that a handler is given to write",
        "appendInterpolation": "the compiler, for an interpolation in a literal of SQL",
        "appendLiteral": "the compiler, for the text of a literal of SQL",
        "callAsFunction": "the compiler, for a value that is called like a function",
        "channelActive": "SwiftNIO, when a connection opens",
        "channelInactive": "SwiftNIO, when a connection closes",
        "channelRead": "SwiftNIO, for each part that arrives",
        "channelWritabilityChanged": "SwiftNIO, when the buffer of a connection fills or empties",
        "customMirror": "the standard library, for `dump` and mirrors",
        "errorCaught": "SwiftNIO, for an error of a connection",
        "handlerAdded": "SwiftNIO, when a pipeline takes a handler",
        "handlerRemoved": "SwiftNIO, when a pipeline drops a handler",
        "urlSession": "Foundation, for each event of a transfer",
        "userInboundEventTriggered": "SwiftNIO, for an event of another handler",
    ]

    @Test func everyDeclarationIsUsed() throws {
        let sources = try Repository.files(below: "Sources")
        // This file writes the names of the list above, which is no use of them.
        let tests = try Repository.files(below: "Tests").filter { !$0.path.hasSuffix("/DeadDeclarationTests.swift") }
        let others = try tests + [Repository.file("Package.swift")]
        let libraries = try Self.libraries()
        try #require(libraries.count > 10, "the libraries of Package.swift are not recognised any more")
        let unused = Declaration.unused(in: sources, besides: others)
        for declaration in unused where Self.callers[declaration.name] == nil {
            // Other packages use the public declarations of a library.
            guard !declaration.isPublic || !libraries.contains(declaration.file.target) else { continue }
            Issue.record("\(declaration.file.place(declaration.index)) \(declaration.name) is used nowhere: remove it")
        }
        for name in Set(Self.callers.keys).subtracting(unused.map(\.name)).sorted() {
            Issue.record("\(name) is no name without a use any more: take it off the list")
        }
    }

    /// The targets of the libraries that `Package.swift` offers to other packages.
    private static func libraries() throws -> Set<String> {
        let lists = try Repository.text("Package.swift").matches(of: /\.library\(\s*name: "\w+", targets: \[([^\]]*)\]/)
        return Set(lists.flatMap { $0.output.1.matches(of: /\w+/).map { String($0.output) } })
    }

    @Test func aDeadDeclarationIsFound() {
        let file = SourceFile(
            path: "Sources/Core/A.swift",
            lines: [
                "/// Not dead() but used().", "public struct Used {", "    private static let dead = 1  // dead",
                "    func `repeat`() { own() }", "    private func own() {}",
                "    @discardableResult func deadToo(_ deadToo2: Int) -> Int { 1 }",
                "    var value: Int {", "        switch Word.first {", "        case .first, .second(1, count: 2): 1", "        }", "    }",
                "}", "enum Word {",
                "    case first, second(Int, count: Int), third", "    override func inherited() {}", "}", "enum Code: Int {",
                "    case spare = 64", "}", "public enum Open {", "    case extra", "}",
            ])
        let other = SourceFile(
            path: "Tests/Core/ATests.swift", lines: ["Used().value + dead.deadToo2", "// third", "repeat { Code(), Open() }"])
        let unused = Declaration.unused(in: [file], besides: [other])
        #expect(unused.map(\.name) == ["dead", "deadToo", "third", "extra"])
        #expect(unused.map(\.index) == [2, 5, 13, 20])
        #expect(unused.map(\.isPublic) == [false, false, false, true])
    }
}

/// A declaration with a name. Relies on the formatter: a member stands four columns further in than its type.
///
/// Not listed are an initialiser, a subscript and an operator, whose uses do not write a name, and an override, which the superclass calls.
private struct Declaration {
    let name: String
    let file: SourceFile
    let index: Int
    let isPublic: Bool
    /// Whether only its file can use it.
    let isPrivate: Bool

    /// Returns the declarations of `files` that nothing names in `files` and `others`. Only its own file can use a private declaration.
    static func unused(in files: [SourceFile], besides others: [SourceFile]) -> [Declaration] {
        var everywhere: [String: Int] = [:]
        for file in others { everywhere.merge(counts(in: file), uniquingKeysWith: +) }
        var found: [(declarations: [Declaration], counts: [String: Int])] = []
        for file in files {
            let declarations = all(in: file)
            var counts = counts(in: file)
            for declaration in declarations { counts[declaration.name, default: 0] -= 1 }
            everywhere.merge(counts, uniquingKeysWith: +)
            found.append((declarations, counts))
        }
        return found.flatMap { declarations, counts in
            declarations.filter { ($0.isPrivate ? counts : everywhere)[$0.name] == 0 }
        }
    }

    static func all(in file: SourceFile) -> [Declaration] {
        /// The latest line at each indentation.
        var open: [Int: [Substring]] = [:]
        var found: [Declaration] = []
        for (index, line) in file.code {
            let words = words(of: line)
            guard let first = words.first, first != "{" else { continue }
            let indentation = line.prefix { $0 == " " }.count
            open[indentation] = words
            guard let position = words.firstIndex(where: kinds.contains), position + 1 < words.count,
                words[..<position].allSatisfy(isModifier)
            else { continue }
            let owner = open[indentation - 4] ?? []
            let isCase = words[position] == "case"
            guard !isCase || isPlainEnum(owner) else { continue }
            // Cases and requirements have the access of their type, and members may have that of their extension.
            let inherits = isCase || owner.contains("protocol") || owner.contains("extension")
            let access = words[..<position] + (inherits ? owner : [])
            for name in isCase ? caseNames(words[(position + 1)...]) : Array(names(in: words[position + 1]).prefix(1)) {
                found.append(
                    Declaration(
                        name: name, file: file, index: index, isPublic: access.contains("public"),
                        isPrivate: words[..<position].contains { $0 == "private" || $0 == "fileprivate" }))
            }
        }
        return found
    }

    /// How often each name stands in the code of a file.
    private static func counts(in file: SourceFile) -> [String: Int] {
        var counts: [String: Int] = [:]
        for (_, line) in file.code {
            for word in words(of: line) {
                for name in names(in: word) { counts[name, default: 0] += 1 }
            }
        }
        return counts
    }

    /// Whether the line opens an enum whose cases are made by their names alone. With a raw value or `allCases` no code has to name a case.
    private static func isPlainEnum(_ line: [Substring]) -> Bool {
        line.contains("enum") && !line.contains { word in names(in: word).first.map(makers.contains) ?? false }
    }

    /// The names of `a, b(Int, count: Int), c`.
    private static func caseNames(_ words: ArraySlice<Substring>) -> [String] {
        var depth = 0
        var outside = ""
        for character in words.joined(separator: " ") {
            if character == "(" { depth += 1 }
            if depth == 0 { outside.append(character) }
            if character == ")" { depth -= 1 }
        }
        return outside.split(separator: ",").compactMap { names(in: $0).first }
    }

    /// The words of a line, without the comment beside code.
    private static func words(of line: String) -> [Substring] {
        Array(line.split(separator: " ").prefix { $0 != "//" })
    }

    private static func names(in word: Substring) -> [String] {
        word.utf8.split { !isPartOfName($0) }.map { String(Substring($0)) }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || modifiers.contains(word.prefix { $0 != "(" })
    }

    private static let kinds: Set<Substring> = [
        "func", "var", "let", "case", "struct", "enum", "class", "actor", "typealias", "protocol",
    ]
    /// Modifiers that may stand before a declaration, without `override`.
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "static", "final", "mutating", "nonmutating", "nonisolated", "isolated",
        "consuming", "borrowing", "prefix", "postfix", "infix", "indirect", "lazy", "weak", "unowned", "async", "dynamic",
    ]
    private static let makers: Set = [
        "String", "Character", "Int", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "CaseIterable", "CodingKey",
    ]
}
