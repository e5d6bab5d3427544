import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// An answer that work is done lets a caller acknowledge it. If the rows of the work are on no standby yet, the answer waits for one.
struct StandbyAnswerTests {
    @Test func workThatWasDoneBeforeIsAnsweredWhenAStandbyHasIt() async throws {
        try await StoreScene.withStandby { scene, server in
            // The same batch again, and its redelivery with ids of its own.
            let claims = scene.claims((1...3).map { StoreScene.intent($0) })
            try await scene.take(claims)
            #expect(try await server.holdsUp { try await scene.take(claims) })
            #expect(try await server.holdsUp { try await scene.take(1...3) })

            // The change of an entry that is as asked.
            let person = StoreScene.person("anna")
            let entry = try await scene.deliver(to: person)
            _ = try await scene.store.inbox.mark(.read, notification: entry, of: person)
            #expect(try await server.holdsUp { _ = try await scene.store.inbox.mark(.read, notification: entry, of: person) })
            #expect(try await !server.holdsUp { _ = try await scene.store.inbox.item(entry, of: person) })

            // Packs that are settled.
            let packs = try await scene.take(4...6).packs
            let key = try #require(packs.first?.entries.first?.key)
            _ = try await scene.store.operations.cancel(key.notificationID, reason: .cancelledByOperator)
            #expect(
                try await server.holdsUp { _ = try await scene.store.operations.cancel(key.notificationID, reason: .cancelledByOperator) })
            try await scene.system.forgetPacks()
            #expect(try await server.holdsUp { try await scene.claim(packs, worker: "w") })
            #expect(try await server.holdsUp { _ = try await scene.store.outbox.deliverToInbox(packs, pauses: .none) })

            // The end of something that has ended.
            #expect(try await server.holdsUp { _ = try await scene.store.recipients.unregister(device: "none", tenant: "default") })
            #expect(try await server.holdsUp { _ = try await scene.store.pausing.resume(.channel, "push", by: "tests") })
            #expect(try await server.holdsUp { _ = try await scene.store.keys.revoke("none", by: "tests") })
        }
    }
}

extension TestSystem {
    /// Deletes every pack, as if other workers had settled them.
    fileprivate func forgetPacks() async throws { _ = try await query("delete from tidings.packs") }
}
