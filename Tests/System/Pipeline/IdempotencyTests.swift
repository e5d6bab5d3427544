import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The same source and id is the same notification, for every sender, every repetition and every router.
@Suite struct IdempotencyTests {
    @Test func theSameEventTwiceIsOneNotification() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "o-1", to: "reader"))
            let first = try await pipeline.outcome(of: "o-1")
            await pipeline.publish(event(id: "o-1", to: "reader"))
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 2 })

            #expect(try await pipeline.outcome(of: "o-1") == first)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 1)
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == 1)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }

    @Test func theSameIdWithOtherContentIsAConflict() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "o-1", to: "reader", title: "First"))
            _ = try await pipeline.outcome(of: "o-1")
            await pipeline.publish(event(id: "o-1", to: "reader", title: "Second"))
            let conflict = try await pipeline.system.eventually(
                "select count(*) from tidings_ops.rejected where reason_code = 'idempotencyConflict' and event_id = 'o-1'"
            ) { $0 == 1 }
            #expect(conflict)
            let message = try await pipeline.json("rejected", "list").arrayValue?.first?["message"]?.stringValue
            let id = try await pipeline.notificationID(of: "o-1")
            #expect(message?.contains(id) == true, "it names the notification there is: \(message ?? "")")
            #expect(try await pipeline.system.count("select count(*) from tidings.notifications where title = 'Second'") == 0)
            try await pipeline.expectSound()
        }
    }

    /// A different recipient, source or tenant gives a different notification.
    @Test func theKeyIsTenantSourceIdAndRecipient() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(event(id: "o-1", to: "one"))
            await pipeline.publish(event(id: "o-1", to: "two"))
            await pipeline.publish(event(id: "o-1", to: "one", data: #""tenant":"other""#))
            await pipeline.publish(event(id: "o-1", to: "one").replacing("/tests", with: "/elsewhere"))
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 4 })
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications where idempotency_key = 'o-1'") == 4)
            try await pipeline.expectSound()
        }
    }

    /// After some batches without a duplicate, the router expects none. Its way of claiming keys then fails if there is one.
    @Test func aDuplicateThatIsNotExpectedIsRecognised() async throws {
        try await withPipeline { pipeline in
            let others = DuplicateWatch.memory * 2
            for number in 1...others {
                // Published one by one, so that each is a batch of its own.
                await pipeline.publish(event(id: "other-\(number)", to: "reader"))
                #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == number })
            }
            let failed: SQL = "select xact_rollback from pg_stat_database where datname = current_database()"
            let before = try await pipeline.system.count(failed)
            await pipeline.publish(event(id: "other-1", to: "reader"))
            await pipeline.publish(event(id: "other-1", to: "reader", title: "Second"))
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == others + 2 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await pipeline.system.eventually(failed) { $0 > before }, "it was expected, so this has shown nothing")
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == others)
            let conflicts: SQL = "select count(*) from tidings_ops.rejected where reason_code = 'idempotencyConflict'"
            #expect(try await pipeline.system.count(conflicts) == 1)
            try await pipeline.expectSound()
        }
    }

    /// Eight producers publish the same hundred intents to two routers at the same time. The first message decides, and the rest are
    /// duplicates.
    @Test func manyProducersAtOnceMakeEachNotificationOnce() async throws {
        let (producers, intents) = (8, 100)
        try await withPipeline { pipeline in
            try await Pipeline.startRoles(of: pipeline.system)
            let url = pipeline.system.amqpURL
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<producers {
                    group.addTask {
                        let producer = try Producer(url: url)
                        let results = await producer.publish(
                            (0..<intents).map {
                                IntentEvent(
                                    source: "/tests", id: "same-\($0)", type: "orderUpdate", category: .transactional,
                                    recipients: ["reader-\($0 % 10)"], title: "A title")
                            })
                        await producer.close()
                        #expect(results.allSatisfy { $0 == .confirmed })
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == producers * intents })
            let done = try await pipeline.system.eventually("select count(*) from tidings_ops.notifications where state = 'done'") {
                $0 == intents
            }
            #expect(done)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == intents)
            #expect(try await pipeline.system.count("select count(*) from tidings.inbox") == intents)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            try await pipeline.expectSound()
        }
    }
}
