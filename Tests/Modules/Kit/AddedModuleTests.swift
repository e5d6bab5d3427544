import Testing
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsModules
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

/// A module that an earlier binary did not have, on the database of that binary. No role runs.
@Suite struct AddedModuleTests {
    private static let modules = Modules([VisitsModule()])
    private static let parts = TestSystem.parts + modules.schemaParts

    /// Runs the body with a database that has every table but that of the module, and none of `more`.
    private static func with(
        _ more: [SchemaPart] = [], _ body: (TestSystem, Store, Migrator) async throws -> Void
    ) async throws {
        try await withTestSystem(usesBroker: false) { system in
            let configuration = try PostgresConfiguration(url: system.databaseURL)
            let store = Store(configuration, size: 2, name: "module tests")
            do {
                try await store.open()
                try await body(system, store, Migrator(configuration, parts: parts + more))
                await store.close()
            } catch {
                await store.close()
                throw error
            }
        }
    }

    @Test func aMigrationCreatesTheTablesOnce() async throws {
        try await Self.with { _, store, migrator in
            let latest = Migration.latest
            await #expect(throws: StoreError.partMissing(module: "visits")) {
                try await store.requireTables(of: Self.parts, onSchema: latest)
            }
            await #expect(throws: StoreError.partMissingFromNewerSchema(module: "visits", found: latest + 1, known: latest)) {
                try await store.requireTables(of: Self.parts, onSchema: latest + 1)
            }
            await #expect(throws: StoreError.partMissing(module: "visits")) { try await migrator.grant() }
            #expect(try await migrator.plan().parts.map(\.module) == ["visits"])
            let result = try await migrator.migrate()
            #expect(result.steps.isEmpty && result.parts.map(\.module) == ["visits"] && result.missing?.isEmpty == true)
            try await store.requireTables(of: Self.parts, onSchema: latest)
            let again = try await migrator.migrate()
            #expect(again.parts.isEmpty && !again.hasGranted)
        }
    }

    @Test func aLostRightIsNamedAndGivenAgain() async throws {
        try await Self.with { system, store, migrator in
            try await migrator.migrate()
            let losses: [(SQL, String)] = [
                ("drop policy person on tidings.visits", "tidings_app lacks 1 right: policy on tidings.visits"),
                ("drop policy pipeline on tidings.visits", "tidings_run lacks 1 right: policy on tidings.visits"),
                ("revoke select on tidings.visits from tidings_app", "tidings_app lacks 1 right: select on tidings.visits"),
            ]
            for (loss, sentence) in losses {
                _ = try await system.query(loss)
                #expect(try await store.missingRights(with: Self.parts).sentences == [sentence])
                #expect(try await migrator.grant().isEmpty)
            }
        }
    }

    /// A binary without two modules, on a database with their tables. The API has a right on the table of the second one only.
    @Test func aBinaryWithoutTheModuleMissesNoRight() async throws {
        let ratings = SchemaPart(
            of: "ratings", sql: "create table tidings.ratings (tenant text, recipient_id text, stars integer);",
            tables: [.init("ratings", seenBy: "recipient_id")],
            rights: [.init(.app, .select, on: "ratings"), .init(.api, .select, on: "ratings", columns: "recipient_id stars")])
        try await Self.with([ratings]) { system, store, migrator in
            try await migrator.migrate()
            #expect(try await store.missingRights(with: TestSystem.parts).isEmpty)
            _ = try await system.query("drop policy api on tidings.ratings")
            let lost = try await store.missingRights(with: Self.parts + [ratings])
            #expect(lost.sentences == ["tidings_run_api lacks 1 right: policy on tidings.ratings"])
            #expect(try await store.missingRights(with: TestSystem.parts).isEmpty)
        }
    }

    @Test func aPersonSeesTheRowsOfTheOwnIntents() async throws {
        try await Self.with { system, store, migrator in
            try await migrator.migrate()
            try await Self.route([("ada", "/bo"), ("cy", "/bo")], in: store)
            #expect(try await system.count("select count(*) from tidings.visits") == 2)
            for (person, visitors) in [("ada", ["/bo"]), ("dee", [])] as [(String, [String])] {
                let seen: [String] = try await store.asPerson(
                    RecipientKey(tenant: Intent.defaultTenant, id: person),
                    .rows("select visitor from tidings.visits") { try $0.decode(String.self) })
                #expect(seen == visitors, "\(person)")
            }
        }
    }

    @Test func theBuiltInCatalogueHasTheTypesOfTheModule() {
        let catalogue = Self.modules.builtInCatalogue
        #expect(catalogue.types["visit"]?.projection == "visits")
        #expect(Catalogue.builtIn.types["visit"] == nil && Modules([]).builtInCatalogue == .builtIn)
    }

    /// Accepts an intent of each source for a person, as a router does. No delivery follows from it.
    private static func route(_ visits: [(person: String, source: String)], in store: Store) async throws {
        let decoded = visits.map { visit in
            let intent = Intent(
                source: visit.source, id: "visit", type: "visit", recipient: visit.person, content: Content(title: "A visit"))
            var keys = IntentKey(tenant: intent.tenant, source: intent.source, id: intent.id)
            return DecodedIntent(
                intent: intent, idempotencyKey: keys.key(for: intent.recipient), contentHash: Digest128(high: 1, low: 1),
                bytesInMessage: 0..<1)
        }
        let claims = IntakeClaims(decoded) { store.clock.nextID() }
        let (catalogue, zones) = (CatalogueFile.sealed(modules.builtInCatalogue), TimeZoneDatabase())
        _ = try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            for one in claimed.all {
                write.accept(
                    one,
                    routed: RoutedIntent(
                        decision: Decision(strategy: .all, deliveries: []), category: .social, lane: .bulk,
                        expiresAt: claimed.now.adding(.seconds(60)), projection: catalogue.types["visit"]?.projection))
            }
            return try await intake.write(write, projections: modules.projections)
        }
    }
}
