import Synchronization
import Testing
import TidingsCore
import TidingsPipeline
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// Confirms that the database could not store are stored with the next ones. An outage is logged once.
@Suite struct ConfirmNoteTests {
    @Test func anOutageIsToldOnceAndNothingIsForgotten() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let packs = (1...3).map { PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0000 + UInt64($0)) }
            for pack in packs {
                _ = try await system.query(
                    """
                    insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at)
                    values (\(pack.description)::uuid, 'push', 'p', 'bulk', '{}', '{}', '{}', tidings.clock())
                    """)
            }
            let told = Mutex<[String]>([])
            let notes = ConfirmNotes(store: store) { event in
                let text =
                    switch event {
                    case .failing: "failing"
                    case .recovered(let packs, let dropped): "recovered \(packs) \(dropped)"
                    }
                told.withLock { $0.append(text) }
            }
            _ = try await system.query("alter table tidings.packs rename to packs_away")
            for pack in packs.prefix(2) {
                await notes.note([pack])
                await notes.write()
            }
            #expect(told.withLock(\.self) == ["failing"])
            _ = try await system.query("alter table tidings.packs_away rename to packs")
            await notes.note([packs[2]])
            await notes.write()
            #expect(told.withLock(\.self) == ["failing", "recovered 3 0"])
            #expect(try await system.count("select count(*) from tidings.packs where confirmed_at is not null") == 3)
            await store.close()
        }
    }

    @Test func theConfirmsThatWaitForTheirNoteHaveABound() async throws {
        try await withOwnSystem { system in
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let told = Mutex<[String]>([])
            let notes = ConfirmNotes(store: store) { event in
                if case .recovered(let packs, let dropped) = event { told.withLock { $0.append("recovered \(packs) \(dropped)") } }
            }
            _ = try await system.query("alter table tidings.packs rename to packs_away")
            await notes.note((0..<ConfirmNotes.limit + 7).map { PackID(high: 1, low: UInt64($0)) })
            await notes.write()
            _ = try await system.query("alter table tidings.packs_away rename to packs")
            await notes.write()
            #expect(told.withLock(\.self) == ["recovered \(ConfirmNotes.limit) 7"])
            await store.close()
        }
    }
}
