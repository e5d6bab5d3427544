import Testing
import TidingsAMQP
import TidingsTestSupport

extension ExclusiveBrokerTests {
    /// The memory alarm stops the broker from reading connections that publish.
    @Suite(.timeLimit(.minutes(Patience.scaled(2))))
    struct AlarmTests {
        @Test func aBlockedPublisherWaitsAndAConsumerGoesOn() async throws {
            let broker = try ExclusiveBroker.current()
            let configuration = try AMQPConfiguration(url: broker.amqpURL)
            let control = try AMQPControl.make(configuration: configuration)
            let queue = Broker.unique("alarm")
            try await control.declareQueue(QueueDeclaration(name: queue, arguments: ["x-queue-type": "quorum"]))
            func message(_ id: String) -> OutgoingMessage {
                OutgoingMessage(exchange: "", routingKey: queue, body: [UInt8](repeating: 7, count: 20_000), messageID: id)
            }
            let log = EventLog()
            // The alarm lasts longer than the confirm timeout: time spent blocked must not count.
            let confirmTimeout = Duration.seconds(2)
            let publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "test publisher", window: 50, confirmTimeout: confirmTimeout,
                maximumRepublishes: 0,
                log: log.record)
            #expect(await publisher.publish((0..<10).map { message("before\($0)") }).allSatisfy { $0 == .confirmed })
            try await broker.control("set_vm_memory_high_watermark", "0.00001")
            async let results = publisher.publish((0..<500).map { message("m\($0)") })
            await log.first { if case .blocked(reason: "low on memory") = $0 { true } else { false } }
            let overdue = ContinuousClock.now.advanced(by: confirmTimeout + .milliseconds(500))
            let consumer = try AMQPConsumer.make(
                configuration: configuration, connectionName: "test consumer", queues: [queue], prefetch: 100)
            do {
                try await consumer.running { consumer in
                    let messages = await consumer.read(10)
                    await consumer.acknowledge(messages.map(\.tag))
                    // The broker itself reports the connection as blocked, again and again, until every confirm would be overdue. One
                    // report takes about a second.
                    repeat {
                        let states = try await broker.control("-q", "list_connections", "--no-table-headers", "state")
                        #expect(states.split(separator: "\n").contains("blocked"), "\(states)")
                    } while ContinuousClock.now < overdue
                }
                #expect(!log.events.contains { if case .unblocked = $0 { true } else { false } })
            } catch {
                try await broker.control("set_vm_memory_high_watermark", "0.4")
                throw error
            }
            try await broker.control("set_vm_memory_high_watermark", "0.4")
            #expect(await results.allSatisfy { $0 == .confirmed })
            #expect(!log.events.contains { if case .disconnected = $0 { true } else { false } })
            #expect(log.events.contains { if case .unblocked = $0 { true } else { false } })
            let status = try await control.queueStatus(queue)
            #expect(status?.messages == 500)
            try await control.deleteQueue(queue)
            await control.close()
            await publisher.close()
        }

        /// A person who waits learns the alarm, and a message that was not sent until then is never sent.
        @Test func aPublishEndsAtItsTimeoutAndNamesTheAlarm() async throws {
            let broker = try ExclusiveBroker.current()
            let configuration = try AMQPConfiguration(url: broker.amqpURL)
            let control = try AMQPControl.make(configuration: configuration)
            let queue = Broker.unique("alarm")
            try await control.declareQueue(QueueDeclaration(name: queue, arguments: ["x-queue-type": "quorum"]))
            func message(_ id: String) -> OutgoingMessage {
                OutgoingMessage(exchange: "", routingKey: queue, body: [UInt8](repeating: 7, count: 20_000), messageID: id)
            }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "test publisher", window: 50, log: log.record)
            #expect(await publisher.publish([message("before")]) == [.confirmed])
            try await broker.control("set_vm_memory_high_watermark", "0.00001")
            async let patient = publisher.publish((0..<500).map { message("m\($0)") })
            await log.first { if case .blocked(reason: "low on memory") = $0 { true } else { false } }
            let late = await publisher.publish([message("late")], timeout: .milliseconds(300))
            try await broker.control("set_vm_memory_high_watermark", "0.4")
            #expect(late == [.failed(.blocked(reason: "low on memory"))])
            #expect(await patient.allSatisfy { $0 == .confirmed })
            let status = try await control.queueStatus(queue)
            #expect(status?.messages == 501)
            try await control.deleteQueue(queue)
            await control.close()
            await publisher.close()
        }

        /// The broker tells of its alarm after the first message that reaches it. From then on, every offer is dropped at once.
        @Test func aBlockedAnnouncerDropsAndGoesOnAfterwards() async throws {
            let broker = try ExclusiveBroker.current()
            let (counts, log) = (Counts(), EventLog())
            let exchange = ExchangeDeclaration(name: Broker.unique("alarm"), kind: "fanout", durable: false)
            let announcer = try AMQPAnnouncer.make(
                configuration: try AMQPConfiguration(url: broker.amqpURL), connectionName: "test announcer", exchange: exchange,
                report: counts.report, log: log.record)
            let message = OutgoingMessage(exchange: exchange.name, routingKey: "", body: [7], messageID: "")
            announcer.offer(message)
            await counts.reaches(published: 1)
            try await broker.control("set_vm_memory_high_watermark", "0.00001")
            announcer.offer(message)
            await log.first { if case .blocked(reason: "low on memory") = $0 { true } else { false } }
            // The event comes before its turn has ended.
            while announcer.accepts { await Task.yield() }
            let before = counts.now
            for _ in 0..<1_000 { announcer.offer(message) }
            #expect(counts.now.dropped == before.dropped + 1_000 && counts.now.published == before.published)
            try await broker.control("set_vm_memory_high_watermark", "0.4")
            await log.first { if case .unblocked = $0 { true } else { false } }
            while !announcer.accepts { await Task.yield() }
            announcer.offer(message)
            await counts.reaches(published: before.published + 1)
            let losses = log.events.contains { if case .disconnected = $0 { true } else { false } }
            #expect(!losses)
            await announcer.close()
        }
    }
}
