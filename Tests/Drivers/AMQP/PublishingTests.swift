import Testing
import TidingsAMQP
import TidingsTestSupport

@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct PublishingTests {
    @Test func tenThousandMessagesComeBackOnceEach() async throws {
        try await Fixture.with { fixture in
            let ids = (0..<10_000).map { "m\($0)" }
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher")
            async let results = publisher.publish(ids.map { fixture.message($0, body: Array("{\"id\":\"\($0)\"}".utf8)) })
            var seen: [String] = []
            try await fixture.consumer().running { consumer in
                for await batch in consumer.batches {
                    #expect(batch.messages.count <= 100)
                    for message in batch.messages {
                        let id = try #require(message.messageID)
                        #expect(message.body == Array("{\"id\":\"\(id)\"}".utf8))
                        seen.append(id)
                    }
                    await consumer.acknowledge(batch.tags)
                    if seen.count >= ids.count { break }
                }
            }
            #expect(await results.allSatisfy { $0 == .confirmed })
            #expect(seen == ids)
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
            await publisher.close()
        }
    }

    @Test func everyPropertySurvives() async throws {
        try await Fixture.with { fixture in
            let headers: [String: AMQPValue] = [
                "text": "värde", "number": 42, "negative": .int(-7), "flag": true, "ratio": .double(0.5), "raw": .bytes([0, 255, 1]),
                "when": .timestamp(1_700_000_000), "nothing": .void, "list": .array([1, "two", .table(["three": 3])]),
                "table": .table(["inner": .table(["deep": false])]),
            ]
            var message = fixture.message("properties", body: [], headers: headers)
            message.type = "kind"
            message.appID = "app"
            message.correlationID = "correlation"
            message.userID = fixture.configuration.user
            message.timestamp = 1_700_000_001
            try await fixture.publish([message])
            let got = try #require(try await fixture.takeOne())
            #expect(got.headers.filter { !$0.key.hasPrefix("x-") } == headers)
            #expect(got.body.isEmpty && got.messageID == "properties" && got.contentType == "application/json")
            #expect(got.type == "kind" && got.appID == "app" && got.correlationID == "correlation")
            #expect(got.userID == fixture.configuration.user && got.timestamp == 1_700_000_001)
            #expect(got.exchange == fixture.exchange && got.routingKey == fixture.queue && !got.redelivered && !got.headersTooDeep)
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
        }
    }

    /// The broker has compared the name with the login, so the receiver can trust it.
    @Test func aMessageNamesItsPublisher() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish([fixture.message("unsigned")])
            #expect(try await fixture.takeOne()?.userID == fixture.configuration.user)
        }
    }

    @Test func largeBodiesArriveWhole() async throws {
        try await Fixture.with { fixture in
            let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await fixture.publish((0..<20).map { fixture.message("large\($0)", body: body) })
            try await fixture.consumer(prefetch: 4).running { consumer in
                var count = 0
                for await batch in consumer.batches {
                    #expect(batch.messages.allSatisfy { $0.body == body && !$0.isBodyTruncated })
                    await consumer.acknowledge(batch.tags)
                    count += batch.messages.count
                    if count == 20 { break }
                }
            }
        }
    }

    @Test func unroutableMessagesComeBack() async throws {
        try await Fixture.with { fixture in
            var lost = fixture.message("nowhere")
            lost.routingKey = "no such key"
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher")
            let results = await publisher.publish([fixture.message("before"), lost, fixture.message("after")])
            #expect(results == [.confirmed, .returned(code: 312, text: "NO_ROUTE"), .confirmed])
            await publisher.close()
        }
    }

    @Test func aMissingExchangeFailsItsOwnMessagesOnly() async throws {
        try await Fixture.with { fixture in
            var messages = (0..<50).map { fixture.message("m\($0)") }
            for index in [7, 8, 30] { messages[index].exchange = fixture.exchange + ".missing" }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher", log: log.record)
            let results = await publisher.publish(messages)
            for (index, result) in results.enumerated() {
                if [7, 8, 30].contains(index) {
                    guard case .failed(.channelClosed(code: 404, _)) = result else {
                        Issue.record("message \(index) to a missing exchange: \(result)")
                        continue
                    }
                } else {
                    #expect(result == .confirmed)
                }
            }
            let connections = log.events.filter { if case .connected = $0 { true } else { false } }
            #expect(connections.count <= 5)
            #expect(await publisher.publish([fixture.message("still usable")]) == [.confirmed])
            await publisher.close()
        }
    }

    @Test func aFullQueueRefuses() async throws {
        try await Fixture.with { fixture in
            try await fixture.control.deleteQueue(fixture.queue)
            let arguments: [String: AMQPValue] = ["x-max-length": 1, "x-overflow": "reject-publish"]
            try await fixture.control.declareQueue(QueueDeclaration(name: fixture.queue, arguments: arguments))
            try await fixture.control.bind(Binding(queue: fixture.queue, exchange: fixture.exchange, routingKey: fixture.queue))
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher")
            var results: [PublishResult] = []
            for index in 0..<3 { results += await publisher.publish([fixture.message("m\(index)")]) }
            #expect(results == [.confirmed, .nacked, .nacked])
            await publisher.close()
        }
    }

    /// A channel may be stuck with a leader that is gone. A new connection finds the new leader.
    @Test func aConnectionWhoseMessagesAreRefusedForLongIsReplaced() async throws {
        try await Fixture.with(quorum: false) { fixture in
            try await fixture.control.deleteQueue(fixture.queue)
            try await fixture.control.declareQueue(
                QueueDeclaration(name: fixture.queue, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"]))
            try await fixture.control.bind(Binding(queue: fixture.queue, exchange: fixture.exchange, routingKey: fixture.queue))
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: fixture.configuration, connectionName: "test publisher", refusalPatience: .milliseconds(200),
                log: log.record)
            #expect(await publisher.publish([fixture.message("first")]) == [.confirmed])
            var refused = 0
            while !log.events.contains(where: { if case .connected(generation: 2) = $0 { true } else { false } }), refused < 100_000 {
                let results = await publisher.publish([fixture.message("a"), fixture.message("b")])
                #expect(results == [.nacked, .nacked], "nothing that was answered is published again")
                refused += 1
            }
            #expect(refused < 100_000)
            try await fixture.control.purge(fixture.queue)
            #expect(await publisher.publish([fixture.message("last")]) == [.confirmed])
            await publisher.close()
        }
    }

    @Test func aMessageThatTheProtocolCannotCarryIsNeverSent() async throws {
        try await Fixture.with { fixture in
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher")
            let long = String(repeating: "x", count: 256)
            let huge: [String: AMQPValue] = ["h": .bytes([UInt8](repeating: 0, count: 200_000))]
            let results = await publisher.publish([
                fixture.message(long), fixture.message("huge", headers: huge), fixture.message("key", headers: [long: 1]),
                fixture.message("fine"),
            ])
            for result in results.prefix(3) {
                guard case .failed(.invalidMessage) = result else {
                    Issue.record("expected an invalid message, got \(result)")
                    continue
                }
            }
            #expect(results.last == .confirmed)
            await publisher.close()
        }
    }

    @Test func closingAndCancellingEndTheWait() async throws {
        // No process listens on port 1 of the loopback, so the broker never confirms anything.
        var configuration = AMQPConfiguration(host: "127.0.0.1", port: 1)
        configuration.reconnect = ReconnectPolicy(base: .milliseconds(10), cap: .milliseconds(50))
        let log = EventLog()
        let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher", log: log.record)
        let message = OutgoingMessage(exchange: "e", routingKey: "k", body: [], messageID: "m")
        let cancelled = Task { await publisher.publish([message]) }
        await log.first { if case .disconnected = $0 { true } else { false } }
        cancelled.cancel()
        #expect(await cancelled.value == [.failed(.stopped)])
        async let closed = publisher.publish([message])
        let seen = log.events.count
        await log.first(after: seen) { if case .disconnected = $0 { true } else { false } }
        await publisher.close()
        #expect(await closed == [.failed(.stopped)])
        #expect(await publisher.publish([message]) == [.failed(.stopped)])
    }

    @Test func aPublisherGivesUpAfterTheAttemptsItWasGiven() async throws {
        var configuration = AMQPConfiguration(host: "127.0.0.1", port: 1)
        configuration.reconnect = ReconnectPolicy(base: .milliseconds(1), cap: .milliseconds(5), maximumAttempts: 3)
        let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher")
        let results = await publisher.publish([OutgoingMessage(exchange: "e", routingKey: "k", body: [], messageID: "m")])
        guard case .failed(.connectFailed)? = results.first else {
            Issue.record("expected a failed connect, got \(results)")
            return
        }
        let consumer = try AMQPConsumer.make(configuration: configuration, connectionName: "test", queues: ["q"], prefetch: 1)
        await #expect(throws: AMQPError.self) { try await consumer.run() }
        #expect(await consumer.read(1).isEmpty)
        await consumer.close()
    }
}
