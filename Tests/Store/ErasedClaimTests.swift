import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Workers and callbacks that meet an erased person.
@Suite struct ErasedClaimTests {
    private static let erased: SQL =
        "select count(*) from tidings.deliveries where state = 'suppressed' and reason = 'recipientErased' and attempts = 0"

    /// The person is erased while the pack waits in its queue, or after the claim and before the call.
    @Test func aClaimTellsWhoIsErased() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.take(1...2).packs
            let entries = packs.flatMap(\.entries)
            #expect(try await scene.store.outbox.changed(entries).erased.isEmpty)
            try await scene.bury(StoreScene.person("person-1"))
            let claims = try await scene.store.outbox.claim(packs, worker: "w", as: ClaimID(scene.store.clock.nextID()))
            let expected = Set(entries.filter { $0.recipient == "person-1" }.map(\.key))
            #expect(claims.erased == expected && expected.count == 1 && claims.outdated.isEmpty)
            #expect(claims.members.values.flatMap { $0 }.count == 2, "the claim stands, and the worker ends the delivery")

            let again = try await scene.store.outbox.changed(entries)
            #expect(again.erased == expected && again.outdated.isEmpty)
        }
    }

    @Test func anInboxEntryOfAnErasedPersonIsNotWritten() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.take(1...2).packs
            try await scene.bury(StoreScene.person("person-1"))
            let arrivals = try await scene.store.outbox.deliverToInbox(packs, pauses: .none)
            #expect(arrivals.people.map(\.recipient) == ["person-2"])
            #expect(try await scene.count("select count(*) from tidings.inbox where recipient_id = 'person-1'") == 0)
            #expect(try await scene.count("select count(*) from tidings.inbox") == 1)
            #expect(try await scene.count(Self.erased) == 1)
            #expect(try await scene.count("select count(*) from tidings.packs") == 0)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    /// A silent push would be sent to the person, too.
    @Test func aDeviceOfAnErasedPersonIsNotWoken() async throws {
        try await StoreScene.with { scene in
            for person in ["person-1", "person-2"] { try await scene.addWakingDevice(of: StoreScene.person(person)) }
            try await scene.bury(StoreScene.person("person-1"))
            let devices = try await scene.store.localPlans.takeWakes(limit: 9)
            #expect(devices.map(\.recipient) == ["person-2"])
            #expect(try await scene.count("select count(*) from tidings.local_wakes") == 0)
            #expect(try await scene.count("select count(*) from tidings.local_plans where device_id = 'device-of-person-2'") == 1)
            #expect(try await scene.count("select count(*) from tidings.local_plans") == 1)

            let device = try #require(devices.first)
            #expect(device.needsAnotherLook(at: ContinuousClock.now + .seconds(2)))
            #expect(device.hasTime(forCall: .seconds(10)))
            #expect(!device.hasTime(forCall: .seconds(10), at: ContinuousClock.now + .seconds(Store.leaseSeconds - 10)))
        }
    }

    /// A worker was stopped during its call. Its lease ended, and the person was erased meanwhile.
    @Test func aLateOutcomeLeavesNothingOfAnErasedNotification() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.take(1...1).packs
            try await scene.claim(packs, worker: "sleeper")
            try await scene.store.upkeep.shiftClock(by: .seconds(60))
            #expect(try await scene.recover() == 1)
            for table in ["due", "deliveries", "attempts"] {
                _ = try await scene.system.query("delete from tidings.\(unsafe: table)")
            }
            _ = try await scene.system.query("delete from tidings.notifications")

            let now = scene.store.clock.now()
            let settlement = Settlement(
                packs[0].entries[0], exit: .ended(.sent, .accepted), providerMessageID: "m",
                attempt: AttemptRecord(
                    outcome: "accepted", reason: .accepted, detail: "for person-1", startedAt: now, finishedAt: now))
            let late = PackSettlement(packs[0], [settlement], claimedAt: now, isLast: true)
            try await scene.store.outbox.settle([late], worker: "sleeper")
            let left = try await scene.count("select (select count(*) from tidings.attempts) + (select count(*) from tidings.deliveries)")
            #expect(left == 0)
        }
    }

    @Test func aReportAboutAnErasedNotificationIsDropped() async throws {
        try await StoreScene.with { scene in
            let (erased, other) = (scene.store.clock.nextID(), scene.store.clock.nextID())
            _ = try await scene.system.query(
                """
                insert into tidings.erased_notifications (id, tenant, erased_at)
                values (\(erased.description)::text::uuid, 'default', tidings.clock())
                """)
            _ = try await scene.system.query(
                """
                insert into tidings.message_references (provider, reference, notification_id, ordinal)
                values ('sms', 'm-1', \(erased.description)::text::uuid, 0)
                """)
            let reports = [
                DeliveryReport(.delivery(erased, ordinal: 0), .delivered, key: "1"),
                DeliveryReport(.message("m-1"), .delivered, key: "2"), DeliveryReport(.delivery(other, ordinal: 0), .delivered, key: "3"),
            ]
            #expect(try await scene.store.reports.record(reports, from: "sms") == [.erased, .erased, .unknown])
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
        }
    }
}
