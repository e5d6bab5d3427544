import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The answers to an id that a producer has, from the promise to the notification.
@Suite struct PromisedNotificationTests {
    @Test func aPromisedIDIsAlwaysFound() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1])
            let waiting = try #require(try await scene.store.promisedNotification(ids[0], tenant: "default"))
            #expect(waiting.notification["state"]?.stringValue == "accepted" && waiting.notification["decided_as"] == nil)
            #expect(waiting.notification["notification_id"]?.stringValue == ids[0].description)
            #expect(waiting.deliveries.isEmpty && waiting.json()["deliveries"]?.arrayValue?.isEmpty == true)

            try await scene.take(scene.claims([StoreScene.intent(1, reserved: ids[0])]))
            let routed = try #require(try await scene.store.promisedNotification(ids[0], tenant: nil))
            #expect(routed.notification["state"]?.stringValue == "pending" && routed.deliveries.count == 1)
        }
    }

    /// The event came over AMQP between the promise and the router.
    @Test func anIDMayNameAnotherNotification() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.take(1...1)
            let record = try #require(try await scene.store.promisedNotification(id, tenant: "default"))
            let owner = try #require(record.notification["notification_id"]?.stringValue)
            #expect(owner != id.description && record.deliveries.count == 1)
        }
    }

    /// Other content came over AMQP between the promise and the router, which then refused the promised event.
    @Test func aRefusedEventGivesItsReason() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.reserve([1])[0]
            try await scene.take(scene.claims([StoreScene.intent(1, content: 9)]))
            let kept = try #require(try await scene.store.promisedNotification(id, tenant: "default"))
            #expect(kept.notification["state"]?.stringValue == "accepted", "the router has not refused it yet")

            _ = try await scene.system.query(
                """
                insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                    headers, raw, size, sha256, replayable, producer)
                values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'idempotencyConflict', '', 'used before', '/tests', 'event-1',
                    'e', 'k', '{}', '', 1, '', false, 'key:shop')
                """)
            let refused = try #require(try await scene.store.promisedNotification(id, tenant: "default"))
            #expect(refused.notification["state"]?.stringValue == "rejected")
            #expect(refused.notification["reason_code"]?.stringValue == "idempotencyConflict")
            let number = try await scene.system.count("select max(id) from tidings.rejected")
            #expect(refused.notification["rejected_id"]?.intValue == number)
        }
    }

    @Test func anotherTenantSeesNothing() async throws {
        try await StoreScene.with { scene in
            let ids = try await scene.reserve([1, 2])
            try await scene.take(scene.claims([StoreScene.intent(1, reserved: ids[0])]))
            for id in ids { #expect(try await scene.store.promisedNotification(id, tenant: "acme")?.notification == nil) }
            #expect(try await scene.store.promisedNotification(scene.store.clock.nextID(), tenant: nil)?.notification == nil)
        }
    }
}
