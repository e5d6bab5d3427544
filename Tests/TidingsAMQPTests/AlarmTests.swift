import Testing
import TidingsAMQP

/// The memory alarm stops the broker from reading connections that publish.
@Suite(
    .enabled(if: ExclusiveBroker.isPresent, "needs TIDINGS_EXCLUSIVE_AMQP_URL and TIDINGS_EXCLUSIVE_RABBITMQCTL"), .serialized,
    .timeLimit(.minutes(2)))
struct AlarmTests {
    @Test func aBlockedPublisherWaitsAndAConsumerGoesOn() async throws {
        let configuration = try AMQPConfiguration(url: try #require(ExclusiveBroker.url))
        let control = AMQPControl(configuration: configuration)
        let queue = Broker.unique("alarm")
        try await control.declareQueue(QueueDeclaration(name: queue, arguments: ["x-queue-type": "quorum"]))
        func message(_ id: String) -> OutgoingMessage {
            OutgoingMessage(exchange: "", routingKey: queue, body: [UInt8](repeating: 7, count: 20_000), messageID: id)
        }
        let log = EventLog()
        // A confirm timeout far shorter than the alarm: time spent blocked must not count.
        let publisher = AMQPPublisher(
            configuration: configuration, connectionName: "test publisher", window: 50, confirmTimeout: .seconds(2), maximumRepublishes: 0,
            log: log.record)
        #expect(await publisher.publish((0..<10).map { message("before\($0)") }).allSatisfy { $0 == .confirmed })
        try await ExclusiveBroker.control("set_vm_memory_high_watermark", "0.00001")
        async let results = publisher.publish((0..<500).map { message("m\($0)") })
        await log.first { if case .blocked = $0 { true } else { false } }
        #expect(await publisher.isBlocked)
        #expect(await publisher.blockedReason == "low on memory")
        let consumer = try AMQPConsumer.make(configuration: configuration, connectionName: "test consumer", queues: [queue], prefetch: 100)
        do {
            try await consumer.running { consumer in
                let messages = await consumer.read(10)
                await consumer.acknowledge(messages.map(\.tag))
                // What is tested is that more than the confirm timeout passes.
                try await Task.sleep(for: .seconds(3))
            }
            let isStillBlocked = await publisher.isBlocked
            #expect(isStillBlocked)
        } catch {
            try await ExclusiveBroker.control("set_vm_memory_high_watermark", "0.4")
            throw error
        }
        try await ExclusiveBroker.control("set_vm_memory_high_watermark", "0.4")
        #expect(await results.allSatisfy { $0 == .confirmed })
        #expect(!log.events.contains { if case .disconnected = $0 { true } else { false } })
        let isBlocked = await publisher.isBlocked
        #expect(!isBlocked)
        let status = try await control.queueStatus(queue)
        #expect(status?.messages == 500)
        try await control.deleteQueue(queue)
        await control.close()
        await publisher.close()
    }
}
