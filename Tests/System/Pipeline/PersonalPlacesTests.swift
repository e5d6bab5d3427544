import Foundation
import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsModules
import TidingsPostgres
import TidingsServer
import TidingsStore
import TidingsTestSupport

/// The list of places where a person can stand, compared with the migrated schema and with the topology of the broker.
@Suite struct PersonalPlacesTests {
    private static let ofModules = Modules(Modules.builtIn).projections.personalTables
    private static let tables = PersonalPlaces.tables + ofModules
    /// The sections of all modules of this repository. The schema of an export has them also if this binary lacks a module.
    private static let sectionsOfModules = ["likes", "likes_given", "matches", "unblurs"]

    /// A new table or column needs an entry: in `PersonalPlaces`, or in the module that owns it.
    @Test func everyTableAndColumnHasAnEntry() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let rows = try await system.query(
                """
                select c.relname::text, array_agg(a.attname::text order by a.attname) from pg_class c
                join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                where c.relnamespace = 'tidings'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                group by 1
                """
            ).rows
            var inSchema: [String: [String]] = [:]
            for row in rows {
                let (table, columns) = try row.decode((String, [String]).self)
                inSchema[table] = columns
            }
            try #require(inSchema.count > 40)
            for (table, columns) in inSchema {
                guard let entry = Self.tables.first(where: { $0.name == table }) else {
                    Issue.record("tidings.\(table) has no entry: say what an erasure does there")
                    continue
                }
                let listed = entry.personal + entry.other
                #expect(Set(listed) == Set(columns), "tidings.\(table)")
                #expect(Set(listed).count == listed.count, "tidings.\(table) lists a column twice")
            }
            for entry in Self.tables { #expect(inSchema[entry.name] != nil, "there is no table tidings.\(entry.name)") }
            #expect(Set(Self.tables.map(\.name)).count == Self.tables.count)
        }
    }

    /// The columns that an erasure and an export use exist, and each expression of an export is valid.
    @Test func everyEntryFitsItsTable() async throws {
        try await withTestSystem(usesBroker: false) { system in
            for entry in Self.tables {
                let columns = Set(entry.personal + entry.other)
                switch entry.erasure {
                case .untouched, .kept, .step: break
                case .deletesPerson(let people): #expect(columns.isSuperset(of: people + ["tenant"]), "\(entry.name)")
                case .deletesWithNotification(let id): #expect(columns.contains(id), "\(entry.name)")
                case .deletesWithDevice(let device): #expect(columns.isSuperset(of: [device, "tenant"]), "\(entry.name)")
                }
                for section in entry.sections {
                    let relation = section.view ?? entry.name
                    _ = try await system.query("select \(unsafe: section.columns) from tidings.\(unsafe: relation) r limit 0")
                    for rows in section.rows {
                        switch rows {
                        case .ofPerson(let column, let keys):
                            #expect(columns.isSuperset(of: [column, "tenant"] + keys.map(\.column)), "\(section.name)")
                        case .ofNotification(let column): #expect(columns.contains(column), "\(section.name)")
                        case .refused: #expect(entry.name == "rejected")
                        }
                    }
                }
            }
            let names = Self.tables.flatMap(\.sections).map(\.name)
            #expect(Set(names).count == names.count)
        }
    }

    @Test func everyEntryIsWhole() {
        for entry in Self.tables {
            switch entry.erasure {
            case .untouched: #expect(entry.personal.isEmpty && entry.sections.isEmpty, "\(entry.name)")
            case .kept(let reason): #expect(!reason.isEmpty, "\(entry.name)")
            case .deletesPerson, .deletesWithNotification, .deletesWithDevice, .step: #expect(!entry.personal.isEmpty, "\(entry.name)")
            }
            if !entry.personal.isEmpty, entry.sections.isEmpty { #expect(entry.notExported != nil, "\(entry.name) is not exported") }
        }
        for place in PersonalPlaces.elsewhere { #expect(!place.holds.isEmpty && !place.erasure.isEmpty, "\(place.name)") }
    }

    /// The published form of an export has the sections of the list, and each has the members of its rows.
    @Test func theSchemaOfAnExportHasEverySection() async throws {
        let schema = try SchemaFiles.json("recipient-export.schema.json")
        let sections = Self.tables.flatMap { table in table.sections.map { (relation: $0.view ?? table.name, section: $0) } }
        let described = schema["properties"]?["data"]
        let own = PersonalPlaces.tables.flatMap(\.sections).map(\.name)
        #expect(Set(described?["properties"]?.objectValue?.keys ?? []) == Set(own + Self.sectionsOfModules))
        #expect(described?["required"]?.arrayValue == own.map { JSON.string($0) })
        #expect(Set(Self.sectionsOfModules).isSuperset(of: Self.ofModules.flatMap(\.sections).map(\.name)))
        try await withTestSystem(usesBroker: false) { system in
            for (relation, section) in sections {
                // A row of nulls has the names of the columns.
                let members = try await system.query(
                    """
                    select k from (
                        select \(unsafe: section.columns) from tidings.\(unsafe: relation) r right join (values (1)) one(n) on false
                    ) e cross join lateral json_object_keys(row_to_json(e)) k
                    """
                ).rows.map { try $0.decode(String.self) }
                let element = schema["$defs"]?[section.name]
                #expect(element?["properties"]?.objectValue?.keys == members, "\(section.name)")
                #expect(element?["required"]?.arrayValue?.compactMap(\.stringValue) == members, "\(section.name)")
            }
        }
    }

    /// The guide shows the list as it is. Tables without anything of a person are left out.
    @Test func everyPlaceStandsInTheGuide() throws {
        let page = TestSystem.repository.appendingPathComponent("Sources/Documentation.docc/Erasing.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = PersonalPlaces.tables.filter { $0.erasure != .untouched }.map(Self.row)
        let ofModules = Self.ofModules.filter { $0.erasure != .untouched }.map(Self.row)
        let places = PersonalPlaces.elsewhere.map { place in
            let name = place.name.hasPrefix("tidings.") ? "`\(place.name)`" : place.name
            return "| \(name) | \(place.holds) | \(place.erasure) |"
        }
        for row in rows + ofModules + places { #expect(lines.contains(row), "Erasing.md lacks the row \(row)") }
        let start = try #require(lines.firstIndex(of: "### Tables"))
        let end = try #require(lines.firstIndex(of: "### Tables of modules"))
        // The heading of the table and its rule are two more lines.
        #expect(lines[start..<end].count { $0.hasPrefix("|") } == rows.count + 2)
    }

    private static func row(_ table: PersonalTable) -> String {
        func code(_ names: [String]) -> String { names.map { "`\($0)`" }.joined(separator: ", ") }
        let effect =
            switch table.erasure {
            case .untouched: ""
            case .kept(let reason): "kept: \(reason)"
            case .deletesPerson: "deleted"
            case .deletesWithNotification: "deleted with the notification"
            case .deletesWithDevice: "deleted with the device"
            case .step(let step): "step `\(step.rawValue)`"
            }
        let left = table.notExported.map { "not: \($0)" } ?? "not"
        let export = table.sections.isEmpty ? left : code(table.sections.map(\.name))
        return "| `\(table.name)` | \(table.personal.isEmpty ? "none" : code(table.personal)) | \(effect) | \(export) |"
    }

    @Test func everyQueueHasAnEntry() {
        let topology = TopologySpec.spec(for: .builtIn)
        let queues = topology.queues.map(\.name) + [QueueNames.realtimeQueue]
        for queue in queues {
            let isListed = PersonalPlaces.elsewhere.contains { place in
                place.name.hasSuffix("*") ? queue.hasPrefix(place.name.dropLast()) : queue == place.name
            }
            #expect(isListed, "the queue \(queue) has no entry")
        }
    }
}
