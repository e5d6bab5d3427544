import Glibc
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// `tidings find` with more than one record of an id.
@Suite struct FindTests {
    /// The answer has the person and the latest ten notifications of all days, newest first.
    @Test func aPersonIsFoundWithTheirLatestNotifications() async throws {
        try await withPipeline { pipeline in
            let days = ["mon", "tue", "wed"].map { day in (1...4).map { "\(day)-\($0)" } }
            #expect(try await pipeline.system.tidings("recipient", "set", "uma", "--time-zone", "UTC").exitCode == 0)
            for day in days {
                for id in day {
                    await pipeline.publish(event(id: id, to: "uma"))
                    _ = try await pipeline.outcome(of: id)
                }
                try await pipeline.shiftClock(by: "1 day")
            }
            await pipeline.publish(event(id: "uma", to: "somebody-else"))
            _ = try await pipeline.outcome(of: "uma")

            let found = try await pipeline.json("find", "uma").arrayValue ?? []
            let shown = found.filter { $0["matched_on"] == "recipient_id" && $0["kind"] == "notification" }
            var latest: [String] = []
            for id in days.joined().reversed().prefix(10) { latest.append(try await pipeline.notificationID(of: id)) }
            #expect(shown.compactMap { $0["id"]?.stringValue } == latest)
            #expect(found.contains { $0["kind"] == "recipient" && $0["id"] == "default/uma" })
            #expect(found.count { $0["matched_on"] == "idempotency_key" } == 1, "an event's id may be a person's too")
            for row in found.prefix(11) { #expect(row["at"]?.stringValue?.isEmpty == false) }
        }
    }

    @Test func anEventIsFoundOnWhateverDay() async throws {
        try await withPipeline { pipeline in
            for day in 0..<3 {
                await pipeline.publish(event(id: "event-\(day)", to: "uma"))
                _ = try await pipeline.outcome(of: "event-\(day)")
                try await pipeline.shiftClock(by: "1 day")
            }
            for day in 0..<3 {
                let found = try await pipeline.json("find", "event-\(day)").arrayValue ?? []
                #expect(found.map { $0["id"]?.stringValue } == [try await pipeline.notificationID(of: "event-\(day)")])
            }
        }
    }

    /// An event that waits at the broker has no record yet, and it is not lost.
    @Test func anEventThatNoRouterHasDecidedIsNotToldAsLost() async throws {
        try await withPipeline { pipeline in
            pipeline.roles.signal(SIGTERM)
            _ = await pipeline.roles.finish()
            let sent = try await pipeline.system.tidings("send", "orderUpdate", "--to", "uma", "--title", "T", "--id", "waits")
            #expect(sent.exitCode == 0, "\(sent.errors)")
            for command in [["find"], ["why"], ["notification", "show"], ["notification", "cancel"]] {
                let told = try await CommandLineTests.run(command + ["waits"], pipeline.system.environment)
                #expect(told.exitCode == 1 && told.errors.contains("no router has decided it yet"), "\(command): \(told.errors)")
                #expect(told.errors.contains("tidings status"), "\(command): \(told.errors)")
            }
        }
    }

    /// A receiver knows the key of a webhook, and a producer knows its own id. `find` itself prints a person with the tenant. All three
    /// forms are found.
    @Test func theIDsOfOutsidersAreFound() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            #expect(try await system.tidings("recipient", "set", "uma", "--time-zone", "UTC").exitCode == 0)
            await pipeline.publish(event(id: "one", to: "uma"))
            _ = try await pipeline.outcome(of: "one")
            let id = try await pipeline.notificationID(of: "one")
            #expect(try await pipeline.json("find", "\(id)-0").arrayValue?.map { $0["id"]?.stringValue } == [id])
            let explained = try await pipeline.json("why", "\(id)-0").arrayValue
            #expect(explained?.map { $0["notification"]?["event_id"]?.stringValue } == ["one"])
            let found = try await pipeline.json("find", "default/uma").arrayValue ?? []
            #expect(found.map { $0["kind"] } == ["notification", "recipient"], "\(found)")
            #expect(found.map { $0["id"]?.stringValue } == [id, "default/uma"])
            #expect(try await system.tidings("find", "another/uma").exitCode == 1, "the tenant counts")
            for command in ["find", "why"] {
                let inCapitals = try await system.tidings(command, "ONE")
                #expect(inCapitals.exitCode == 1 && inCapitals.errors.contains("tidings find one"), "\(inCapitals.errors)")
            }

            let later = try await system.tidings("send", "orderUpdate", "--to", "uma", "--title", "T", "--id", "later", "--in", "1h")
            #expect(later.exitCode == 0, "\(later.errors)")
            _ = try await pipeline.held("later")
            await pipeline.publish(event(id: "pair", to: "x").replacing(#""recipient":"x""#, with: #""recipients":["x","y"]"#))
            #expect(try await system.eventually("select count(*) from tidings_ops.notifications where event_id = 'pair'") { $0 == 2 })
            let several = try await system.tidings("notification", "cancel", "pair")
            #expect(several.exitCode == 65 && several.errors.contains("several"), "\(several.errors)")
            let laterID = try await pipeline.notificationID(of: "later")
            for broader in ["uma", "\(laterID)/0", "\(laterID)-0"] {
                let result = try await system.tidings("notification", "cancel", broader)
                #expect(result.exitCode == 1 && result.output.isEmpty, "it would stop more than was named: \(result.output)")
            }
            let cancelled = try await system.tidings("notification", "cancel", "later")
            #expect(cancelled.exitCode == 0 && cancelled.output.contains("cancelled"), "\(cancelled.output)\(cancelled.errors)")
            try await pipeline.expectSound()
        }
    }
}
