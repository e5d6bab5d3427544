import Testing
import TidingsAMQP
import TidingsTestSupport

/// A consumer with a queue of its own, and the announcements that it gets. Both may lose messages, and neither may hang.
@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct OwnQueueTests {
    @Test func everyConsumerGetsEveryAnnouncement() async throws {
        try await Announcements.with { announcements in
            let logs = [EventLog(), EventLog()]
            try await announcements.consumer(log: logs[0].record).running { first in
                try await announcements.consumer(log: logs[1].record).running { second in
                    for log in logs { await log.first { if case .consuming = $0 { true } else { false } } }
                    announcements.announcer.offer(announcements.message("m"))
                    for consumer in [first, second] {
                        let messages = await consumer.read(1)
                        #expect(messages.map(\.body) == [Array("m".utf8)])
                        #expect(messages.first?.queue == announcements.queue.name)
                        await consumer.acknowledge(messages.map(\.tag))
                    }
                }
            }
        }
    }

    /// The consumer holds the first message. Of the others, the broker keeps as many as the limit allows and drops the oldest.
    @Test func theQueueKeepsTheNewest() async throws {
        try await Announcements.with(maximumMessages: 3) { announcements in
            let log = EventLog()
            try await announcements.consumer(prefetch: 1, log: log.record).running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                let publisher = try AMQPPublisher.make(configuration: announcements.configuration, connectionName: "test publisher")
                let results = await publisher.publish((0..<20).map { announcements.message("m\($0)") })
                await publisher.close()
                #expect(results.allSatisfy { $0 == .confirmed })
                // The prefetch allows one message, so the broker has the other three of the limit.
                var bodies: [String] = []
                while bodies.last != "m19" {
                    let messages = await consumer.read(1)
                    bodies += messages.map { String(decoding: $0.body, as: UTF8.self) }
                    await consumer.acknowledge(messages.map(\.tag))
                }
                #expect(bodies == ["m0", "m17", "m18", "m19"])
            }
        }
    }

    @Test func aLostConnectionGetsANewQueueAndSaysSo() async throws {
        try await Announcements.with { announcements in
            let proxy = try FaultProxy(to: announcements.configuration.port)
            defer { proxy.close() }
            var configuration = announcements.configuration
            (configuration.host, configuration.port) = ("127.0.0.1", proxy.port)
            let log = EventLog()
            try await announcements.consumer(configuration: configuration, log: log.record).running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                let seen = log.events.count
                proxy.reset()
                await log.first(after: seen) { if case .consuming = $0 { true } else { false } }
                let again = log.events.dropFirst(seen).contains { if case .connected(generation: 2) = $0 { true } else { false } }
                #expect(again)
                announcements.announcer.offer(announcements.message("after"))
                #expect(await consumer.read(1).map(\.body) == [Array("after".utf8)])
            }
        }
    }

    /// A broker forgets an exchange that is not durable when it restarts, and the bindings of an exchange that an operator deletes.
    ///
    /// The deletion falls between two renewals, because the first renewal is due a second after the consumer has started.
    @Test func theExchangeAndTheBindingComeBack() async throws {
        let events = try await deleteTheExchange(idleLimit: .seconds(1))
        #expect(!events.contains { if case .disconnected = $0 { true } else { false } })
    }

    /// A deletion between the declaration of the exchange and the binding closes the channel, so the consumer connects again. At this idle
    /// limit most deletions fall there.
    @Test func aDeletionDuringARenewalIsSurvived() async throws {
        _ = try await deleteTheExchange(idleLimit: .milliseconds(2))
    }

    /// Deletes the exchange of a running consumer, and waits until a message reaches the consumer again. Returns the consumer's events.
    private func deleteTheExchange(idleLimit: Duration) async throws -> [AMQPEvent] {
        let log = EventLog()
        try await Announcements.with { announcements in
            try await announcements.consumer(idleLimit: idleLimit, log: log.record).running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                try await announcements.control.deleteExchange(announcements.exchange.name)
                // The consumer declares the exchange and binds its queue again when it has been idle. No event tells the test, so it repeats
                // the message until it arrives.
                let publishing = Task {
                    let publisher = try AMQPPublisher.make(configuration: announcements.configuration, connectionName: "test publisher")
                    var result: [PublishResult] = []
                    while !Task.isCancelled, result != [.confirmed] { result = await publisher.publish([announcements.message("m")]) }
                    await publisher.close()
                }
                #expect(await consumer.read(1).map(\.body) == [Array("m".utf8)])
                publishing.cancel()
                try await publishing.value
            }
        }
        return log.events
    }

    @Test func theQueueEndsWithItsConsumer() async throws {
        try await Announcements.with { announcements in
            let log = EventLog()
            try await announcements.consumer(log: log.record).running { _ in
                await log.first { if case .consuming = $0 { true } else { false } }
            }
            // The exchange has no binding any more, so a mandatory message comes back.
            let publisher = try AMQPPublisher.make(configuration: announcements.configuration, connectionName: "test publisher")
            var result: [PublishResult] = []
            repeat { result = await publisher.publish([announcements.message("m")]) } while result == [.confirmed]
            guard case .returned(code: 312, _)? = result.first else {
                Issue.record("expected a returned message, got \(result)")
                return
            }
            await publisher.close()
        }
    }

    @Test func aDeclaredQueueMayBeExclusive() async throws {
        try await Announcements.with { announcements in
            let control = announcements.control
            let queue = QueueDeclaration(name: Broker.unique("exclusive"), durable: false, exclusive: true, autoDelete: true)
            try await control.declareQueue(queue)
            let other = try AMQPControl.make(configuration: announcements.configuration)
            await #expect(throws: AMQPError.self) { try await other.queueStatus(queue.name) }
            await other.close()
            #expect(try await control.queueStatus(queue.name) != nil)
        }
    }
}

/// A fanout exchange that is not durable, with an announcer, for one test.
struct Announcements {
    let configuration: AMQPConfiguration
    let control: AMQPControl
    let exchange: ExchangeDeclaration
    let queue: OwnQueue
    let announcer: AMQPAnnouncer

    static func with(maximumMessages: Int = 1_000, _ body: (Announcements) async throws -> Void) async throws {
        let configuration = try Broker.configuration()
        let exchange = ExchangeDeclaration(name: Broker.unique("announcements"), kind: "fanout", durable: false)
        let announcements = Announcements(
            configuration: configuration, control: try AMQPControl.make(configuration: configuration, connectionName: "test control"),
            exchange: exchange,
            queue: OwnQueue(name: exchange.name, exchange: exchange, maximumMessages: maximumMessages, maximumBytes: 1 << 20),
            announcer: try AMQPAnnouncer.make(configuration: configuration, connectionName: "test announcer", exchange: exchange))
        do {
            try await body(announcements)
        } catch {
            await announcements.remove()
            throw error
        }
        await announcements.remove()
    }

    private func remove() async {
        await announcer.close()
        try? await control.deleteExchange(exchange.name)
        await control.close()
    }

    func message(_ text: String) -> OutgoingMessage {
        OutgoingMessage(exchange: exchange.name, routingKey: "", body: Array(text.utf8), messageID: text)
    }

    func consumer(
        prefetch: Int = 100, configuration: AMQPConfiguration? = nil, idleLimit: Duration = AMQPConsumer.idleLimit,
        log: @escaping @Sendable (AMQPEvent) -> Void
    ) throws -> AMQPConsumer {
        try AMQPConsumer.make(
            configuration: configuration ?? self.configuration, connectionName: "test own queue", ownQueue: queue, prefetch: prefetch,
            idleLimit: idleLimit, log: log)
    }
}
