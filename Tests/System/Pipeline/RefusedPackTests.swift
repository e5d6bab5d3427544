import Synchronization
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A refusal of the broker is an answer: the process publishes the pack again, long before a releaser would.
@Suite struct RefusedPackTests {
    private static let refused = 5

    @Test func refusedPacksAreConfirmedWithoutAReleaser() async throws {
        try await withOwnSystem { system in
            let packs = (0...Self.refused).map { number in
                Pack(
                    id: PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0000 + UInt64(number)), channel: .push, provider: "phone",
                    lane: .urgent, entries: [])
            }
            for pack in packs {
                _ = try await system.query(
                    """
                    insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at)
                    values (\(pack.id.description)::uuid, 'push', 'phone', 'urgent', '{}', '{}', '{}', tidings.clock())
                    """)
            }
            let configuration = try AMQPConfiguration(url: system.amqpURL)
            let queue = try await Self.declareFullQueue(for: packs[0].queueName, configuration)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "tests")
            let metrics = Metrics(version: "test")
            let told = Mutex<[RefusalEvent]>([])
            let (ends, end) = AsyncStream.makeStream(of: RefusalPhase.self)
            let packPublisher = PackPublisher(
                store: store, publisher: publisher, metrics: metrics,
                refusals: { event in
                    told.withLock { $0.append(event) }
                    if case .ended(let phase, _) = event { end.yield(phase) }
                })
            #expect(await packPublisher.publish(EncodedPacks([packs[0]])) == PublishedPacks(confirmed: 1))
            for pack in packs.dropFirst() {
                #expect(await packPublisher.publish(EncodedPacks([pack])) == PublishedPacks(kept: 1))
            }

            // Each message that the consumer takes makes room for another.
            let consumer = try AMQPConsumer.make(configuration: configuration, connectionName: "tests", queues: [queue], prefetch: 100)
            let run = Task { try await consumer.run() }
            var received: Set<String> = []
            for await batch in consumer.batches {
                received.formUnion(batch.messages.compactMap(\.messageID))
                await consumer.acknowledge(batch.tags)
                if received.count == packs.count { break }
            }
            #expect(received == Set(packs.map(\.id.description)))
            let phase = try #require(await ends.first { _ in true })
            #expect(phase.lane == .urgent && phase.refused == Self.refused && phase.taken == Self.refused && phase.left == 0)
            #expect(told.withLock(\.count) == 2, "one line at the begin and one at the end")
            await packPublisher.close()
            #expect(metrics.packsRefused.value == 0 && metrics.packsConfirmed.value == packs.count)
            #expect(try await system.count("select count(*) from tidings.packs where confirmed_at is not null") == packs.count)
            await consumer.close()
            try await run.value
            await publisher.close()
            await store.close()
        }
    }

    /// A process that stops leaves its refused packs to a releaser, without waiting for the broker.
    @Test func aStopLeavesRefusedPacksToAReleaser() async throws {
        try await withOwnSystem { system in
            let pack = Pack(
                id: PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0000), channel: .push, provider: "phone", lane: .bulk,
                entries: [])
            let configuration = try AMQPConfiguration(url: system.amqpURL)
            _ = try await Self.declareFullQueue(for: pack.queueName, configuration)
            let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 1, name: "tests")
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "tests")
            let metrics = Metrics(version: "test")
            let packPublisher = PackPublisher(store: store, publisher: publisher, metrics: metrics)
            #expect(await packPublisher.publish(EncodedPacks([pack])).confirmed == 1)
            #expect(await packPublisher.publish(EncodedPacks([pack])).kept == 1)
            #expect(metrics.packsRefused.value == 1)
            await packPublisher.close()
            #expect(metrics.packsRefused.value == 0)
            #expect(await packPublisher.publish(EncodedPacks([pack])) == PublishedPacks(left: 1))
            await publisher.close()
            await store.close()
        }
    }

    /// Declares the queue of packs so that it holds one message and refuses others.
    private static func declareFullQueue(for queue: String, _ configuration: AMQPConfiguration) async throws -> String {
        let control = try AMQPControl.make(configuration: configuration, connectionName: "tests")
        try await control.declareExchange(ExchangeDeclaration(name: QueueNames.deliverExchange, kind: "direct"))
        try await control.declareQueue(QueueDeclaration(name: queue, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"]))
        try await control.bind(Binding(queue: queue, exchange: QueueNames.deliverExchange, routingKey: queue))
        await control.close()
        return queue
    }
}
