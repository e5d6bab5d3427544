import FoundationEssentials
import Glibc
import Testing

@testable import TidingsWire

/// The files of the repository's `schemas` folder.
enum SchemaFiles {
    /// Found from where this file is compiled; links on the way are followed.
    static let folder: String = {
        guard let path = realpath(#filePath, nil) else { preconditionFailure("the tests' own source file is gone") }
        defer { free(path) }
        var steps = String(cString: path).split(separator: "/")
        func entry(_ name: String) -> String { "/" + (steps + [Substring(name)]).joined(separator: "/") }
        while !steps.isEmpty, access(entry("Package.swift"), F_OK) != 0 { steps.removeLast() }
        return entry("schemas")
    }()

    static func text(_ name: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"), "no file \(name)"), as: UTF8.self)
    }

    static func json(_ name: String) throws -> JSON {
        try JSON.parse(text(name))
    }

    static func schema(_ name: String) throws -> JSONSchema {
        try JSONSchema(json(name + ".schema.json"), assertFormats: true)
    }

    /// The names of the JSON files in a folder, sorted.
    static func examples(_ name: String) throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/examples/\(name)")
        return names.filter { $0.hasSuffix(".json") }.sorted().map { "examples/\(name)/\($0)" }
    }

    /// A YAML file as JSON.
    static func yaml(_ text: String) throws -> JSON {
        try JSON.parse(#require(YAMLValue(document: text, ProblemLog()).json()))
    }
}
