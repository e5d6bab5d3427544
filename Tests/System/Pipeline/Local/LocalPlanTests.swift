import Testing
import TidingsContracts
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Local notifications from the intent to the device's confirmation.
@Suite struct LocalPlanTests {
    @Test func aLocalNotificationIsPlannedSyncedAndConfirmed() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            await pipeline.publish(
                event(id: "news", type: "reminder", to: "ann", data: #""data":{"room":7},"groupKey":"work""#), key: "system.reminder")
            #expect(
                try await pipeline.outcome(of: "news") == [Ended("inApp", "delivered", "delivered"), Ended("local", "sent", "accepted")])

            let first = try #require(try await app.sync())
            let id = try await pipeline.notificationID(of: "news")
            #expect(first.reset && first.version == 1 && first.removed.isEmpty && app.pending.keys.sorted() == [id] && app.times == ["1 s"])
            let request = try #require(app.pending[id])
            #expect(request["title"] == "A title" && request["threadIdentifier"] == "work" && request["userInfo"]?["room"] == "7")

            let again = try #require(try await app.sync())
            #expect(!again.reset && again.version == 1 && again.requests.isEmpty, "a version is told once")
            #expect(try await app.ack(2) == .unknownVersion(latest: 1))
            #expect(try await app.ack() == .confirmed)
            #expect(try await pipeline.deliveries(of: "news").contains(Ended("local", "delivered", "delivered")))
            #expect(try await app.ack() == .confirmed, "confirming twice is harmless")

            app.version = nil
            let whole = try #require(try await app.sync())
            #expect(whole.reset && whole.requests.isEmpty, "what a device has shown does not come again")
            app.version = 99
            let unknown = try #require(try await app.sync())
            #expect(unknown.reset, "a version that never was gets the whole plan")
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    @Test func theCommandsAreTheApp() async throws {
        try await withPipeline { pipeline in
            let app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            try await pipeline.remind("news", "ann", at: try await pipeline.time(in: 7_200))
            let plan = try await pipeline.json("device", "plan", app.device)
            #expect(plan.objectValue?.keys == ["version", "reset", "requests", "removed"] && plan["version"] == 1 && plan["reset"] == true)
            #expect(plan["requests"]?.arrayValue?.count == 1)
            let shown = try await pipeline.system.tidings("device", "plan", app.device)
            #expect(shown.output.contains(#/ \d\d:\d\d UTC /#), "the device's time and zone: \(shown.output)")
            let text = try await pipeline.system.tidings("device", "plan", app.device, "--since", "1")
            #expect(text.output.contains("version 1") && text.errors.contains("nothing new"))
            let early = try await pipeline.system.tidings("device", "ack", app.device, "5")
            #expect(early.exitCode == 65 && early.errors.contains("its latest is 1"), "\(early.errors)")
            #expect(try await pipeline.system.tidings("device", "ack", app.device, "1").exitCode == 0)
            #expect(try await pipeline.system.tidings("device", "plan", "nobody").exitCode == 1)
            #expect(try await pipeline.system.tidings("device", "ack", "nobody", "0").exitCode == 1)
            let why = try await pipeline.system.tidings("why", "news")
            #expect(why.output.contains("confirmed in version 1 of the plan of device \(app.device)"), "\(why.output)")
            await app.store.close()
        }
    }

    @Test func aDeniedDeviceGetsNothingAndTheInboxAll() async throws {
        try await withPipeline { pipeline in
            let app = try await pipeline.app(of: "ann", token: LocalApp.phone, "--permission", "denied")
            await pipeline.announce("news", "ann", channels: #"["local","inApp"]"#)
            #expect(
                try await pipeline.outcome(of: "news") == [
                    Ended("inApp", "delivered", "delivered"), Ended("local", "suppressed", "permissionDenied"),
                ])
            await app.store.close()
        }
    }

    /// A scheduled notification is planned ahead in the device's time zone, and planned again after every change of the facts.
    @Test func aScheduledOneFollowsWhatIsKnown() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone, "--time-zone", "Asia/Kathmandu")
            try await pipeline.remind("later", "ann", at: "2027-06-10T12:00:00Z")
            try await app.refresh()
            #expect(app.times == ["2027-06-10 17:45"])
            #expect(try await pipeline.deliveries(of: "later") == [Ended("local", "delivered", "delivered")])

            #expect(try await system.tidings("device", "update", app.device, "--time-zone", "America/New_York").exitCode == 0)
            #expect(try await app.refresh().version == 2 && app.times == ["2027-06-10 08:00"])
            #expect(try await system.tidings("recipient", "set", "ann", "--quiet-hours", "11:00-13:30").exitCode == 0)
            #expect(try await app.refresh().version == 3 && app.times == ["2027-06-10 09:30"], "quiet in UTC, shown in New York")
            #expect(try await system.tidings("recipient", "set", "ann", "--prefer", "system=off").exitCode == 0)
            let off = try await app.refresh()
            #expect(off.removed == [try await pipeline.notificationID(of: "later")] && app.pending.isEmpty)
            #expect(try await system.tidings("recipient", "set", "ann", "--prefer", "system=on", "--quiet-hours", "none").exitCode == 0)
            try await app.refresh()
            #expect(app.times == ["2027-06-10 08:00"])
            #expect(try await system.tidings("device", "update", app.device, "--permission", "denied").exitCode == 0)
            try await app.refresh()
            #expect(app.pending.isEmpty)
            #expect(try await app.refresh().version == 6, "nothing new is no new version")
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// A cancel reports the truth. A notification that no device has heard of is cancelled. A notification on a device is taken back, and
    /// counts as cancelled if the device confirms that in time.
    @Test func cancellingChangesThePlan() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            func cancel(_ id: String) async throws -> String {
                let rows = try await pipeline.json("notification", "cancel", try await pipeline.notificationID(of: id))
                return rows.arrayValue?.compactMap { $0["result"]?.stringValue }.joined() ?? ""
            }
            let time = try await pipeline.time(in: 7_200)
            try await pipeline.remind("unheard", "ann", at: time)
            #expect(try await cancel("unheard") == "cancelled")
            let cancelled = [Ended("local", "cancelled", "cancelledByOperator")]
            #expect(try await pipeline.deliveries(of: "unheard") == cancelled)

            for id in ["heard", "shown"] { try await pipeline.remind(id, "ann", at: time) }
            try await app.refresh()
            #expect(app.pending.count == 2)
            #expect(try await cancel("heard") == "onDevice")
            #expect(try await pipeline.deliveries(of: "heard") == [Ended("local", "delivered", "delivered")])
            let update = try await app.refresh()
            #expect(update.removed == [try await pipeline.notificationID(of: "heard")] && app.pending.count == 1)
            #expect(try await pipeline.deliveries(of: "heard") == cancelled)

            try await pipeline.shiftClock(by: "3 hours")
            #expect(try await cancel("shown") == "")
            #expect(try await pipeline.deliveries(of: "shown") == [Ended("local", "delivered", "delivered")])
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    /// At most 64 notifications are pending, the soonest first. A shown notification makes room for the next one.
    @Test func theRestEntersWhenThereIsRoom() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            for number in 1...70 {
                await pipeline.announce("n\(number)", "ann", at: try await pipeline.time(in: 3_600 + 600 * number))
            }
            let planned = try await pipeline.system.eventually("select count(*) from tidings_ops.local_plans") { $0 == 70 }
            #expect(planned)
            try await app.refresh()
            let last = try await pipeline.notificationID(of: "n64")
            #expect(app.pending.count == 64 && app.pending[last] != nil)
            let waiting = try await pipeline.system.count("select count(*) from tidings_ops.local_plans where state = 'waiting'")
            #expect(waiting == 6)
            try await pipeline.shiftClock(by: "90 minutes")
            let update = try await app.refresh()
            #expect(update.requests.count >= 2 && update.removed.isEmpty, "\(update.requests.count)")
            await app.store.close()
            try await pipeline.expectSound()
        }
    }

    @Test func aNewerOneOfItsCollapseKeyTakesItsPlace() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            for id in ["older", "newer"] {
                try await pipeline.remind(id, "ann", at: try await pipeline.time(in: 7_200), more: #""collapseKey":"score""#)
                try await app.refresh()
            }
            #expect(app.pending.keys.sorted() == [try await pipeline.notificationID(of: "newer")])
            #expect(try await pipeline.deliveries(of: "older") == [Ended("local", "suppressed", "collapsed")])
            await app.store.close()
        }
    }

    /// An empty collapse key is no key that all reminders share.
    @Test func anEmptyCollapseKeyReplacesNothing() async throws {
        try await withPipeline { pipeline in
            var app = try await pipeline.app(of: "ann", token: LocalApp.phone)
            for id in ["first", "second"] {
                try await pipeline.remind(
                    id, "ann", at: try await pipeline.time(in: 7_200), more: #""collapseKey":"","groupKey":"""#)
                try await app.refresh()
            }
            let ids = [try await pipeline.notificationID(of: "first"), try await pipeline.notificationID(of: "second")]
            #expect(app.pending.keys.sorted() == ids.sorted())
            await app.store.close()
        }
    }
}
