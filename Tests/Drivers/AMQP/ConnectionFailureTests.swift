import Synchronization
import Testing
import TidingsAMQP
import TidingsTestSupport

/// Connections that a proxy in front of the broker cuts, freezes and resets.
@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct ConnectionFailureTests {
    /// The longest time until missing heartbeats show that a peer is frozen. A heartbeat is due every 2 s.
    private static let longestFreeze = Duration.seconds(7)

    private func proxied(_ fixture: Fixture, heartbeat: Duration = .seconds(10)) throws -> (FaultProxy, AMQPConfiguration) {
        let proxy = try FaultProxy(to: fixture.configuration.port)
        var configuration = fixture.configuration
        configuration.host = "127.0.0.1"
        configuration.port = proxy.port
        configuration.heartbeat = heartbeat
        configuration.connectTimeout = .seconds(2)
        return (proxy, configuration)
    }

    @Test func unsettledMessagesComeAgainAfterALostConnection() async throws {
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture)
            defer { proxy.close() }
            try await fixture.publish([fixture.message("kept"), fixture.message("settled")])
            try await fixture.consumer(configuration: configuration).running { consumer in
                let first = await consumer.read(2)
                #expect(first.map(\.deliveryCount) == [0, 0])
                await consumer.acknowledge([first[1].tag])
                // The acknowledgement has arrived once the broker has handled the consumer's next frame.
                await consumer.reject([first[0].tag], requeue: true)
                let again = try #require(await consumer.read(1).first)
                #expect(again.messageID == "kept" && again.deliveryCount == 1)
                proxy.reset()
                let second = try #require(await consumer.read(1).first)
                #expect(second.messageID == "kept" && second.redelivered && second.deliveryCount == 2)
                #expect(second.tag.generation == first[0].tag.generation + 1)
                // A tag of the old connection, equal in number to a new one, must not settle the new delivery.
                await consumer.acknowledge([first[0].tag])
                await consumer.reject([second.tag], requeue: true)
                let third = try #require(await consumer.read(1).first)
                #expect(third.messageID == "kept" && third.deliveryCount == 3)
                await consumer.acknowledge([third.tag])
            }
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 0)
        }
    }

    @Test func resetsWhilePublishingLoseNothing() async throws {
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture)
            defer { proxy.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "test publisher", window: 200, maximumRepublishes: 100, log: log.record)
            let ids = (0..<5_000).map { "m\($0)" }
            async let results = publisher.publish(ids.map { fixture.message($0, body: [UInt8](repeating: 7, count: 2_000)) })
            // Resets the connections five times, each time after about 500 further messages have arrived.
            var seen: Set<String> = []
            var resets = 0
            try await fixture.consumer().running { consumer in
                for await batch in consumer.batches {
                    seen.formUnion(batch.messages.compactMap(\.messageID))
                    await consumer.acknowledge(batch.tags)
                    if resets < 5 && seen.count > (resets + 1) * 500 {
                        resets += 1
                        proxy.reset()
                    }
                    if seen.count == ids.count { break }
                }
            }
            #expect(resets == 5)
            #expect(await results.allSatisfy { $0 == .confirmed })
            let losses = log.events.count { if case .disconnected = $0 { true } else { false } }
            #expect(losses >= 1)
            await publisher.close()
        }
    }

    /// librabbitmq 0.11 can wait for ever inside a publish when the peer goes silent.
    @Test(arguments: [false, true])
    func aFrozenPeerIsNoticedAndThePublisherIsNotStuck(fillsBuffers: Bool) async throws {
        var bar = Bar()
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture, heartbeat: .seconds(2))
            defer { proxy.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher", log: log.record)
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            if fillsBuffers { proxy.stall() } else { proxy.freeze() }
            let start = ContinuousClock.now
            let body = [UInt8](repeating: 7, count: 50_000)
            async let results = publisher.publish((0..<900).map { fixture.message("m\($0)", body: body) })
            await log.first { if case .disconnected = $0 { true } else { false } }
            let noticed = start.duration(to: .now)
            #expect(noticed > .seconds(1), "noticed after \(noticed)")
            bar.expect(noticed < Self.longestFreeze, "noticed after \(noticed), the bar is \(Self.longestFreeze)")
            proxy.thaw()
            #expect(await results.allSatisfy { $0 == .confirmed })
            await publisher.close()
        }
        try bar.end()
    }

    @Test func aConsumerNoticesAFrozenPeerAndResumes() async throws {
        var bar = Bar()
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture, heartbeat: .seconds(2))
            defer { proxy.close() }
            let log = EventLog()
            try await fixture.consumer(configuration: configuration, log: log.record).running { consumer in
                await log.first { if case .consuming = $0 { true } else { false } }
                proxy.freeze()
                let start = ContinuousClock.now
                await log.first { if case .disconnected = $0 { true } else { false } }
                let noticed = start.duration(to: .now)
                #expect(noticed > .seconds(1), "noticed after \(noticed)")
                bar.expect(noticed < Self.longestFreeze, "noticed after \(noticed), the bar is \(Self.longestFreeze)")
                proxy.thaw()
                try await fixture.publish([fixture.message("m")])
                #expect(await consumer.read(1).first?.messageID == "m")
            }
        }
        try bar.end()
    }

    /// An idle connection stays up for many heartbeats, in every role.
    @Test func heartbeatsKeepIdleConnections() async throws {
        try await Fixture.with { fixture in
            var configuration = fixture.configuration
            configuration.heartbeat = .seconds(1)
            let log = EventLog()
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher", log: log.record)
            #expect(await publisher.publish([fixture.message("m")]) == [.confirmed])
            let control = try AMQPControl.make(configuration: configuration)
            try await control.connect()
            try await fixture.consumer(configuration: configuration, log: log.record).running { consumer in
                #expect(await consumer.read(1).count == 1)
                // The passing of time itself is under test: five heartbeats.
                try await Task.sleep(for: .seconds(5))
                #expect(await publisher.publish([fixture.message("n")]) == [.confirmed])
                #expect(await consumer.read(1).count == 1)
            }
            #expect(try await control.queueStatus(fixture.queue) != nil)
            #expect(!log.events.contains { if case .disconnected = $0 { true } else { false } })
            await publisher.close()
        }
    }

    /// A broker that is cut off from its cluster may neither confirm nor refuse a message, while its heartbeats go on.
    @Test func aConfirmThatNeverComesEndsInAnAnswer() async throws {
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture)
            defer { proxy.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "test publisher", confirmTimeout: .seconds(1), maximumRepublishes: 20,
                log: log.record)
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            proxy.swallowConfirms()
            async let result = publisher.publish([fixture.message("m")])
            await log.first { if case .confirmTimedOut(inFlight: 1) = $0 { true } else { false } }
            proxy.thaw()
            #expect(await result == [.confirmed])
            let republished = log.events.count { if case .republishing(count: 1) = $0 { true } else { false } }
            #expect(republished >= 1)
            await publisher.close()
        }
    }

    /// The confirm would be overdue after 30 s. The publisher stays usable.
    @Test func aPublishWithoutAConfirmEndsAtItsTimeout() async throws {
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture)
            defer { proxy.close() }
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher")
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            proxy.swallowConfirms()
            let results = await publisher.publish([fixture.message("m")], timeout: .milliseconds(300))
            #expect(results == [.failed(.timedOut("a confirm of the broker"))])
            proxy.thaw()
            #expect(await publisher.publish([fixture.message("after")]) == [.confirmed])
            await publisher.close()
        }
    }

    /// A publisher that connects again without an end names the reason.
    @Test func aPublishWithoutAConnectionEndsAtItsTimeout() async throws {
        let nowhere = AMQPConfiguration(host: "127.0.0.1", port: 1)
        let publisher = try AMQPPublisher.make(configuration: nowhere, connectionName: "test publisher")
        let message = OutgoingMessage(exchange: "", routingKey: "none", body: [], messageID: "m")
        let results = await publisher.publish([message], timeout: .milliseconds(300))
        guard case .failed(.connectFailed(_, host: "127.0.0.1:1")) = results.first else {
            Issue.record("\(results)")
            return
        }
        await publisher.close()
    }

    /// Each confirm begins the timeout anew, so a long list may take longer than the timeout.
    @Test func theTimeoutCountsFromTheLastConfirm() async throws {
        try await Fixture.with { fixture in
            let publisher = try AMQPPublisher.make(configuration: fixture.configuration, connectionName: "test publisher", window: 1)
            let messages = (0..<4_000).map { fixture.message("m\($0)") }
            let began = ContinuousClock.now
            let results = await publisher.publish(messages, timeout: .seconds(2).patient)
            #expect(results.allSatisfy { $0 == .confirmed }, "after \(ContinuousClock.now - began)")
            await publisher.close()
        }
    }

    @Test func republishingIsBounded() async throws {
        try await Fixture.with { fixture in
            let (proxy, configuration) = try proxied(fixture)
            defer { proxy.close() }
            proxy.swallowConfirms()
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "test publisher", confirmTimeout: .milliseconds(100), maximumRepublishes: 2,
                log: log.record)
            let results = await publisher.publish([fixture.message("m")])
            #expect(results == [.failed(.timedOut("a confirm of the broker"))])
            let republished = log.events.count { if case .republishing(count: 1) = $0 { true } else { false } }
            #expect(republished == 2)
            // The message arrived each time, under the same message id.
            try await fixture.consumer().running { consumer in
                let messages = await consumer.read(3)
                #expect(messages.map(\.messageID) == ["m", "m", "m"])
            }
            await publisher.close()
        }
    }
}
