import Logging
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

/// Every buffer in memory fills to its bound while a neighbour is slow, and stays there.
@Suite struct MemoryBoundTests {
    /// The database accepts nothing: a router holds only its prefetch, the rest waits in the broker, and nothing is lost.
    @Test func aSlowDatabaseLeavesTheBacklogInTheBroker() async throws {
        let beyond = 700
        try await withPipeline { pipeline in
            let lock = try await PostgresConnection.connect(PostgresConfiguration(url: pipeline.system.databaseURL))
            try await lock.execute(script: "begin; lock table tidings.notifications in access exclusive mode")
            let publisher = try AMQPPublisher.make(
                configuration: try AMQPConfiguration(url: pipeline.system.amqpURL), connectionName: "tidings backlog test")
            let sent = await publisher.publish(
                (0..<(Router.prefetch + beyond)).map {
                    OutgoingMessage(
                        exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate",
                        body: Array(event(id: "backlog-\($0)", to: "reader-\($0)", data: #""channels":["inApp"]"#).utf8),
                        contentType: Pipeline.structured, messageID: "backlog-\($0)")
                })
            #expect(sent.allSatisfy { $0 == .confirmed })
            await publisher.close()

            let control = try AMQPControl.make(
                configuration: try AMQPConfiguration(url: pipeline.system.amqpURL), connectionName: "tidings backlog test")
            func ready() async throws -> Int { try await control.queueStatus(QueueNames.intents(.urgent))?.messages ?? -1 }
            #expect(try await eventually { try await ready() == beyond }, "the prefetch is not what is taken")
            // A batch waits for the lock. No further batch takes more messages.
            let waits: SQL = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
            #expect(try await pipeline.system.eventually(waits) { $0 > 0 })
            #expect(try await ready() == beyond, "more than the prefetch was taken")
            await control.close()

            try await lock.execute(script: "commit")
            await lock.close()
            let all: SQL = "select count(*) from tidings_ops.notifications where state = 'done'"
            #expect(try await pipeline.system.eventually(all) { $0 == Router.prefetch + beyond })
            try await pipeline.expectSound()
        }
    }

    /// The broker accepts nothing: committed packs wait in memory up to the bound, and a caller with more packs waits for room.
    @Test func theBacklogOfPacksStopsAtItsLimit() async throws {
        try await expectTheBacklogStops(at: PublishBacklog.limit, with: Self.pack(of: []))
    }

    /// The same with packs of the largest size. About a fifth of the number of packs reaches the bound in bytes.
    @Test func theBacklogOfPacksStopsAtItsBytes() async throws {
        let large = Self.pack(of: [Self.entry(bytes: Pack.maximumBytes)])
        let room = (PublishBacklog.maximumBytes - 1) / large.encode().count + 1
        try #require(room < PublishBacklog.limit)
        try await expectTheBacklogStops(at: room, with: large)
    }

    private func expectTheBacklogStops(at limit: Int, with pack: Pack) async throws {
        let nowhere = try AMQPConfiguration(url: "amqp://nobody@127.0.0.1:1/")
        let store = Store(try PostgresConfiguration(url: "postgres://nobody@127.0.0.1:1/none"), size: 1, name: "unused")
        let publisher = try AMQPPublisher.make(configuration: nowhere, connectionName: "tidings backlog test")
        let metrics = Metrics(version: "test")
        let backlog = PublishBacklog(
            publisher: PackPublisher(store: store, publisher: publisher, metrics: metrics), metrics: metrics, logger: Logger(label: "test"))
        for _ in 0..<limit { await backlog.publish([pack]) }
        #expect(metrics.packsWaiting.value == limit)

        let events = Record()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await backlog.publish([pack])
                events.add("let in")
            }
            // The new caller either stands in line or was let in too early.
            while await backlog.callersInLine == 0, events.all.isEmpty { await Task.yield() }
            #expect(metrics.packsWaiting.value == limit, "the bound was passed")
            events.add("room")
            await publisher.close()
            await group.waitForAll()
        }
        #expect(events.all == ["room", "let in"])
        await backlog.drain()
        #expect(metrics.packsWaiting.value == 0)
        await store.close()
    }

    private static func pack(of entries: [PackEntry]) -> Pack {
        Pack(
            id: PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0001), channel: .push, provider: "phone", lane: .bulk,
            entries: entries)
    }

    private static func entry(bytes: Int) -> PackEntry {
        PackEntry(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0002), ordinal: 0, attempt: 1,
                tenant: "t", recipient: "r", type: "a.b", category: .marketing, createdAt: .distantPast, expiresAt: .distantFuture),
            content: Content(body: String(repeating: "x", count: bytes)), decidedAt: .distantPast, validUntil: .distantFuture)
    }
}

/// A list of events in their order.
private final class Record: Sendable {
    private let events = Mutex<[String]>([])

    func add(_ event: String) { events.withLock { $0.append(event) } }
    var all: [String] { events.withLock { $0 } }
}
