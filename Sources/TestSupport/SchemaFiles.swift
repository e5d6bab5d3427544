import FoundationEssentials
import Glibc
public import TidingsJSON
public import TidingsJSONSchema

/// The files of the repository's `schemas` folder.
public enum SchemaFiles {
    /// The folder, found from the path of this source file. Symbolic links are resolved.
    public static let folder: String = {
        guard let path = realpath(#filePath, nil) else { preconditionFailure("the tests' own source file is gone") }
        defer { free(path) }
        var steps = String(cString: path).split(separator: "/")
        func entry(_ name: String) -> String { "/" + (steps + [Substring(name)]).joined(separator: "/") }
        while !steps.isEmpty, access(entry("Package.swift"), F_OK) != 0 { steps.removeLast() }
        return entry("schemas")
    }()

    /// Returns a file's text. Throws ``Missing`` if there is no such file.
    public static func text(_ name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { throw Missing(name: name) }
        return String(decoding: data, as: UTF8.self)
    }

    public static func json(_ name: String) throws -> JSON {
        try JSON.parse(text(name))
    }

    /// The compiled schema `<name>.schema.json`.
    /// - Parameter others: the names of the schemas that it refers to by `$id`.
    public static func schema(_ name: String, with others: [String] = []) throws -> JSONSchema {
        guard case .object(var document) = try json(name + ".schema.json") else { throw Missing(name: name) }
        var definitions = document["$defs"]?.objectValue ?? JSONObject()
        for other in others { definitions[other] = try json(other + ".schema.json") }
        if !others.isEmpty { document["$defs"] = .object(definitions) }
        return try JSONSchema(.object(document), assertFormats: true)
    }

    /// The names of the JSON files in a folder of examples, sorted.
    public static func examples(_ name: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/examples/\(name)")
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "examples/\(name)/\($0)" }
    }

    /// The folder has no file of that name.
    public struct Missing: Error, Sendable {
        public let name: String
    }
}
