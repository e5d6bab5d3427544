import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The answers to an id that a producer has, from the promise to the notification.
@Suite struct PromisedNotificationTests {
    @Test func aPromisedIDIsAlwaysFound() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1])
            let waiting = try #require(try await scene.store.reservations.notification(ids[0], tenant: "default"))
            #expect(waiting.promise?.state == .accepted && waiting.promise?.decidedAs == nil)
            #expect(waiting.id == ids[0] && waiting.deliveries.isEmpty)

            try await scene.take(scene.claims([StoreScene.intent(1, reserved: ids[0])]))
            let routed = try #require(try await scene.store.reservations.notification(ids[0], tenant: nil))
            #expect(routed.record?.notification.state == "pending" && routed.deliveries.count == 1)
        }
    }

    /// The event came over AMQP between the promise and the router.
    @Test func anIDMayNameAnotherNotification() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.take(1...1)
            let found = try #require(try await scene.store.reservations.notification(id, tenant: "default"))
            #expect(found.record != nil && found.id != id && found.deliveries.count == 1)
        }
    }

    /// Other content came over AMQP between the promise and the router, which then refused the promised event.
    @Test func aRefusedEventGivesItsReason() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.take(scene.claims([StoreScene.intent(1, content: 9)]))
            let kept = try #require(try await scene.store.reservations.notification(id, tenant: "default"))
            #expect(kept.promise?.state == .accepted, "the router has not refused it yet")

            _ = try await scene.system.query(
                """
                insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                    headers, raw, size, sha256, replayable, producer)
                values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'idempotencyConflict', '', 'used before', '/tests', 'event-1',
                    'e', 'k', '{}', '', 1, '', false, 'key:shop')
                """)
            let refused = try #require(try await scene.store.reservations.notification(id, tenant: "default"))
            let promise = try #require(refused.promise)
            #expect(promise.state == .rejected && promise.reasonCode == "idempotencyConflict" && promise.message == "used before")
            let number = try await scene.system.count("select max(id) from tidings.rejected")
            #expect(promise.rejectedID == number)
        }
    }

    @Test func anotherTenantSeesNothing() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1, 2])
            try await scene.take(scene.claims([StoreScene.intent(1, reserved: ids[0])]))
            for id in ids { #expect(try await scene.store.reservations.notification(id, tenant: "acme") == nil) }
            #expect(try await scene.store.reservations.notification(scene.store.clock.nextID(), tenant: nil) == nil)
        }
    }
}
