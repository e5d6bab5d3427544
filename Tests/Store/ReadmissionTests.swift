import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore

/// A person who was erased and is named again.
@Suite struct ReadmissionTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve")

    /// An app that was not told of the erasure repeats its registration.
    @Test func nothingIsStoredOfAnErasedPerson() async throws {
        try await StoreScene.with { scene in
            let token = try DeviceToken("fcm:sold")
            let device = try await scene.store.recipients.register(token: token, of: "bob", tenant: "default", DeviceSettings()).deviceID
            try await scene.bury(Self.eve)
            await #expect(throws: RecipientErased()) {
                try await scene.store.recipients.change("eve", tenant: "default", RecipientChanges())
            }
            await #expect(throws: RecipientErased()) {
                try await scene.store.recipients.register(token: token, of: "eve", tenant: "default", DeviceSettings())
            }
            await #expect(throws: RecipientErased()) {
                try await scene.store.storeAsPerson(Self.eve, .done("select 1"))
            }
            #expect(try await scene.count("select count(*) from tidings.recipients where id = 'eve'") == 0)
            #expect(try await scene.store.recipients.hasDevice(device, of: StoreScene.person("bob")), "the device stays with its person")

            try await scene.store.recipients.change("eve", tenant: "acme", RecipientChanges())
            #expect(try await scene.count("select count(*) from tidings.recipients where id = 'eve' and tenant = 'acme'") == 1)
        }
    }

    @Test func aReadmittedPersonIsStoredAgain() async throws {
        try await StoreScene.with { scene in
            let (before, after) = (StoreScene.intent(1, to: Self.eve), StoreScene.intent(2, to: Self.eve))
            let id = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            #expect(try await scene.store.erasures.readmit(Self.eve, by: "tests") == .running)
            try #require(try await scene.finish(id))
            #expect(try await scene.take(scene.claims([before])).erased == 1)

            #expect(try await scene.store.erasures.readmit(RecipientKey(tenant: "acme", id: "eve"), by: "tests") == .notErased)
            #expect(try await scene.store.erasures.isErased(Self.eve))
            #expect(try await scene.store.erasures.readmit(Self.eve, by: "key:crm") == .readmitted)
            #expect(try await scene.store.erasures.readmit(Self.eve, by: "key:late") == .notErased)
            #expect(try await !scene.store.erasures.isErased(Self.eve))
            let report = try #require(try await scene.store.erasures.row(id, tenant: nil))
            #expect(report["readmitted_by"]?.stringValue == "key:crm" && report["readmitted_at"]?.stringValue != nil)

            #expect(try await scene.take(scene.claims([before])).duplicates == 1, "it was dropped, and stays dropped")
            #expect(try await scene.take(scene.claims([after])).accepted == 1)
            try await scene.store.recipients.change("eve", tenant: "default", RecipientChanges())
            #expect(try await scene.store.recipients.row("eve", tenant: "default") != nil)

            let second = try await scene.store.erasures.request(of: Self.eve, by: "tests")
            try #require(second != id)
            try #require(try await scene.finish(second))
            #expect(try await scene.tables(with: "event-eve").isEmpty)
        }
    }
}
