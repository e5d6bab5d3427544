import Testing
import TidingsPostgres
import TidingsTestSupport

/// When another catalogue becomes active, packs of a removed provider are routed again. A delivery line is the work of one process for one
/// provider. Delivery lines of providers that the new catalogue does not change keep running.
@Suite struct FollowTests {
    @Test func packsOfAProviderThatIsGoneAreRoutedAgain() async throws {
        try await withOwnSystem { system in
            try await Pipeline.apply(TestCatalogue.withPush, to: system)
            for role in ["router", "release"] { try system.start("run", role) }
            for number in 0..<3 {
                let sent = try await system.tidings(
                    "send", "orderUpdate", "--to", "reader-\(number)", "--title", "T", "--id", "n-\(number)", "--channel", "push")
                #expect(sent.exitCode == 0, "\(sent.errors)")
            }
            #expect(try await system.eventually("select count(*) from tidings.packs where confirmed_at is not null") { $0 > 0 })
            try await Pipeline.apply(TestCatalogue.withPush.replacing("phone", with: "handset"), to: system, "--remove")
            try system.start("run", "deliver")
            let sent: SQL = "select count(*) from tidings_ops.deliveries where state = 'sent' and provider = 'handset' and attempts = 1"
            #expect(try await system.eventually(within: .seconds(60), sent) { $0 == 3 })
            #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
            #expect(try await system.tidings("db", "verify").exitCode == 0)
        }
    }

    /// A call hangs for 15 s. Meanwhile a catalogue with one more provider is applied. Both the old lines and the new line deliver.
    @Test func aHangingCallHoldsUpNoOtherLine() async throws {
        try await withPipeline(catalogue: TestCatalogue.withEveryKind) { pipeline in
            let system = pipeline.system
            try await Capture.with(in: system) { capture in
                #expect(try await system.tidings("recipient", "set", "hung", "--webhook", capture.url + "hang").exitCode == 0)
                await pipeline.publish(event(id: "hung", to: "hung", data: #""channels":["webhook"]"#))
                let out: SQL = "select count(*) from tidings.packs where claimed_at is not null"
                #expect(try await system.eventually(out) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
                let more = TestCatalogue.withEveryKind.replacing("phone", with: "handset")
                try await Pipeline.apply(more, to: system, "--remove")
                await pipeline.publish(event(id: "new", to: "reader", data: #""channels":["push"]"#))
                #expect(try await pipeline.outcome(of: "new") == [Ended("push", "sent", "accepted")])
                #expect(try await system.count(out) == 1, "the hanging call has ended: nothing was shown")
                let callers: SQL = "select count(*) from tidings.workers where providers = '{handset,webhook}'"
                #expect(try await system.eventually(callers) { $0 == 1 }, "it says that it calls others than it does")
            }
        }
    }
}
