import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The transaction that records the confirmation of a device.
@Suite struct ReceiptTests {
    private static let (ann, bob) = (StoreScene.person("person-1"), StoreScene.person("bob"))

    @Test func aReceiptMovesASentDeliveryOnce() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
            #expect(try await scene.ending(of: key) == "delivered delivered")
            #expect(try await scene.confirm(key, on: "phone-1") == .repeated)
            #expect(try await scene.count("select count(*) from tidings.reports where reporter = 'device' and provider = 'phone'") == 1)
            #expect(try await scene.count("select count(*) from tidings_ops.unaccounted") == 0)
            let problems = try await scene.store.operations.audit()
            #expect(problems.isEmpty, "\(problems)")
        }
    }

    /// The answer is the same for a notification that does not exist, for one of somebody else, and for a device that it was not sent to.
    @Test func aForeignReceiptIsUnknownAndChangesNothing() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            try await scene.register("bobs-phone", of: Self.bob)
            let namesake = RecipientKey(tenant: "other", id: Self.ann.id)
            for (person, device) in [(Self.bob, "phone-1"), (Self.bob, "bobs-phone"), (namesake, "phone-1"), (Self.ann, "bobs-phone")] {
                let result = try await scene.store.reports.confirmReceipt(of: key.notificationID, on: device, by: person)
                #expect(result == .unknown, "\(person) \(device)")
            }
            let nothing = scene.store.clock.nextID()
            #expect(try await scene.store.reports.confirmReceipt(of: nothing, on: "phone-1", by: Self.ann) == .unknown)
            #expect(try await scene.ending(of: key) == "sent accepted")
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
        }
    }

    /// The erasure has not deleted the notification yet.
    @Test func aReceiptOfAnErasedPersonIsDropped() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            try await scene.bury(Self.ann)
            #expect(try await scene.confirm(key, on: "phone-1") == .erased)
            #expect(try await scene.ending(of: key) == "sent accepted")
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
        }
    }

    /// The device is faster than the worker's own write.
    @Test func aReceiptBeforeTheEndIsEarly() async throws {
        try await StoreScene.with { scene in
            try await scene.register("phone-1", of: Self.ann)
            let packs = try await scene.take(1...1).packs
            let key = packs[0].entries[0].key
            #expect(try await scene.confirm(key, on: "phone-1") == .early)
            #expect(try await scene.confirm(key, on: "unknown") == .unknown)
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
            try await scene.finish(packs, as: (.sent, .accepted), on: "phone-1")
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
        }
    }

    /// The answer to the worker's commit was lost, and the device is faster than the worker's second try.
    @Test func aReceiptMakesNoAttemptOfARepeatedOutcome() async throws {
        try await StoreScene.with { scene in
            try await scene.register("phone-1", of: Self.ann)
            let packs = try await scene.take(1...1).packs
            let settled = try await scene.finish(packs, as: (.sent, .accepted), on: "phone-1")
            #expect(try await scene.confirm(packs[0].entries[0].key, on: "phone-1") == .applied)
            let attempts: SQL = "select count(*) from tidings.attempts"
            let before = try await scene.count(attempts)
            try await scene.store.outbox.settle(settled, worker: "w")
            #expect(try await scene.count(attempts) == before)
            #expect(try await scene.ending(of: packs[0].entries[0].key) == "delivered delivered")
        }
    }

    /// A delivery that failed without a known outcome did arrive. A refusal and a cancellation stay.
    @Test func aReceiptMovesNothingBack() async throws {
        try await StoreScene.with { scene in
            let ends: [(DeliveryState, ReasonCode, ReportResult, String)] = [
                (.failed, .outcomeUnknown, .applied, "delivered delivered"), (.failed, .providerRejected, .kept, "failed providerRejected"),
                (.delivered, .delivered, .kept, "delivered delivered"), (.expired, .expired, .kept, "expired expired"),
            ]
            for (number, (state, reason, result, end)) in ends.enumerated() {
                let key = try await scene.pushed(number + 1, to: "phone-1", as: (state, reason))
                let person = StoreScene.person("person-\(number + 1)")
                #expect(
                    try await scene.store.reports.confirmReceipt(of: key.notificationID, on: "phone-1", by: person) == result, "\(reason)")
                #expect(try await scene.ending(of: key) == end)
            }
        }
    }

    /// A report of the provider and the confirmation of the device are two reports, in whichever order they come.
    @Test func providerAndDeviceMayReportTheSameDelivery() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            let report = DeliveryReport(.delivery(key.notificationID, ordinal: key.ordinal), .delivered, key: "receipt")
            #expect(try await scene.store.reports.record([report], from: "phone") == [.applied])
            #expect(try await scene.confirm(key, on: "phone-1") == .kept)
            #expect(try await scene.confirm(key, on: "phone-1") == .repeated)
            #expect(try await scene.count("select count(*) from tidings.reports") == 2)
            let rows = try await scene.store.operations.explain(key.notificationID).map {
                [$0.actor, $0.verdict, $0.detail ?? ""]
            }
            #expect(rows.contains(["provider", "delivered", "phone reports delivered"]), "\(rows)")
            #expect(rows.contains(["device", "reported", "the device reports delivered; the delivery stays delivered"]), "\(rows)")
        }
    }

    /// A service that addresses people has one delivery for all devices of the person. The first of two devices confirms it.
    @Test func aDeliveryToThePersonIsConfirmedByTheFirstDevice() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: nil)
            #expect(try await scene.confirm(key, on: "phone-1") == .unknown, "the device belongs to nobody")
            for device in ["phone-1", "phone-2"] { try await scene.register(device, of: Self.ann) }
            #expect(try await scene.confirm(key, on: "phone-2") == .applied)
            #expect(try await scene.confirm(key, on: "phone-1") == .repeated)
            #expect(try await scene.count("select count(*) from tidings.reports") == 1)
        }
    }

    @Test func aRepetitionConfirmsNoOtherDelivery() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: nil)
            try await scene.register("phone-1", of: Self.ann)
            let other = try await scene.plan(beside: key)
            try await scene.end(other, beside: key)
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
            #expect(try await scene.confirm(key, on: "phone-1") == .repeated)
            #expect(try await scene.ending(of: key) == "delivered delivered")
            #expect(try await scene.ending(of: other) == "sent accepted")
        }
    }

    /// The device got the first attempt, whose outcome stayed unknown. An operator sends the delivery again later.
    @Test func aDeliverySentAgainIsConfirmedAgain() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1", as: (.failed, .providerRejected))
            #expect(try await scene.confirm(key, on: "phone-1") == .kept)
            _ = try await scene.system.query(
                "update tidings.deliveries set attempts = attempts + 1, state = 'sent', reason = 'accepted'")
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
            #expect(try await scene.confirm(key, on: "phone-1") == .repeated)
            #expect(try await scene.count("select count(*) from tidings.reports") == 2)
        }
    }

    /// One delivery to the person serves all devices, and each device has a row that says so.
    @Test func aDeviceServedByAnotherDeliveryConfirmsThatOne() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: nil)
            try await scene.register("phone-1", of: Self.ann)
            let other = try await scene.plan(beside: key, endpoint: "phone-1")
            try await scene.end(other, beside: key, as: (.suppressed, .sameDevice), endpoint: "phone-1")
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
            #expect(try await scene.ending(of: key) == "delivered delivered")
            #expect(try await scene.ending(of: other) == "suppressed sameDevice")
        }
    }

    /// A delivery to the person is not confirmed in the place of one to the device that is still under way. Another channel counts as little
    /// as another device.
    @Test func onlyADeliveryOfTheDeviceIsWaitedFor() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: nil)
            for device in ["phone-1", "phone-2"] { try await scene.register(device, of: Self.ann) }
            let push = try await scene.plan(beside: key, endpoint: "phone-1")
            let mail = try await scene.plan(beside: key, channel: .email)
            #expect(try await scene.confirm(key, on: "phone-1") == .early)
            try await scene.end(push, beside: key, endpoint: "phone-1")
            #expect(try await scene.confirm(key, on: "phone-1") == .applied)
            #expect(try await scene.ending(of: push) == "delivered delivered")
            #expect(try await scene.confirm(key, on: "phone-2") == .applied)
            #expect(try await scene.ending(of: key) == "delivered delivered")
            try await scene.end(mail, beside: key)
            // A failover adds deliveries that the first decision does not name.
            _ = try await scene.system.query("update tidings.notifications set planned = planned + 1")
            try await scene.register("phone-3", of: Self.ann)
            #expect(try await scene.confirm(key, on: "phone-3") == .early)
        }
    }

    @Test func aCopyIsNotConfirmed() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: nil)
            try await scene.register("phone-1", of: Self.ann)
            _ = try await scene.system.query(
                """
                update tidings.notifications
                set decision = jsonb_set(decision::jsonb, array['deliveries', '0', 'copy'], 'true')::text
                """)
            #expect(try await scene.confirm(key, on: "phone-1") == .unknown)
            #expect(try await scene.ending(of: key) == "sent accepted")
        }
    }

    /// The confirmation of the plan says more: it also knows which notifications were taken back.
    @Test func aPlannedNotificationIsConfirmedWithItsPlan() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            _ = try await scene.system.query("update tidings.deliveries set channel = 'local'")
            #expect(try await scene.confirm(key, on: "phone-1") == .ignored)
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
        }
    }

    @Test func aReceiptAfterItsDayIsUnknown() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            try await scene.shiftClock(by: .seconds(40 * 86_400))
            _ = try await scene.store.upkeep.tendPartitions(retention: .seconds(30 * 86_400))
            #expect(try await scene.confirm(key, on: "phone-1") == .unknown)
        }
    }

    /// Confirmations and reports of the same delivery at the same time: each is recorded once, and nothing deadlocks.
    @Test func receiptsAtOnceAreRecordedOnce() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.pushed(to: "phone-1")
            let results = try await withThrowingTaskGroup(of: ReportResult.self) { group in
                // Awaited by the lines below.
                for _ in 0..<12 { group.addTask { try await scene.confirm(key, on: "phone-1") } }
                return try await group.reduce(into: [ReportResult]()) { $0.append($1) }
            }
            #expect(results.count { $0 == .applied } == 1 && results.count { $0 == .repeated } == 11, "\(results)")
        }
    }
}

extension StoreScene {
    fileprivate func confirm(_ key: DeliveryKey, on device: String) async throws -> ReportResult {
        try await store.reports.confirmReceipt(of: key.notificationID, on: device, by: Self.person("person-1"))
    }

    /// Takes an intent, and ends its push as a worker does.
    ///
    /// - Parameter device: nil for a provider that addresses the person.
    fileprivate func pushed(
        _ number: Int = 1, to device: String?, as end: (DeliveryState, ReasonCode) = (.sent, .accepted)
    ) async throws -> DeliveryKey {
        let packs = try await take(number...number).packs
        try await finish(packs, as: end, on: device)
        return packs[0].entries[0].key
    }

    /// Returns what the worker has written.
    @discardableResult
    fileprivate func finish(
        _ packs: [Pack], as end: (state: DeliveryState, reason: ReasonCode), on device: String?
    ) async throws -> [PackSettlement] {
        try await claim(packs, worker: "w")
        let now = store.clock.now()
        let settled = packs.map { pack in
            PackSettlement(
                pack,
                pack.entries.map { entry in
                    Settlement(
                        entry, exit: .ended(end.state, end.reason),
                        attempt: AttemptRecord(
                            outcome: end.state == .sent ? "accepted" : "unknown", reason: end.reason, startedAt: now, finishedAt: now))
                }, claimedAt: .distantPast, isLast: true)
        }
        try await store.outbox.settle(settled, worker: "w")
        for key in packs.flatMap(\.entries).map(\.key) {
            _ = try await system.query(
                """
                update tidings.deliveries set endpoint = \(device)
                where notification_id = \(key.notificationID.description)::text::uuid and ordinal = \(Int16(key.ordinal))
                """)
        }
        return settled
    }

    /// Adds a planned delivery to the notification of another one. It has not ended.
    fileprivate func plan(
        beside key: DeliveryKey, channel: Channel = .push, endpoint: String? = nil
    ) async throws -> DeliveryKey {
        let ordinal = try await count(
            """
            update tidings.notifications set planned = planned + 1, decision = jsonb_set(
                decision::jsonb, array['deliveries', planned::text],
                decision::jsonb #> '{deliveries,0}' || jsonb_build_object('channel', \(channel.rawValue), 'endpoint', \(endpoint)))::text
            where id = \(key.notificationID.description)::text::uuid returning planned::bigint - 1
            """)
        return DeliveryKey(key.notificationID, ordinal)
    }

    /// Ends a planned delivery, with the row of another one as its pattern.
    fileprivate func end(
        _ key: DeliveryKey, beside pattern: DeliveryKey, as end: (state: DeliveryState, reason: ReasonCode) = (.sent, .accepted),
        endpoint: String? = nil
    ) async throws {
        _ = try await system.query(
            """
            insert into tidings.deliveries
            select (jsonb_populate_record(d, jsonb_build_object('ordinal', \(Int16(key.ordinal)), 'state', \(end.state.rawValue),
                'reason', \(end.reason.rawValue), 'endpoint', \(endpoint), 'channel', n.decision::json #>> array['deliveries',
                \(String(key.ordinal)), 'channel']))).*
            from tidings.deliveries d join tidings.notifications n on n.id = d.notification_id
            where d.notification_id = \(key.notificationID.description)::text::uuid and d.ordinal = \(Int16(pattern.ordinal))
            """)
    }

    fileprivate func register(_ device: String, of person: RecipientKey) async throws {
        _ = try await system.query(
            """
            insert into tidings.endpoints (tenant, recipient_id, id, channel, address, changed_at)
            values (\(person.tenant), \(person.id), \(device), 'push', \("token of \(device)"), tidings.clock())
            """)
    }

    /// State and reason of a delivery.
    fileprivate func ending(of key: DeliveryKey) async throws -> String {
        let rows = try await system.query(
            """
            select state || ' ' || reason from tidings.deliveries
            where notification_id = \(key.notificationID.description)::text::uuid and ordinal = \(Int16(key.ordinal))
            """
        ).rows
        return try rows.first?.decode(String.self) ?? ""
    }
}
