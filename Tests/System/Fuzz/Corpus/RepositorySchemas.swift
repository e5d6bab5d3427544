import FoundationEssentials
import Glibc

/// The files of the repository's `schemas` folder, as inputs for mutation.
enum RepositorySchemas {
    /// The folder, found from the path of this source file. Symbolic links are resolved.
    private static let folder: String = {
        guard let path = realpath(#filePath, nil) else { preconditionFailure("the tests' own source file is gone") }
        defer { free(path) }
        var steps = String(cString: path).split(separator: "/")
        func entry(_ name: String) -> String { "/" + (steps + [Substring(name)]).joined(separator: "/") }
        while !steps.isEmpty, access(entry("Package.swift"), F_OK) != 0 { steps.removeLast() }
        return entry("schemas")
    }()

    /// The contents of all JSON files below a folder of `schemas`, in the order of their names.
    static func files(below name: String) -> [[UInt8]] {
        let top = name.isEmpty ? folder : "\(folder)/\(name)"
        var found: [String] = []
        var folders = [top]
        while let next = folders.popLast() {
            for entry in (try? FileManager.default.contentsOfDirectory(atPath: next)) ?? [] {
                var isFolder = false
                guard FileManager.default.fileExists(atPath: "\(next)/\(entry)", isDirectory: &isFolder) else { continue }
                if isFolder { folders.append("\(next)/\(entry)") } else if entry.hasSuffix(".json") { found.append("\(next)/\(entry)") }
            }
        }
        return found.sorted().compactMap { FileManager.default.contents(atPath: $0).map { [UInt8]($0) } }
    }
}
