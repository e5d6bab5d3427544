import Testing
import TidingsAMQP
import TidingsContracts
import TidingsPostgres
import TidingsTestSupport

/// Messages that the broker takes out of a queue. No worker died of them, so they are no poison.
@Suite struct EvictedMessageTests {
    @Test func anExpiredMessageIsToldAsSuchAndHandled() async throws {
        try await withOwnSystem { system in
            let declared = try await system.tidings("queue", "topology", "--apply")
            #expect(declared.exitCode == 0, "\(declared.errors)")
            let configuration = try AMQPConfiguration(url: system.amqpURL)
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "tests")
            let message = OutgoingMessage(
                exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate",
                body: Array(event(id: "late", to: "reader").utf8), contentType: Pipeline.structured, messageID: "late",
                expirationMilliseconds: 1)
            #expect(await publisher.publish([message]) == [.confirmed])
            await publisher.close()
            let control = try AMQPControl.make(configuration: configuration, connectionName: "tests")
            let isEvicted = try await eventually { try await control.queueStatus(QueueNames.suspectQueue)?.messages == 1 }
            await control.close()
            try #require(isEvicted, "no router ran, so the message waited until its end")

            let router = try system.start("run", "router")
            let told: SQL = """
                select count(*) from tidings_ops.dead_letters
                where reason_code = 'evicted' and state = 'resolved' and message like 'expired in its queue%'
                """
            #expect(try await system.eventually(told) { $0 == 1 }, "\(router.errorsSoFar)")
            #expect(try await system.count("select count(*) from tidings_ops.notifications where event_id = 'late'") == 1)
        }
    }
}
