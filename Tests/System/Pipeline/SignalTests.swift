import Logging
import Synchronization
import Testing
import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport
import TidingsTimeZones

/// Signals tell whose inbox has changed. They arrive in the usual case, and delay nothing in the other cases.
@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct SignalTests {
    @Test func aNewInboxRowIsToldWithPersonAndId() async throws {
        try await withPipeline { pipeline in
            try await Follower.following(pipeline.system) { follower in
                await pipeline.publish(event(id: "plain", to: "ann"))
                // An inbox entry that escalates is written by a worker, and not by a router.
                await pipeline.publish(event(id: "critical", to: "bob", data: #""critical":true,"channels":["inApp"]"#))
                for (recipient, id) in [("ann", "plain"), ("bob", "critical")] {
                    let person = try #require(await follower.change(of: recipient))
                    let known = try #require(NotificationID(try await pipeline.notificationID(of: id)))
                    #expect(person == InboxSignal.Person(tenant: "default", recipient: recipient, kind: .inbox, new: [known]))
                    let rows = try await pipeline.system.count(
                        """
                        select count(*) from tidings.inbox
                        where recipient_id = \(recipient) and notification_id = \(known.description)::text::uuid
                        """)
                    #expect(rows == 1, "the row is committed when its signal arrives")
                }
                // The router takes this duplicate before the last event, so a signal for it would arrive earlier too.
                await pipeline.publish(event(id: "plain", to: "ann"))
                #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 3 })
                await pipeline.publish(event(id: "last", to: "carol"))
                #expect(await follower.change(of: "carol") != nil)
                #expect(follower.people.count { $0.recipient == "ann" } == 1, "a duplicate changes no inbox")
            }
            try await pipeline.expectSound()
        }
    }

    @Test func everyPersonOfALargeBatchIsTold() async throws {
        try await withPipeline { pipeline in
            try await Follower.following(pipeline.system) { follower in
                let names = (0..<500).map { "user-\($0)" }
                let recipients = names.map { "\"\($0)\"" }.joined(separator: ",")
                await pipeline.publish(
                    #"{"specversion":"1.0","id":"many","source":"/tests","type":"orderUpdate","#
                        + #""data":{"recipients":[\#(recipients)],"title":"T"}}"#)
                await follower.reaches { Set(Follower.people(of: $0).map(\.recipient)).count == names.count }
                #expect(Set(follower.people.map(\.recipient)) == Set(names))
                #expect(follower.metrics.signals[.received].value >= 3, "a signal has at most 200 people")
                #expect(follower.metrics.signals[.ignored].value == 0)
            }
        }
    }

    @Test func aFeedThatWasCutOffReportsTheGapAndGoesOn() async throws {
        try await withPipeline { pipeline in
            let proxy = try FaultProxy(to: try AMQPConfiguration(url: pipeline.system.amqpURL).port)
            defer { proxy.close() }
            try await Follower.following(pipeline.system, through: proxy) { follower in
                await pipeline.publish(event(id: "before", to: "ann"))
                #expect(await follower.change(of: "ann") != nil)
                #expect(follower.events.count { $0 == .gap } == 1)
                proxy.reset()
                await follower.reaches { $0.count { $0 == .gap } == 2 }
                await pipeline.publish(event(id: "after", to: "bob"))
                #expect(await follower.change(of: "bob") != nil)
            }
        }
    }

    @Test func aMessageThatIsNoSignalIsCountedAndIgnored() async throws {
        try await withPipeline { pipeline in
            try await Follower.following(pipeline.system) { follower in
                let newer = String(decoding: try #require(InboxSignal.messages(for: [Self.someone]).first), as: UTF8.self)
                    .replacing(#""v":1"#, with: #""v":2"#)
                for body in ["", "{}", "no signal", newer] {
                    await pipeline.publish(Array(body.utf8), key: "", exchange: QueueNames.realtimeExchange)
                }
                await pipeline.publish(event(id: "good", to: "ann"))
                #expect(await follower.change(of: "ann") != nil)
                #expect(follower.metrics.signals[.ignored].value == 4 && follower.people.count == 1)
            }
        }
    }

    /// The link of signals hangs while it logs in. The batch is committed before the link has told anything.
    @Test func aLinkThatHangsDelaysNoBatch() async throws {
        try await withOwnSystem { system in
            let applied = try await system.tidings("queue", "topology", "--apply")
            #expect(applied.exitCode == 0, "\(applied.errors)")
            let configuration = try AMQPConfiguration(url: system.amqpURL)
            let proxy = try FaultProxy(to: configuration.port)
            proxy.stall()
            var hanging = configuration
            (hanging.host, hanging.port, hanging.connectTimeout) = ("127.0.0.1", proxy.port, .seconds(120))
            let metrics = Metrics(version: "test")
            let told = Mutex(0)
            let signals = try InboxSignals(configuration: hanging, metrics: metrics) { _ in told.withLock { $0 += 1 } }

            let intents = (0..<300).map { event(id: "hanging-\($0)", to: "user-\($0)") }
            let accepted = try await Self.route(intents, of: system, configuration, signals: signals, metrics)
            #expect(accepted == intents.count && told.withLock { $0 } == 0, "nothing waits for the link")
            #expect(try await system.count("select count(*) from tidings.inbox") == intents.count)
            #expect(metrics.signals[.published].value == 0)
            // Ends the connection, for which the close waits.
            proxy.close()
            await signals.close()
            #expect(metrics.signals[.dropped].value > 0)
        }
    }

    private static let someone = InboxSignal.Person(tenant: "default", recipient: "ann")

    /// Sends the events to the broker, reads them as a router does, and commits them in one batch. Returns the number of accepted intents.
    private static func route(
        _ events: [String], of system: TestSystem, _ configuration: AMQPConfiguration, signals: InboxSignals, _ metrics: Metrics
    ) async throws -> Int {
        let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "tidings signal tests")
        let results = await publisher.publish(
            events.enumerated().map { number, event in
                OutgoingMessage(
                    exchange: QueueNames.intentsExchange, routingKey: "transactional.orderUpdate", body: Array(event.utf8),
                    contentType: Pipeline.structured, messageID: "m\(number)")
            })
        await publisher.close()
        #expect(results.allSatisfy { $0 == .confirmed })

        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 2, name: "tidings signal tests")
        try await store.open()
        let intake = Intake(
            store: store, catalogues: try await CatalogueSource(store, builtIn: .builtIn), zones: TimeZoneDatabase(),
            trusted: configuration.user,
            projections: Projections(), topics: [], signals: signals, metrics: metrics, logger: Logger(label: "signal tests"))
        let consumer = try AMQPConsumer.make(
            configuration: configuration, connectionName: "tidings signal tests", queues: [QueueNames.intents(.urgent)],
            prefetch: events.count)
        async let end: Void = consumer.run()
        var messages: [AMQPMessage] = []
        for await batch in consumer.batches {
            messages += batch.messages
            await consumer.acknowledge(batch.tags)
            if messages.count >= events.count { break }
        }
        await consumer.close()
        try await end
        _ = try await intake.receive(messages) { _ in }
        await store.close()
        return metrics.intents[.accepted].value
    }
}
