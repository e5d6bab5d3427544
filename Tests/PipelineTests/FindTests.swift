import Testing
import TidingsTestSupport
import TidingsWire

/// `tidings find` where there is more than one record of an id.
@Suite struct FindTests {
    /// The latest ten, whichever days they are of, newest first; and the person.
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
}
