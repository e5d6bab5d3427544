import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A delivery that a command calls cancelled is never sent afterwards.
@Suite struct CancelTests {
    @Test func aWaitingDeliveryIsCancelledForGood() async throws {
        try await withPipeline { pipeline in
            for id in ["stopped", "other"] {
                let sent = try await pipeline.system.tidings(
                    "send", "orderUpdate", "--to", "reader", "--title", "T", "--id", id, "--in", "1h")
                #expect(sent.exitCode == 0, "\(sent.errors)")
                #expect(try await pipeline.held(id).contains(Ended("inApp", "held", "scheduledFor")))
            }
            let id = try await pipeline.notificationID(of: "stopped")
            let rows = try await pipeline.json("notification", "cancel", id).arrayValue ?? []
            #expect(rows.count == 2 && rows.allSatisfy { $0["result"]?.stringValue == "cancelled" }, "\(rows)")
            let cancelled = [Ended("inApp", "cancelled", "cancelledByOperator"), Ended("push", "cancelled", "cancelledByOperator")]
            #expect(try await pipeline.outcome(of: "stopped") == cancelled)

            // The second delivery is due at the same moment. Its end shows that the moment has passed.
            try await pipeline.shiftClock(by: "1 hour")
            #expect(try await pipeline.outcome(of: "other").contains(Ended("inApp", "delivered", "delivered")))
            #expect(try await pipeline.deliveries(of: "stopped") == cancelled)
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 1)
            try await pipeline.expectSound()
        }
    }

    @Test func anEndedDeliveryStaysAsItEnded() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "done", to: "reader"))
            let ended = try await pipeline.outcome(of: "done")
            let id = try await pipeline.notificationID(of: "done")
            let result = try await pipeline.system.tidings("notification", "cancel", id)
            #expect(result.exitCode == 0)
            #expect(result.errors.contains("every delivery had ended"), "\(result.errors)")
            #expect(try await pipeline.json("notification", "cancel", id) == [])
            #expect(try await pipeline.deliveries(of: "done") == ended)
            try await pipeline.expectSound()
        }
    }
}
