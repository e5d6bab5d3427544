import Foundation
import TidingsTestSupport

/// The functions that the sources of the store declare. Relies on the formatter: only declarations of a file begin in the first column.
struct StoreFunctions {
    /// The functions of `Store` and of its handles that other modules may call and that may send statements: those with `async`. A function
    /// of a handle has the name of the handle before its own, as in `inbox.page`.
    private(set) var offered: Set<String> = []
    /// The functions of every type, whatever their access is.
    private(set) var all: Set<String> = []

    init() throws {
        let folder = TestSystem.repository.appendingPathComponent("Sources/Store").path
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        for path in paths where path.hasSuffix(".swift") {
            read(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8))
        }
    }

    /// - Parameter text: the text of a file.
    init(reading text: String) { read(text) }

    private mutating func read(_ text: String) {
        var prefix: String?
        var open: Head?
        for line in text.split(separator: "\n") {
            if line.first?.isLetter == true { prefix = Self.prefix(in: line) }
            let code = line.trimmingPrefix(while: \.isWhitespace)
            if code.hasPrefix("//") { continue }
            var head = open ?? Head(code)
            if open != nil { head?.text.append(" \(code)") }
            open = head
            // The head of a function ends with its body, on one line or on many.
            guard let head, code.hasSuffix("{") || code.hasSuffix("}") else { continue }
            open = nil
            all.insert((prefix ?? "") + head.name)
            if let prefix, head.isOffered { offered.insert(prefix + head.name) }
        }
    }

    /// The text before the names of the functions of a declaration: nothing for the store, `inbox.` for `Store.Inbox`. Nil for another
    /// type.
    private static func prefix(in line: Substring) -> String? {
        if line.hasPrefix("extension Store {") || line.hasPrefix("public struct Store:") { return "" }
        guard let handle = line.prefixMatch(of: /extension Store\.(\w+) \{/)?.output.1 else { return nil }
        return "\(handle.prefix(1).lowercased())\(handle.dropFirst())."
    }

    /// A function up to the beginning of its body.
    private struct Head {
        let name: String
        private let modifiers: Set<String>
        var text: String

        /// Nil if the line begins no function.
        init?(_ code: Substring) {
            let words = code.split { " (<".contains($0) }.map(String.init)
            guard let position = words.firstIndex(of: "func"), position + 1 < words.count else { return nil }
            modifiers = Set(words[..<position])
            guard modifiers.isSubset(of: Self.known) else { return nil }
            name = words[position + 1]
            text = String(code)
        }

        var isOffered: Bool {
            !modifiers.isDisjoint(with: ["public", "package"]) && !modifiers.contains("static") && text.contains(" async")
        }

        private static let known: Set = [
            "public", "package", "internal", "private", "fileprivate", "static", "mutating", "@discardableResult",
        ]
    }
}
