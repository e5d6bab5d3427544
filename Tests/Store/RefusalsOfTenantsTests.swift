import Foundation
import Testing
import TidingsCatalogue
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// `tidings_api.rejected` keeps tenants apart if the catalogue does.
@Suite struct RefusalsOfTenantsTests {
    /// An event without a proved publisher may be anybody's. Its row has names of the tenant that it names.
    @Test func anUnknownPublisherIsToldToItsTenantOnly() async throws {
        try await StoreScene.with { scene in
            let name = "tidings_producer_\(UInt32.random(in: 0...UInt32.max))"
            for login in [name, "\(name)_2"] {
                _ = try await scene.system.query("create role \(unsafe: login) login password 'secret' in role tidings_produce")
            }
            for tenant in ["acme", "globex", "default", nil] { try await scene.refuse("of \(tenant ?? "nobody")", tenant: tenant) }
            try await scene.refuse("proved", tenant: "globex", producer: "db:\(name)")
            try await scene.refuse("of another", tenant: "acme", producer: "db:\(name)_2")

            let all: Set = ["of acme", "of globex", "of default", "of nobody", "proved"]
            #expect(try await scene.refusals(toldTo: name) == all, "without producers every login may name every tenant")
            var catalogue = scene.catalogue
            catalogue.producers = ["db:\(name)": ProducerEntry(tenants: ["acme"]), "shop": ProducerEntry(tenants: ["globex"])]
            try await scene.store.catalogues.activate(CatalogueFile.sealed(catalogue), by: .start(by: "tests"), builtIn: .builtIn)
            #expect(try await scene.refusals(toldTo: name) == ["of acme", "proved"])
            // A login without an entry may name the tenant default.
            #expect(try await scene.refusals(toldTo: "\(name)_2") == ["of default", "of another"])
            for login in [name, "\(name)_2"] { _ = try await scene.system.query("drop role \(unsafe: login)") }
        }
    }
}

extension StoreScene {
    fileprivate func refuse(_ event: String, tenant: String?, producer: String? = nil) async throws {
        _ = try await system.query(
            """
            insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, tenant, source, event_id, exchange, routing_key,
                headers, raw, size, sha256, replayable, producer)
            values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '/type', 'not there', \(tenant), '/tests', \(event),
                'e', 'k', '{}', '', 1, '', false, \(producer))
            """)
    }

    /// The ids of the events that a login gets.
    fileprivate func refusals(toldTo login: String) async throws -> Set<String> {
        var url = try #require(URLComponents(string: system.databaseURL))
        (url.user, url.password) = (login, "secret")
        let rows = try await TestSystem.query("select event_id from tidings_api.rejected('/tests')", at: try #require(url.string)).rows
        return Set(try rows.map { try $0.decode(String.self) })
    }
}
