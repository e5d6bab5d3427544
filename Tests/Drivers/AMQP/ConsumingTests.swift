import Synchronization
import Testing
import TidingsAMQP
import TidingsTestSupport

@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct ConsumingTests {
    @Test func prefetchIsRespected() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish((0..<20).map { fixture.message("m\($0)") })
            try await fixture.consumer(prefetch: 5).running { consumer in
                let first = await consumer.read(5)
                #expect(first.count == 5)
                // The prefetch limit of five is reached: the other messages stay ready in the queue.
                let status = try await fixture.control.queueStatus(fixture.queue)
                #expect(status == QueueStatus(messages: 15, consumers: 1))
                await consumer.acknowledge(first.prefix(3).map(\.tag))
                #expect(await consumer.read(3).map(\.messageID) == ["m5", "m6", "m7"])
            }
        }
    }

    /// The prefetch allows 25 MB, which is more than both sockets hold. The consumer may keep only 128 KB.
    @Test func aMessageWithoutRoomWaitsInTheBroker() async throws {
        try await Fixture.with { fixture in
            let body = [UInt8](repeating: 0x20, count: 64 << 10)
            try await fixture.publish((0..<400).map { fixture.message("m\($0)", body: body) })
            let policy = BatchPolicy(maximumMessages: 3, maximumBytes: 64 << 10)
            try await fixture.consumer(prefetch: 400, batch: policy).running { consumer in
                // The test acknowledges nothing until all messages are read. No answer of the broker can therefore wake a consumer that
                // forgot to read on.
                let messages = await consumer.read(400)
                #expect(messages.map(\.messageID) == (0..<400).map { "m\($0)" })
                #expect(messages.allSatisfy { $0.body.count == body.count })
                await consumer.acknowledge(messages.map(\.tag))
            }
            #expect(try await fixture.control.queueStatus(fixture.queue)?.messages == 0)
        }
    }

    @Test func acknowledgingOutOfOrderSettlesEachOnce() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish((0..<200).map { fixture.message("m\($0)") })
            try await fixture.consumer().running { consumer in
                let messages = await consumer.read(200)
                for tag in messages.map(\.tag).shuffled() { await consumer.acknowledge([tag]) }
                await consumer.acknowledge(messages.map(\.tag))
            }
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
        }
    }

    @Test func rejectedMessagesReturnAndAreCounted() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish([fixture.message("m")])
            try await fixture.consumer().running { consumer in
                for count in 0..<3 {
                    let message = try #require(await consumer.read(1).first)
                    #expect(message.deliveryCount == count)
                    #expect(message.redelivered == (count > 0))
                    if count < 2 {
                        await consumer.reject([message.tag], requeue: true)
                    } else {
                        await consumer.reject([message.tag], requeue: false)
                    }
                }
            }
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
        }
    }

    @Test func stopEndsDeliveriesButNotSettling() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish((0..<10).map { fixture.message("m\($0)") })
            let consumer = try fixture.consumer(prefetch: 10, batch: BatchPolicy(maximumMessages: 4))
            async let end: Void = consumer.run()
            let held = await consumer.read(4)
            await consumer.stop()
            try await end
            #expect(await consumer.read(1).isEmpty)
            await consumer.acknowledge(held.map(\.tag))
            await consumer.close()
            let rest = try AMQPConsumer.make(
                configuration: fixture.configuration, connectionName: "test rest", queues: [fixture.queue], prefetch: 10)
            try await rest.running { rest in
                #expect(Set(await rest.read(6).compactMap(\.messageID)) == Set((4..<10).map { "m\($0)" }))
            }
        }
    }

    @Test func cancellingRunClosesAndEndsTheBatches() async throws {
        try await Fixture.with { fixture in
            let log = EventLog()
            let consumer = try fixture.consumer(log: log.record)
            let run = Task { try await consumer.run() }
            await log.first { if case .consuming = $0 { true } else { false } }
            async let read = consumer.read(1)
            run.cancel()
            try await run.value
            #expect(await read.isEmpty)
            await log.first { if case .stopped = $0 { true } else { false } }
        }
    }

    @Test func cancellingAReaderLosesNothing() async throws {
        try await Fixture.with { fixture in
            let log = EventLog()
            try await fixture.consumer(log: log.record).running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                let reader = Task { await consumer.read(1) }
                reader.cancel()
                #expect(await reader.value.isEmpty)
                try await fixture.publish([fixture.message("m")])
                #expect(await consumer.read(1).first?.messageID == "m")
            }
        }
    }

    @Test func aDeletedQueueIsReportedAndConsumedAgain() async throws {
        try await Fixture.with { fixture in
            let lost = Mutex<[String]>([])
            let log = EventLog()
            let consumer = try fixture.consumer(
                onQueueLost: { queue in
                    lost.withLock { $0.append(queue) }
                    try? await fixture.declare()
                }, log: log.record)
            try await consumer.running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                let seen = log.events.count
                try await fixture.control.deleteQueue(fixture.queue)
                await log.first(after: seen) { if case .consuming = $0 { true } else { false } }
                try await fixture.publish([fixture.message("m")])
                #expect(await consumer.read(1).first?.messageID == "m")
            }
            #expect(lost.withLock { $0 } == [fixture.queue])
            let connections = log.events.filter { if case .connected = $0 { true } else { false } }
            #expect(connections.count == 1)
        }
    }

    @Test func anIdleConsumerTakesANewChannelAndGoesOn() async throws {
        try await Fixture.with { fixture in
            let log = EventLog()
            try await fixture.consumer(idleLimit: .milliseconds(50), log: log.record).running { consumer in
                var seen = 0
                for round in 0..<5 {
                    await log.first(after: seen) { if case .consuming = $0 { true } else { false } }
                    seen = log.events.count
                    try await fixture.publish([fixture.message("m\(round)")])
                    let message = try #require(await consumer.read(1).first)
                    #expect(message.messageID == "m\(round)")
                    await consumer.acknowledge([message.tag])
                }
                // An open message keeps the channel: a new channel would cause a redelivery.
                try await fixture.publish([fixture.message("open")])
                let open = try #require(await consumer.read(1).first)
                let turns = log.events.count
                let later = ContinuousClock.now.advanced(by: .milliseconds(300))
                while .now < later { _ = try await fixture.control.queueStatus(fixture.queue) }
                #expect(log.events.count == turns)
                await consumer.acknowledge([open.tag])
            }
            #expect(try await fixture.control.queueStatus(fixture.queue)?.messages == 0)
            let connections = log.events.count { if case .connected = $0 { true } else { false } }
            #expect(connections == 1, "\(log.events)")
        }
    }

    /// RabbitMQ 3.10 does not tell some consumers that the queue was deleted. The broker then gives the messages to channels that never
    /// pass them on.
    @Test func aQueueDeclaredWhileItIsDeletedIsConsumed() async throws {
        try await Fixture.with { fixture in
            let consumer = try fixture.consumer(idleLimit: .milliseconds(500), onQueueLost: { _ in try? await fixture.declare() })
            try await consumer.running { consumer in
                for round in 0..<6 {
                    try await fixture.control.deleteQueue(fixture.queue)
                    try await fixture.declare()
                    try await fixture.publish([fixture.message("m\(round)")])
                    let message = try #require(await consumer.read(1).first)
                    #expect(message.messageID == "m\(round)")
                    await consumer.acknowledge([message.tag])
                }
            }
        }
    }

    @Test func aQueueMissingFromTheStartIsAskedForUntilItExists() async throws {
        try await Fixture.with { fixture in
            try await fixture.control.deleteQueue(fixture.queue)
            let asked = Mutex(0)
            let consumer = try fixture.consumer(onQueueLost: { _ in
                let times = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if times == 3 { try? await fixture.declare() }
            })
            try await consumer.running { consumer in
                let read = Task { await consumer.read(1) }
                while asked.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(5)) }
                var isRouted = false
                while !isRouted {
                    do {
                        try await fixture.publish([fixture.message("m")])
                        isRouted = true
                    } catch is Fixture.NotConfirmed {
                        continue
                    }
                }
                #expect(await read.value.first?.messageID == "m")
            }
            #expect(asked.withLock { $0 } == 3)
        }
    }

    @Test func aMissingQueueDoesNotDisturbItsNeighbour() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish([fixture.message("held")])
            let missing = Broker.unique("missing")
            let asked = EventLog()
            let consumer = try AMQPConsumer.make(
                configuration: fixture.configuration, connectionName: "test", queues: [fixture.queue, missing], prefetch: 10,
                log: asked.record)
            try await consumer.running { consumer in
                // The first attempt closes the channel once. Later attempts are made on a separate connection.
                var losses = 0
                var position = 0
                var held: [AMQPMessage] = []
                while losses < 5 {
                    await asked.first(after: position) { if case .queueLost = $0 { true } else { false } }
                    position = asked.events.lastIndex { if case .queueLost = $0 { true } else { false } }.map { $0 + 1 } ?? position
                    losses = asked.events.count { if case .queueLost = $0 { true } else { false } }
                    if held.isEmpty { held = await consumer.read(1) }
                }
                #expect(held.first?.messageID == "held")
                let connections = asked.events.count { if case .connected = $0 { true } else { false } }
                #expect(connections <= 2, "\(asked.events)")
            }
        }
    }

    /// librabbitmq 0.11 decodes nested tables by recursion without a limit, and RabbitMQ relays such tables. Small stacks overflowed.
    @Test func aHeaderNestedEighteenThousandDeepDoesNoHarm() async throws {
        try await Fixture.with { fixture in
            try await RawPublisher.publishNestedHeader(
                depth: 18_000, exchange: fixture.exchange, routingKey: fixture.queue, fixture.configuration)
            try await fixture.publish([fixture.message("neighbour")])
            try await fixture.consumer().running { consumer in
                let messages = await consumer.read(2)
                #expect(messages.map(\.headersTooDeep) == [true, false])
                #expect(messages.last?.messageID == "neighbour")
                await consumer.acknowledge(messages.map(\.tag))
            }
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
        }
    }

    /// A frame has room for 120,000 values of one byte each. In memory each value takes 40 times as much.
    @Test func headersBeyondTheirBoundAreLeftOutAndTold() async throws {
        try await Fixture.with { fixture in
            let one: [String: AMQPValue] = ["cloudEvents_id": "one", "x-first-death-queue": "q", "other": .bool(true)]
            let wide = one.merging(["a": .array(Array(repeating: .void, count: 120_000))]) { $1 }
            let long = one.merging(["a": .string(String(repeating: "x", count: AMQPMessage.maximumHeaderBytes))]) { $1 }
            var many: [String: AMQPValue] = [:]
            for number in 0..<2 * AMQPMessage.maximumHeaderValues { many["cloudEvents_\(number)"] = .bool(true) }
            var others = one
            for number in 0..<2 * AMQPMessage.maximumHeaderValues { others["h\(number)"] = .bool(true) }
            try await fixture.publish([one, wide, long, others, many].enumerated().map { fixture.message("\($0)", headers: $1) })
            try await fixture.consumer().running { consumer in
                let messages = await consumer.read(5)
                #expect(messages.map(\.headersCut) == [false, true, true, true, true])
                #expect(messages.map(\.neededHeadersCut) == [false, false, false, false, true])
                for message in messages.dropLast() {
                    #expect(one.allSatisfy { name, value in name == "other" || message.headers[name] == value }, "\(message.headers.keys)")
                }
                guard case .array(let kept)? = messages[1].headers["a"] else {
                    Issue.record("nothing is kept of the array")
                    return
                }
                #expect((1..<AMQPMessage.maximumHeaderValues).contains(kept.count))
                #expect(messages[2].headers["a"] == nil && messages[2].headers["other"] == .bool(true))
                let most = AMQPMessage.maximumHeaderValues * AMQPMessage.bytesPerHeaderValue + AMQPMessage.maximumHeaderBytes
                #expect(messages.allSatisfy { $0.headers.count <= AMQPMessage.maximumHeaderValues && $0.headerWeight <= most })
                #expect(messages[1].headerWeight > kept.count * AMQPMessage.bytesPerHeaderValue)
                await consumer.acknowledge(messages.map(\.tag))
            }
        }
    }
}
