import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Checks the answers of a store to claims of the only pack of a system.
enum ClaimQuestions {
    static func ask(of system: TestSystem) async throws {
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 2, name: "claims")
        let row = try #require(try await system.query("select id, provider from tidings.packs").rows.first)
        let (id, provider) = try row.decode((PostgresUUID, String).self)
        let pack = Pack(
            id: PackID(high: id.high, low: id.low), channel: .webhook, provider: provider, lane: .urgent, entries: [])
        let mine = ClaimID(store.clock.nextID())
        let other = ClaimID(store.clock.nextID())
        #expect(try await store.outbox.claim([pack], worker: "one", as: mine).members[pack.id]?.count == 1)
        let again = try await store.outbox.claim([pack], worker: "one", as: mine)
        #expect(again.members[pack.id]?.count == 1, "the same try, after a lost answer")
        #expect(try await store.outbox.claim([pack], worker: "one", as: other).members.isEmpty, "a repeated message at the same worker")
        #expect(try await store.outbox.claim([pack], worker: "two", as: ClaimID(store.clock.nextID())).members.isEmpty)
        await store.close()
    }
}
