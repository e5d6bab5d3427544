import Testing
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

extension WaitingFaults {
    /// A publisher that missed the confirm of a pack publishes the pack again. One worker may therefore hold both messages at once.
    @Suite struct RepeatedPackTests {
        private static let queue = "tidings.deliver.webhook.webhook.urgent"
        private static let copies = 8

        @Test func manyMessagesOfOnePackAreOneSend() async throws {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await FaultLoad.prepare(system, receiver: receiver)
                    let producer = try Producer(url: system.amqpURL)
                    _ = try await system.startRole("router")
                    let intent = IntentEvent(
                        source: "/tests", id: "once", type: "orderUpdate", category: .transactional, recipients: ["hook-0"], title: "T",
                        channels: [.webhook])
                    #expect(await producer.publish(intent) == .confirmed)
                    #expect(try await system.eventually("select count(*) from tidings.packs where confirmed_at is not null") { $0 == 1 })
                    try await repeatPack(of: system, producer)
                    await producer.close()

                    _ = try await system.startRole("deliver")
                    #expect(try await system.eventually("select count(*) from tidings.packs") { $0 == 0 })
                    try await Conservation(system: system, receiver: receiver).expectEnd(of: ["once"])
                    #expect(try receiver.acceptances().mapValues(\.count).values.reduce(0, +) == 1)
                }
            }
        }

        private func repeatPack(of system: TestSystem, _ producer: Producer) async throws {
            let message = try #require(try await takePack(of: system))
            for _ in 0..<Self.copies {
                #expect(
                    await producer.publish(
                        raw: message.body, contentType: Pack.contentType, exchange: QueueNames.deliverExchange, routingKey: Self.queue,
                        id: "pack") == .confirmed)
            }
        }

        /// Consumes, acknowledges and returns the message of the pack.
        private func takePack(of system: TestSystem) async throws -> AMQPMessage? {
            let consumer = try AMQPConsumer.make(
                configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "tests", queues: [Self.queue], prefetch: 1)
            async let run: Void = consumer.run()
            var batches = consumer.batches.makeAsyncIterator()
            let batch = await batches.next()
            await consumer.acknowledge(batch?.tags ?? [])
            await consumer.close()
            try await run
            return batch?.messages.first
        }
    }
}
