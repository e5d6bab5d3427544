import Testing
import TidingsContracts
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Plans beside several devices and pushes.
@Suite struct LocalDeviceTests {
    /// The same token is the same device. Its planned notifications stay planned.
    @Test func aPlanOutlivesRegisteringAgain() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            try await pipeline.remind("later", "ann", at: try await pipeline.time(in: 7_200))
            try await app.refresh()
            let again = try await pipeline.app(of: "ann", token: LocalApp.phone, "--app-version", "2.0")
            #expect(again.device == app.device)
            #expect(try await pipeline.system.tidings("device", "update", app.device, "--token", "72656e65776564").exitCode == 0)
            let update = try await app.refresh()
            #expect(update.version == 1 && update.requests.isEmpty && update.removed.isEmpty && app.pending.count == 1)
            for one in [app, again] { await one.store.close() }
            try await pipeline.expectSound()
        }
    }

    @Test func aPersonWhoTakesADeviceOverSeesNothingOfBefore() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            let time = try await pipeline.time(in: 7_200)
            try await pipeline.remind("of-ann", "ann", at: time)
            try await app.refresh()
            try await pipeline.remind("unheard", "ann", at: time)

            let moved = try await pipeline.app(of: "bob", token: LocalApp.phone)
            try await pipeline.remind("of-bob", "bob", at: time)
            #expect(try await app.sync() == nil, "ann's app is refused")
            #expect(try await app.ack(0) == .noDevice)
            app.owner = "bob"
            let update = try await app.refresh()
            #expect(update.removed == [try await pipeline.notificationID(of: "of-ann")])
            #expect(app.pending.keys.sorted() == [try await pipeline.notificationID(of: "of-bob")])
            for id in ["of-ann", "unheard"] {
                #expect(try await pipeline.deliveries(of: id) == [Ended("local", "suppressed", "endpointGone")])
            }
            for one in [app, moved] { await one.store.close() }
            try await pipeline.expectSound()
        }
    }

    @Test func anUnregisteredDeviceHasAnEmptyPlan() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            try await pipeline.remind("later", "ann", at: try await pipeline.time(in: 7_200))
            try await app.refresh()
            #expect(try await pipeline.system.tidings("device", "remove", app.device).exitCode == 0)
            let update = try await app.refresh()
            #expect(update.removed.count == 1 && app.pending.isEmpty)
            await app.store.close()
        }
    }

    /// With both push and local, a device gets the push, at once or at the scheduled time.
    @Test func aDeviceIsNeverPushedAndPlanned() async throws {
        try await withPushMarkets { pipeline, _ in
            let app = try await pipeline.app(of: "maria", token: "phone", "--platform", "android", "--market", "mx")
            for (id, time) in [("now", nil), ("later", try await pipeline.time(in: 3_600))] {
                await pipeline.announce(id, "maria", at: time, channels: #"["push","local"]"#, more: #""market":"mx""#)
            }
            _ = try await pipeline.held("later")
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.local_plans") == 0)
            try await pipeline.shiftClock(by: "61 minutes")
            for id in ["now", "later"] {
                let ends = try await pipeline.byProvider(of: id)
                #expect(ends.contains("fcm sent accepted") && ends.contains("localPlan suppressed sameDevice"), "\(id): \(ends)")
            }
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// A device does not get a push for a notification in its plan, even if a push has become possible.
    @Test func aPlannedOneIsNotPushedLater() async throws {
        try await withPushMarkets { pipeline, markets in
            let app = try await pipeline.app(
                of: "maria", token: "phone", "--platform", "android", "--market", "mx", "--provider", "in-house")
            try await pipeline.remind(
                "later", "maria", at: try await pipeline.time(in: 3_600), channels: #"["push","local"]"#, more: #""market":"mx""#)
            #expect(try await pipeline.system.tidings("device", "update", app.device, "--provider", "fcm").exitCode == 0)
            try await pipeline.shiftClock(by: "61 minutes")
            #expect(
                try await pipeline.byProvider(of: "later") == [
                    "dmp sent accepted", "fcm suppressed sameDevice", "localPlan sent accepted",
                ])
            let shown = try markets.accepted(below: "/fcm/v1/").filter { $0.contains("A title") }
            #expect(shown.isEmpty)
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// The push may have arrived, so the device does not get a plan as well.
    @Test func aNotificationThatMayHaveArrivedIsNotPlanned() async throws {
        try await withPushMarkets { pipeline, _ in
            let app = try await pipeline.app(of: "maria", token: "test:timeout-1", "--platform", "android", "--market", "mx")
            #expect(try await pipeline.system.tidings("recipient", "set", "maria", "--market", "mx").exitCode == 0)
            await pipeline.publish(event(id: "urgent", type: "reminder", to: "maria", data: #""critical":true"#), key: "system.reminder")
            let ends = try await pipeline.outcome(of: "urgent")
            #expect(ends.contains(Ended("push", "failed", "outcomeUnknown")) && ends.contains(Ended("local", "suppressed", "sameDevice")))
            #expect(ends.contains(Ended("inApp", "delivered", "delivered")), "\(ends)")
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// If the push of a critical notification fails, the notification is planned and put into the inbox. Both are needed, because nobody
    /// knows when the app asks for its plan.
    @Test func escalationGoesOnToThePlan() async throws {
        try await withPushMarkets { pipeline, _ in
            for (token, local, inbox) in [
                ("test:rejected-1", "sent accepted", "delivered delivered"),
                ("good-1", "suppressed escalationNotNeeded", "suppressed escalationNotNeeded"),
            ] {
                let person = "owner-of-\(token)"
                let app = try await pipeline.app(of: person, token: token, "--platform", "android", "--market", "mx")
                #expect(try await pipeline.system.tidings("recipient", "set", person, "--market", "mx").exitCode == 0)
                await pipeline.publish(
                    event(id: token, type: "reminder", to: person, data: #""critical":true"#), key: "system.reminder")
                let ends = try await pipeline.outcome(of: token)
                #expect(ends.map(\.description).contains("local \(local)"), "\(ends)")
                #expect(ends.map(\.description).contains("inApp \(inbox)"), "\(ends)")
                await app.store.close()
            }
            try await pipeline.expectSound()
        }
    }

    /// Many changes cause one silent push, which is no delivery.
    @Test func aChangedPlanWakesItsDeviceOnce() async throws {
        try await withPushMarkets { pipeline, markets in
            var app = try await pipeline.app(of: "maria", token: "phone", "--platform", "android", "--market", "mx")
            let time = try await pipeline.time(in: 7_200)
            for number in 1...5 {
                await pipeline.announce("n\(number)", "maria", at: time, more: #""market":"mx""#)
            }
            let isWoken = try await eventually { try markets.accepted(below: "/fcm/v1/").count == 1 }
            #expect(isWoken, "\(pipeline.roles.errorsSoFar)")
            let push = try #require(try markets.accepted(below: "/fcm/v1/").first)
            #expect(push.contains("phone") && !push.contains("A title") && !push.contains("notification\""), "\(push)")
            let planned = try await pipeline.system.eventually("select count(*) from tidings_ops.local_plans") { $0 == 5 }
            #expect(planned)
            try await app.refresh()
            #expect(app.pending.count == 5)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.deliveries where channel = 'push'") == 0)

            // The next change wakes the device again, but not within the same minute.
            _ = try await pipeline.json("notification", "cancel", try await pipeline.notificationID(of: "n1"))
            #expect(try markets.accepted(below: "/fcm/v1/").count == 1)
            try await pipeline.shiftClock(by: "2 minutes")
            let isWokenAgain = try await eventually { try markets.accepted(below: "/fcm/v1/").count == 2 }
            #expect(isWokenAgain)
            await app.store.close()
            try await pipeline.expectSound()
        }
    }
}
