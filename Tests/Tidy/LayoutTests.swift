import Foundation
import Testing

/// The place of everything.
@Suite struct LayoutTests {
    /// Dot files aside, what the top level may hold; editors and builds keep theirs in dot folders.
    private static let topLevel: Set = [
        "Package.swift", "Package.resolved", "Sources", "Tests", "deploy", "schemas", "README.md", "LICENSE", "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]

    @Test func theTopLevelHoldsNothingElse() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path).filter { !$0.hasPrefix(".") }
        #expect(Set(entries).subtracting(Self.topLevel).isEmpty)
    }

    /// The architecture: the first listing of `Sources` is the list of layers, see `Sources/Documentation.docc/Architecture.md`.
    private static let rooms: Set = [
        "Core", "Formats", "Contracts", "Catalogue", "Drivers", "Store", "Pipeline", "Providers", "Web", "Modules", "Runtime", "Interfaces",
        "Tools", "Main", "Clients", "TestSupport", "Documentation.docc",
    ]

    @Test func sourcesAreTheRoomsOfTheArchitecture() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appendingPathComponent("Sources").path)
        #expect(Set(entries).subtracting(Self.rooms).isEmpty)
    }

    @Test func everyFileBelongsToATarget() throws {
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Tests") {
            #expect(!file.target.isEmpty, "\(file.path) belongs to no target")
        }
    }

    /// A reader of the schema must find every statement about a table in one place.
    @Test func onlyTheStoreAndModulesHoldSQL() throws {
        let holders: Set = ["TidingsStore", "TidingsTestSupport"]
        for file in try Repository.files(below: "Sources") where !holders.contains(file.target) && !file.path.hasPrefix("Sources/Modules/")
        {
            for (index, line) in file.code where line.contains(/\b(from|join|into|update) tidings\.[a-z]/) {
                Issue.record("\(file.place(index)) has SQL, which belongs into TidingsStore")
            }
        }
    }

    /// A module owns its tables, in an SQL file of its folder. Its SQL is its own, because the store cannot know the modules that a binary
    /// has. The clock and the types of the active catalogue are for everybody.
    @Test func aModuleUsesOnlyItsOwnTables() throws {
        let shared: Set = ["clock", "active_catalogue", "catalogue_types"]
        let files = try Repository.files(below: "Sources/Modules")
        try #require(!files.isEmpty)
        for file in files {
            let folder = file.path.split(separator: "/").prefix(3).joined(separator: "/")
            let schema = try Repository.files(below: folder, type: "sql").flatMap(\.lines).joined(separator: "\n")
            let own = Set(schema.matches(of: /create table tidings\.([a-z_]+)/).map { String($0.1) })
            for (index, line) in file.code {
                for name in line.matches(of: /tidings\.([a-z_]+)/).map({ String($0.1) }) where !own.contains(name) {
                    #expect(shared.contains(name), "\(file.place(index)) uses tidings.\(name), which is not of the module")
                }
            }
        }
    }

    /// A table that the part of its module does not name would have no row-level security, and no migration would look for it.
    @Test func aPartNamesEveryTableOfItsModule() throws {
        try #require(!Repository.modules.isEmpty)
        for module in Repository.modules {
            let folder = "Sources/Modules/\(module)"
            let sql = try Repository.files(below: folder, type: "sql").flatMap(\.lines).joined(separator: "\n")
            let swift = try Repository.files(below: folder).flatMap { $0.code.map(\.text) }.joined(separator: "\n")
            let created = sql.matches(of: /create table tidings\.(\w+)/).map { String($0.1) }
            let named = swift.matches(of: /(?:\.init|Table)\(\s*"(\w+)",\s*seenBy:/).map { String($0.1) }
            #expect(!created.isEmpty && created.sorted() == named.sorted(), "\(folder) creates \(created) and names \(named)")
        }
    }

    /// An answer is read by the ticket of its statement, and its rows by a reader. Values of many rows are bound with the names of their
    /// columns (`Column.swift`), and kept as rows.
    @Test func noAnswerIsReadByItsNumberAndNoColumnIsKeptByHand() throws {
        let byHand: [(Regex<AnyRegexOutput>, String)] = [
            (Regex(/answers\[|results\[\d|rows\[0\]|\)\[\d\]/), "reads an answer by its number: use a Ticket"),
            (Regex(/unnest\(\\\([^)]*\)+, \\\(/), "binds columns without their names: use relation(_:_:)"),
            (Regex(/var \w+: \[(PostgresUUID|PostgresTimestamp|Int16|Int32)\??\] = \[\]/), "keeps a column by hand: keep rows"),
        ]
        for file in try Repository.files(below: "Sources/Store") + Repository.files(below: "Sources/Modules")
        where !file.path.hasSuffix("/Column.swift") {
            for (index, line) in file.code {
                for (pattern, fault) in byHand { #expect(!line.contains(pattern), "\(file.place(index)) \(fault)") }
            }
        }
    }

    /// A table that a row declares has no INSERT beside that of its declaration.
    @Test func onlyItsDeclarationInsertsIntoATable() throws {
        let files = try Repository.files(below: "Sources/Store") + Repository.files(below: "Sources/Modules")
        let declared = Set(
            files.flatMap { file in
                file.lines.joined(separator: "\n").matches(of: /Table<\w+>\(\s*"tidings\.([a-z_]+)/).map { String($0.1) }
            })
        #expect(declared.isSuperset(of: ["due", "deliveries", "attempts", "packs", "decisions", "inbox"]))
        for file in files {
            for (index, line) in file.code {
                for match in line.matches(of: /insert into tidings\.([a-z_]+)/) where declared.contains(String(match.1)) {
                    // It divides a pack, and copies columns that no new pack has.
                    let divides = file.path.hasSuffix("/Store+Recover.swift") && match.1 == "packs"
                    #expect(divides, "\(file.place(index)) inserts into tidings.\(match.1): use the row of the table")
                }
            }
        }
    }

    /// The counts and positions of an inbox are right only if every change of entries is made by the same statements.
    @Test func onlyTheseFilesWriteInboxes() throws {
        let writers = ["inbox": ["InboxWrite"], "inboxes": ["InboxRow", "InboxWrite", "Store+InboxUpkeep"]]
        var found: Set<String> = []
        for file in try Repository.files(below: "Sources/Store") {
            let name = String(file.path.split(separator: "/").last?.dropLast(".swift".count) ?? "")
            for (index, line) in file.code {
                for match in line.matches(of: /\b(update|delete from|insert into) tidings\.(inboxes|inbox)\b/) {
                    found.insert(name)
                    let table = String(match.2)
                    #expect(writers[table]?.contains(name) == true, "\(file.place(index)) writes tidings.\(table)")
                }
            }
        }
        #expect(found == ["InboxRow", "InboxWrite", "Store+InboxUpkeep"])
    }

    /// A reader of a row must find every code in the table that explains them.
    @Test func everyReasonCodeIsExplained() throws {
        let files = try Repository.files(below: "Sources/Core/Reasons")
        let declaration = try #require(files.first { $0.path.hasSuffix("/ReasonCode.swift") })
        let codes = declaration.lines.filter { $0.hasPrefix("    case ") && !$0.contains(".") && !$0.contains(":") }
            .flatMap { $0.dropFirst(9).split(separator: ",").map { $0.filter { !$0.isWhitespace } } }
        try #require(codes.count > 50)
        let explanations = files.filter { $0.path.hasSuffix("Reasons.swift") }.flatMap(\.lines).joined(separator: "\n")
        for code in codes {
            #expect(explanations.contains(".\(code),"), "\(code) has no explanation")
        }
    }

    /// Editors and generators read them without our parser.
    @Test func schemasAreValidJSON() throws {
        let folder = Repository.root.appendingPathComponent("schemas")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { $0.hasSuffix(".json") }
        try #require(!files.isEmpty)
        for path in files {
            let data = try Data(contentsOf: folder.appendingPathComponent(path))
            #expect(throws: Never.self, "schemas/\(path)") { try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }
        }
    }
}
