import Foundation

/// A file of the repository, line by line: Swift, or SQL of the schema.
struct SourceFile: Sendable, CustomStringConvertible {
    /// Path below the repository, such as `Sources/Core/Routing/Route.swift`.
    let path: String
    let lines: [String]

    /// The target that the file belongs to, by its folder in `Package.swift`; empty for a file of no target.
    var target: String {
        var folder = path.split(separator: "/").dropLast()
        while !folder.isEmpty {
            if let name = Repository.targets[folder.joined(separator: "/")] { return name }
            folder.removeLast()
        }
        return ""
    }
    var description: String { path }

    /// Where a line is, as editors and compilers write it.
    func place(_ index: Int) -> String { "\(path):\(index + 1)" }

    /// Lines with code on them, with their indices: without those that are only comment.
    var code: [(index: Int, text: String)] {
        lines.enumerated().filter { !$0.element.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }.map { ($0.offset, $0.element) }
    }

    /// The modules it imports, each with the line that does.
    var imports: [(index: Int, module: String, line: String)] {
        code.compactMap { index, text in
            let words = text.split(separator: " ").map(String.init)
            guard let position = words.firstIndex(of: "import"), words[..<position].allSatisfy(Self.importModifiers.contains) else {
                return nil
            }
            let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
            let path = words[(position + 1)...].first { !kinds.contains($0) }
            return path.map { (index, String($0.prefix { $0 != "." }), text) }
        }
    }

    private static let importModifiers: Set<String> = [
        "public", "package", "internal", "private", "fileprivate", "@testable", "@preconcurrency", "@_exported", "@_spi",
    ]
}

/// The repository as it lies on disk.
enum Repository {
    static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// The targets of `Package.swift` by their folders: `target("TidingsCore", in: "Core", …)` gives `Sources/Core`.
    static let targets: [String: String] = {
        var targets: [String: String] = [:]
        let words = ((try? text("Package.swift")) ?? "").split { $0.isWhitespace || $0 == "(" || $0 == "," }.map(String.init)
        for (position, word) in words.enumerated().dropLast(3) where words[position + 2] == "in:" {
            guard let root = ["target": "Sources", "provider": "Sources", "tests": "Tests"][word] else { continue }
            let (name, folder) = (words[position + 1], words[position + 3])
            targets["\(root)/\(folder.filter { $0 != "\"" && $0 != ")" })"] = name.filter { $0 != "\"" }
        }
        targets["Sources/Main"] = "tidings"
        for name in modules {
            targets["Sources/Modules/\(name)"] = "Tidings\(name)"
            targets["Tests/Modules/\(name)"] = "Tidings\(name)Tests"
        }
        return targets
    }()

    /// The names in the list `modules` of `Package.swift`.
    static let modules: [String] = {
        let list = (try? text("Package.swift"))?.firstMatch(of: /\nlet modules: \[String\] = \[([^\]]*)\]/)?.output.1 ?? ""
        return list.matches(of: /\w+/).map { String($0.output) }
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func file(_ path: String) throws -> SourceFile {
        var lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return SourceFile(path: path, lines: lines)
    }

    /// Every file of a type below a folder, in order.
    static func files(below folder: String, type: String = "swift") throws -> [SourceFile] {
        let paths = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".\(type)") }.sorted().map { try file("\(folder)/\($0)") }
    }
}
