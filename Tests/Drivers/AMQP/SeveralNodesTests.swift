import Testing
import TidingsAMQP
import TidingsTestSupport

/// A cluster of which some nodes answer and cannot serve. Each node is a proxy before the one broker.
@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct SeveralNodesTests {
    /// The nodes of a broker, and a configuration that names them.
    private struct Nodes {
        let proxies: [FaultProxy]
        let configuration: AMQPConfiguration

        init(_ count: Int, of fixture: Fixture) throws {
            let broker = fixture.configuration
            proxies = try (0..<count).map { _ in try FaultProxy(to: broker.port) }
            let places = proxies.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
            var configuration = try AMQPConfiguration(url: "amqp://\(broker.user):\(broker.password)@\(places)")
            configuration.virtualHost = broker.virtualHost
            configuration.reconnect = broker.reconnect
            self.configuration = configuration
        }

        var connections: [Int] { proxies.map(\.connections) }

        /// The node that has the connections. Waits until exactly one has.
        func only() async -> FaultProxy {
            while true {
                let used = proxies.filter { $0.connections > 0 }
                if used.count == 1 { return used[0] }
                await Task.yield()
            }
        }

        func close() { for proxy in proxies { proxy.close() } }
    }

    private static func isLeft(_ event: AMQPEvent) -> Bool { if case .leftNode = event { true } else { false } }

    @Test func theConnectionsOfAProcessSpread() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(3, of: fixture)
            defer { nodes.close() }
            let controls = try (0..<7).map { _ in try AMQPControl.make(configuration: nodes.configuration) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for control in controls { group.addTask { try await control.connect() } }
                try await group.waitForAll()
            }
            #expect(nodes.connections.sorted() == [2, 2, 3])
            for control in controls { await control.close() }
        }
    }

    @Test func aPublisherLeavesANodeThatConfirmsNothing() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: nodes.configuration, connectionName: "test publisher", confirmTimeout: .seconds(1), log: log.record)
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            let cutOff = await nodes.only()
            cutOff.swallowConfirms()
            #expect(await publisher.publish([fixture.message("m")]) == [.confirmed], "another node confirms it")
            let left = await log.first(where: Self.isLeft)
            guard case .leftNode(let node, .timedOut) = left else {
                Issue.record("\(left)")
                return
            }
            #expect(node.port == cutOff.port)
            #expect(await nodes.only().port != cutOff.port)
            await publisher.close()
        }
    }

    @Test func aPublisherLeavesANodeThatRefusesWithoutAnEnd() async throws {
        try await Fixture.with { fixture in
            try await fixture.control.deleteQueue(fixture.queue)
            try await fixture.control.declareQueue(
                QueueDeclaration(name: fixture.queue, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"]))
            try await fixture.control.bind(Binding(queue: fixture.queue, exchange: fixture.exchange, routingKey: fixture.queue))
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: nodes.configuration, connectionName: "test publisher", refusalPatience: .milliseconds(200), log: log.record)
            try await fixture.publish([fixture.message("first")])
            #expect(await publisher.publish([fixture.message("second")]) == [.nacked])
            let first = await nodes.only()
            var refused = 0
            while !log.events.contains(where: Self.isLeft), refused < 100_000 {
                #expect(await publisher.publish([fixture.message("m\(refused)")]) == [.nacked])
                refused += 1
            }
            try await fixture.control.purge(fixture.queue)
            #expect(await publisher.publish([fixture.message("last")]) == [.confirmed])
            #expect(await nodes.only().port != first.port)
            await publisher.close()
        }
    }

    /// If a queue is full and other messages are confirmed, the node serves. The connection is replaced, and the node stays in use.
    @Test func aQueueThatRefusesIsNoReasonToLeaveItsNode() async throws {
        try await Fixture.with { fixture in
            let full = fixture.queue + ".full"
            try await fixture.control.declareQueue(
                QueueDeclaration(name: full, arguments: ["x-max-length": 1, "x-overflow": "reject-publish"]))
            try await fixture.control.bind(Binding(queue: full, exchange: fixture.exchange, routingKey: full))
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: nodes.configuration, connectionName: "test publisher", refusalPatience: .milliseconds(200), log: log.record)
            var refused = fixture.message("refused")
            refused.routingKey = full
            #expect(await publisher.publish([fixture.message("well"), refused]) == [.confirmed, .confirmed])
            var rounds = 0
            while !log.events.contains(where: { if case .connected(generation: 2) = $0 { true } else { false } }), rounds < 100_000 {
                #expect(await publisher.publish([fixture.message("well \(rounds)"), refused]) == [.confirmed, .nacked])
                rounds += 1
            }
            #expect(!log.events.contains(where: Self.isLeft))
            try await fixture.control.deleteQueue(full)
            await publisher.close()
        }
    }

    /// The broker holds one message for the consumer and believes that it was delivered. The other messages wait, and only another node tells.
    @Test func aConsumerLeavesANodeThatDeliversNothing() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let log = EventLog()
            let consumer = try AMQPConsumer.make(
                configuration: nodes.configuration, connectionName: "test consumer", queues: [fixture.queue], prefetch: 1,
                lookInterval: .seconds(1), log: log.record)
            let run = Task { try await consumer.run() }
            await log.first { if case .consuming = $0 { true } else { false } }
            let used = nodes.proxies.filter { $0.connections > 0 }
            let cutOff = try #require(used.first)
            cutOff.swallowDeliveries()
            try await fixture.publish((0..<3).map { fixture.message("m\($0)") })
            var ids: Set<String> = []
            for await batch in consumer.batches {
                ids.formUnion(batch.messages.compactMap(\.messageID))
                await consumer.acknowledge(batch.tags)
                if ids.count == 3 { break }
            }
            #expect(log.events.contains(where: Self.isLeft))
            await consumer.close()
            try await run.value
        }
    }

    @Test func aConsumerOfAnIdleQueueStays() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let log = EventLog()
            let consumer = try AMQPConsumer.make(
                configuration: nodes.configuration, connectionName: "test consumer", queues: [fixture.queue], prefetch: 1,
                lookInterval: .milliseconds(500), log: log.record)
            try await consumer.running { consumer in
                // The look goes to the node without the consumer.
                while nodes.connections.contains(0) { await Task.yield() }
                for number in 0..<20 {
                    try await fixture.publish([fixture.message("m\(number)")])
                    let messages = await consumer.read(1)
                    #expect(messages.map(\.messageID) == ["m\(number)"])
                    await consumer.acknowledge(messages.map(\.tag))
                }
            }
            #expect(!log.events.contains { if case .disconnected = $0 { true } else { false } }, "\(log.events)")
        }
    }

    /// One connection of a process finds out, and the next one need not.
    @Test func aNodeThatCouldNotServeIsTriedLastByAllConnections() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let publisher = try AMQPPublisher.make(
                configuration: nodes.configuration, connectionName: "test publisher", confirmTimeout: .milliseconds(500))
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            let cutOff = await nodes.only()
            cutOff.swallowConfirms()
            #expect(await publisher.publish([fixture.message("m")]) == [.confirmed])
            let sound = await nodes.only()
            let others = try (0..<3).map { _ in try AMQPControl.make(configuration: nodes.configuration) }
            for other in others { try await other.connect() }
            #expect(sound.connections == 4 && cutOff.connections == 0)
            for other in others { await other.close() }
            await publisher.close()
        }
    }
}
