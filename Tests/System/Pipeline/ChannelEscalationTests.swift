import Testing
import TidingsPostgres
import TidingsTestSupport

/// A critical notification tries one channel after the other, and stops with the first that reaches the person.
@Suite struct ChannelEscalationTests {
    private static let critical = #""critical":true"#

    @Test func channelsThatReachNobodyArePassedOver() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "urgent", to: "reader", data: Self.critical))
            #expect(
                try await pipeline.outcome(of: "urgent") == [
                    Ended("inApp", "delivered", "delivered"), Ended("local", "suppressed", "noDevice"),
                    Ended("push", "suppressed", "noDevice"),
                ])
            try await pipeline.expectSound()
        }
    }

    @Test func laterChannelsAreNotNeededOnceOneWasSent() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            await pipeline.publish(event(id: "urgent", to: "reader", data: Self.critical))
            #expect(
                try await pipeline.outcome(of: "urgent") == [
                    Ended("inApp", "suppressed", "escalationNotNeeded"), Ended("local", "suppressed", "noDevice"),
                    Ended("push", "sent", "accepted"),
                ])
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 0)
            try await pipeline.expectSound()
        }
    }

    /// The person has switched the first channel off, so the escalation begins with the second one.
    @Test func escalationBeginsWithWhatIsOpen() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            #expect(try await pipeline.system.tidings("recipient", "set", "reader", "--prefer", "push=off").exitCode == 0)
            await pipeline.publish(event(id: "urgent", to: "reader", data: Self.critical))
            let outcome = try await pipeline.outcome(of: "urgent")
            #expect(outcome.contains(Ended("push", "suppressed", "channelDisabled")))
            #expect(outcome.contains(Ended("inApp", "delivered", "delivered")))
        }
    }

    /// Without `critical`, all channels are sent at once.
    @Test func everyChannelGoesOutOtherwise() async throws {
        try await withPipeline(catalogue: TestCatalogue.withPush) { pipeline in
            await pipeline.publish(event(id: "calm", to: "reader"))
            #expect(
                try await pipeline.outcome(of: "calm") == [Ended("inApp", "delivered", "delivered"), Ended("push", "sent", "accepted")])
            try await pipeline.expectSound()
        }
    }
}
