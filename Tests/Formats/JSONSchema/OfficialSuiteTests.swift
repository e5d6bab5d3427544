import Glibc
import Testing
import TidingsJSON
import TidingsJSONSchema

/// The official JSON-Schema-Test-Suite, draft 2020-12, from the folder that TIDINGS_JSON_SCHEMA_SUITE names. Every group whose schema is
/// accepted must pass every case. The refused groups must be exactly the listed ones, so that support cannot shrink unseen.
@Suite(.enabled(if: OfficialSuite.folder != nil, "TIDINGS_JSON_SCHEMA_SUITE is not set"))
struct OfficialSuiteTests {
    @Test func everyGroupOfTheRequiredSuitePasses() throws {
        let files = try OfficialSuite.files(in: "draft2020-12")
        #expect(files.count > 40, "the suite's folder holds too few files")
        var tally = OfficialSuite.Tally()
        for file in files { try tally.run(file, assertFormats: false) }
        #expect(tally.failures == [])
        #expect(tally.passed > 1_200)
        #expect(tally.refused == Self.refusedGroups)
        OfficialSuite.report("required suite", tally)
    }

    @Test func assertedFormatsPassTheirOptionalSuite() throws {
        var tally = OfficialSuite.Tally()
        for format in JSONSchema.supportedFormats {
            try tally.run(OfficialSuite.path("draft2020-12/optional/format/\(format).json"), assertFormats: true)
        }
        #expect(tally.failures == [])
        #expect(tally.passed > 250)
        #expect(tally.refused == [:])
        OfficialSuite.report("formats", tally)
    }

    @Test(arguments: ["bignum", "float-overflow", "non-bmp-regex", "ecmascript-regex", "anchor", "id", "dynamicRef", "no-schema"])
    func optionalBehaviourThatIsClaimedPasses(_ name: String) throws {
        var tally = OfficialSuite.Tally()
        try tally.run(OfficialSuite.path("draft2020-12/optional/\(name).json"), assertFormats: false)
        #expect(tally.failures == [])
        #expect(tally.passed > 0)
        #expect(tally.refused.keys.allSatisfy { Self.refusedGroups[$0] != nil })
    }

    /// The refused groups of the required suite, by reason and keyword. 20 refer to documents of the suite's own server, 2 to the
    /// metaschema. The rest are metaschemas with a choice of vocabularies.
    private static let refusedGroups = ["remoteReference $ref": 22, "unsupportedDraft $schema": 2]
}

enum OfficialSuite {
    static let folder = getenv("TIDINGS_JSON_SCHEMA_SUITE").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }

    static func path(_ relative: String) throws -> String { try #require(folder) + "/" + relative }

    /// The JSON files directly in a folder, sorted. A missing folder fails the test.
    static func files(in relative: String) throws -> [String] {
        let path = try path(relative)
        let directory = try #require(opendir(path), "\(path) cannot be opened")
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.hasSuffix(".json") { names.append(path + "/" + name) }
        }
        return names.sorted()
    }

    static func read(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "rb"), "\(path) cannot be opened")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    /// Writes the counts to the standard error output, where a person looks for them.
    static func report(_ title: String, _ tally: Tally) {
        let line = Array("JSON Schema \(title): \(tally.summary)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    struct Tally {
        var passed = 0
        var groups = 0
        var failures: [String] = []
        var refused: [String: Int] = [:]

        var summary: String {
            let list = refused.sorted { $0.key < $1.key }.map { "\($0.key) ×\($0.value)" }.joined(separator: ", ")
            return "\(passed) cases passed in \(groups) groups, \(failures.count) failed, refused groups: \(list.isEmpty ? "none" : list)"
        }

        mutating func run(_ path: String, assertFormats: Bool) throws {
            var limits = JSONLimits()
            limits.allowsNulCharacter = true
            let name = path.split(separator: "/").last.map(String.init) ?? path
            for group in try #require(try JSON.parse(OfficialSuite.read(path), limits: limits).arrayValue) {
                let title = name + " / " + (group["description"]?.stringValue ?? "")
                let schema: JSONSchema
                do throws(SchemaError) {
                    schema = try JSONSchema(group["schema"] ?? .null, assertFormats: assertFormats)
                } catch {
                    refused["\(error.code.rawValue) \(error.keyword)", default: 0] += 1
                    continue
                }
                groups += 1
                for test in group["tests"]?.arrayValue ?? [] {
                    let data = test["data"] ?? .null
                    let violations = schema.validate(data)
                    let isExpected = violations.isEmpty == test["valid"]?.boolValue && schema.isValid(data) == violations.isEmpty
                    if isExpected { passed += 1 } else { failures.append("\(title) / \(test["description"]?.stringValue ?? "")") }
                }
            }
        }
    }
}
