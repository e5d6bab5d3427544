import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
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
            #expect(try await system.eventually(Self.sampled) { $0 == 1 })
            try await Pipeline.apply(TestCatalogue.withPush.replacing("phone", with: "handset"), to: system, "--remove")
            try system.start("run", "deliver")
            let sent: SQL = "select count(*) from tidings_ops.deliveries where state = 'sent' and provider = 'handset' and attempts = 1"
            #expect(try await system.eventually(within: .seconds(60), sent) { $0 == 3 })
            #expect(try await system.count("select count(*) from tidings_ops.unaccounted") == 0)
            #expect(try await system.tidings("db", "verify").exitCode == 0)
            try await expectLeftOverQueue(in: system)
        }
    }

    /// The queue of the provider that is gone.
    private static let queue = QueueNames.deliver(channel: .push, provider: "phone", lane: .urgent)
    private static let sampled: SQL = "select count(*) from tidings.queue_samples where queue = \(queue)"

    /// The message of the packs stays in the queue. The commands name the queue until an operator deletes it.
    private func expectLeftOverQueue(in system: TestSystem) async throws {
        let left: SQL =
            "select count(*) from tidings_ops.queues where queue = \(Self.queue) and ready > 0 and consumers = 0 and packs is null"
        #expect(try await system.eventually(left) { $0 == 1 })
        for command in ["status", "doctor"] {
            let told = try await system.tidings(command, "-o", "json")
            #expect(told.output.contains("queueLeftOver") && told.output.contains("delete_queue"), "\(told.output)\(told.errors)")
            #expect(told.output.contains(Self.queue))
        }
        let control = try AMQPControl.make(configuration: AMQPConfiguration(url: system.amqpURL), connectionName: "tests")
        try await control.deleteQueue(Self.queue)
        await control.close()
        #expect(try await system.eventually(Self.sampled) { $0 == 0 }, "the sample of a deleted queue stays")
        let later = try await system.tidings("status", "-o", "json")
        #expect(!later.output.contains("queueLeftOver"))
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
