import Testing
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A module that gets a further table after its first release. Databases of the first release have only the other one.
@Suite struct IncompletePartTests {
    private static let visits = SchemaPart(
        of: "visits",
        sql: """
            create table tidings.visits (tenant text, recipient_id text, visitor text);
            create table tidings.visit_days (tenant text, recipient_id text, day date);
            """,
        tables: [.init("visits", seenBy: "recipient_id"), .init("visit_days", seenBy: "recipient_id")],
        rights: [.init(.app, .select, on: "visits visit_days")])
    private static let ratings = SchemaPart(
        of: "ratings", sql: "create table tidings.ratings (tenant text, recipient_id text, stars integer);",
        tables: [.init("ratings", seenBy: "recipient_id")], rights: [.init(.app, .select, on: "ratings")])
    private static let incomplete = StoreError.partIncomplete(module: "visits", missing: ["visit_days"], present: ["visits"])

    /// A step that adds the further table.
    private static let addingStep = Migration(
        number: Migration.latest + 1, name: "visit days", kind: .expand,
        sql: """
            create table tidings.visit_days (tenant text, recipient_id text, day date);
            alter table tidings.visit_days enable row level security;
            alter table tidings.visit_days force row level security;
            """)
    /// A step of something else.
    private static let otherStep = Migration(
        number: Migration.latest + 1, name: "other", kind: .expand, sql: "alter table tidings.workers add column test integer")

    /// Runs the body with a database of the first release of the module, and a migrator of the second one with further steps.
    private static func with(_ steps: [Migration], _ body: (TestSystem, Store, Migrator) async throws -> Void) async throws {
        try await withTestSystem(usesBroker: false) { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            try await Migrator(configuration, parts: TestSystem.parts + [VisitsModule().schema]).migrate()
            _ = try await system.query("update tidings.reason_codes set meaning = 'old' where code = 'delivered'")
            let store = Store(configuration, size: 1, name: "part tests")
            do {
                try await body(
                    system, store, Migrator(configuration, parts: TestSystem.parts + [visits, ratings], steps: Migration.all + steps))
                await store.close()
            } catch {
                await store.close()
                throw error
            }
        }
    }

    private static let oldMeanings: SQL = "select count(*) from tidings.reason_codes where meaning = 'old'"
    private static let tablesOfRatings: SQL = "select count(*) from pg_tables where schemaname = 'tidings' and tablename = 'ratings'"

    @Test func aStepAddsATableToAPart() async throws {
        try await Self.with([Self.addingStep]) { _, store, migrator in
            let plan = try await migrator.plan()
            #expect(plan.steps.map(\.name) == ["visit days"] && plan.parts.map(\.module) == ["ratings"])
            let result = try await migrator.migrate()
            #expect(result.steps.map(\.name) == ["visit days"] && result.parts.map(\.module) == ["ratings"])
            #expect(result.missing?.isEmpty == true)
            #expect(try await store.missingRights(with: TestSystem.parts + [Self.visits, Self.ratings]).isEmpty)
            #expect(try await migrator.plan().parts.isEmpty)
        }
    }

    @Test func anIncompletePartIsRefusedBeforeAnyChange() async throws {
        try await Self.with([]) { (system, store, migrator) async throws in
            await #expect(throws: Self.incomplete) { try await migrator.plan() }
            await #expect(throws: Self.incomplete) { try await migrator.migrate() }
            await #expect(throws: Self.incomplete) { try await migrator.grant() }
            await #expect(throws: Self.incomplete) { try await store.requireTables(of: [Self.visits], onSchema: Migration.latest) }
            #expect(try await system.count(Self.oldMeanings) == 1)
            #expect(try await system.count(Self.tablesOfRatings) == 0)
        }
    }

    /// No migration would create the part, and no person could see the table.
    @Test func aPartHasTablesAndATableHasPeople() async {
        await #expect(processExitsWith: .failure) { _ = SchemaPart(of: "visits", sql: "", tables: [], rights: []) }
        await #expect(processExitsWith: .failure) { _ = SchemaPart.Table("visits") }
    }

    /// Processes already run on the new schema when the migration fails.
    @Test func anIncompletePartLeavesTheOtherPartsUsable() async throws {
        try await Self.with([Self.otherStep]) { (system, store, migrator) async throws in
            #expect(try await migrator.plan().parts.map(\.module) == ["ratings"])
            await #expect(throws: Self.incomplete) { try await migrator.migrate() }
            #expect(try await migrator.version() == Migration.latest + 1)
            #expect(try await system.count(Self.oldMeanings) == 0)
            #expect(try await system.count(Self.tablesOfRatings) == 1)
            #expect(try await store.missingRights(with: TestSystem.parts + [Self.ratings]).isEmpty)
            await #expect(throws: Self.incomplete) { try await migrator.plan() }
        }
    }
}
