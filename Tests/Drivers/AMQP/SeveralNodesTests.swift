import Testing
import TidingsTestSupport

@testable import TidingsAMQP

/// A cluster of which some nodes answer and cannot serve. Each node is a proxy before the one broker.
@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(2))))
struct SeveralNodesTests {
    /// The nodes of a broker, and a configuration that names them.
    private struct Nodes {
        let proxies: [FaultProxy]
        let configuration: AMQPConfiguration

        init(_ count: Int, of fixture: Fixture, moveInterval: Duration = .seconds(600)) throws {
            let broker = fixture.configuration
            proxies = try (0..<count).map { _ in try FaultProxy(to: broker.port) }
            let places = proxies.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
            var configuration = try AMQPConfiguration(url: "amqp://\(broker.user):\(broker.password)@\(places)")
            configuration.virtualHost = broker.virtualHost
            configuration.reconnect = broker.reconnect
            configuration.moveInterval = moveInterval
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

    /// The node takes the login and then answers nothing, so there is no connection yet that could be lost.
    @Test func aNodeThatAnswersOnlyTheLoginIsTriedLast() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            let control = try AMQPControl.make(configuration: nodes.configuration)
            try await control.connect()
            let sound = await nodes.only()
            for proxy in nodes.proxies where proxy.port != sound.port { proxy.swallowConfirmMode() }
            // The publisher begins at the node without a connection.
            var configuration = nodes.configuration
            configuration.connectTimeout = .seconds(1)
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher")
            #expect(await publisher.publish([fixture.message("m")]) == [.confirmed])
            while sound.connections != 2 { await Task.yield() }
            await publisher.close()
            await control.close()
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

    /// While a cluster finds out that a node is cut off, the other nodes answer no question about the queues that this node led.
    @Test func aNodeThatAnswersNoQuestionAboutAQueueIsAskedAgain() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture)
            defer { nodes.close() }
            var configuration = nodes.configuration
            configuration.connectTimeout = .seconds(1)
            let brokerNodes = configuration.brokerNodes
            try await fixture.publish((0..<3).map { fixture.message("m\($0)") })
            nodes.proxies[1].stall()
            #expect(await brokerNodes.witness.messages(in: fixture.queue, besides: 0, of: configuration) == nil)
            #expect(!brokerNodes.isTriedLast(1))
            nodes.proxies[1].unstall()
            configuration.connectTimeout = .seconds(10).patient
            #expect(await brokerNodes.witness.messages(in: fixture.queue, besides: 0, of: configuration) == 3)
            // If every other node is tried last, one of them is still asked.
            _ = brokerNodes.couldNotServe(1)
            #expect(await brokerNodes.witness.messages(in: fixture.queue, besides: 0, of: configuration) == 3)
            await brokerNodes.witness.close()
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

    private static func isMove(_ event: AMQPEvent) -> Bool { if case .moving = event { true } else { false } }
    private static func isLoss(_ event: AMQPEvent) -> Bool { if case .disconnected = event { true } else { false } }

    @Test func aPublisherMovesWithoutLossOrDouble() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture, moveInterval: .milliseconds(50))
            defer { nodes.close() }
            let log = EventLog()
            let publisher = try AMQPPublisher.make(
                configuration: nodes.configuration, connectionName: "test publisher", log: log.record)
            #expect(await publisher.publish([fixture.message("first")]) == [.confirmed])
            let old = await nodes.only()
            // Two controls at the other node, and one beside the publisher. Then the two close, and the publisher has a reason to move.
            let controls = try (0..<3).map { _ in try AMQPControl.make(configuration: nodes.configuration) }
            for control in controls { try await control.connect() }
            let there = old.connections
            #expect(there == 2 && nodes.connections.reduce(0, +) == 4)
            await controls[0].close()
            await controls[2].close()
            var count = 0
            while !log.events.contains(where: Self.isMove), count < 100_000 {
                let ids = (0..<20).map { "m\(count + $0)" }
                #expect(await publisher.publish(ids.map { fixture.message($0) }).allSatisfy { $0 == .confirmed })
                count += ids.count
            }
            let more = (0..<100).map { "m\(count + $0)" }
            #expect(await publisher.publish(more.map { fixture.message($0) }).allSatisfy { $0 == .confirmed })
            await log.first { if case .connected(generation: 2) = $0 { true } else { false } }
            #expect(!log.events.contains(where: Self.isLoss))
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == count + 101, "each message once")
            await controls[1].close()
            await publisher.close()
        }
    }

    @Test func aConsumerMovesWithoutLossOrDouble() async throws {
        try await Fixture.with { fixture in
            let nodes = try Nodes(2, of: fixture, moveInterval: .milliseconds(50))
            defer { nodes.close() }
            let log = EventLog()
            let consumer = try AMQPConsumer.make(
                configuration: nodes.configuration, connectionName: "test consumer", queues: [fixture.queue], prefetch: 10,
                log: log.record)
            let total = 2_000
            try await fixture.publish((0..<total).map { fixture.message("m\($0)") })
            let run = Task { try await consumer.run() }
            await log.first { if case .consuming = $0 { true } else { false } }
            let old = await nodes.only()
            let controls = try (0..<3).map { _ in try AMQPControl.make(configuration: nodes.configuration) }
            for control in controls { try await control.connect() }
            #expect(old.connections == 2)
            await controls[0].close()
            await controls[2].close()
            // The first message is kept until the move has begun, so it is settled over a connection that drains.
            var seen: [String] = []
            for await batch in consumer.batches {
                if seen.isEmpty { await log.first(where: Self.isMove) }
                #expect(batch.messages.allSatisfy { $0.deliveryCount == 0 && !$0.redelivered })
                seen += batch.messages.compactMap(\.messageID)
                await consumer.acknowledge(batch.tags)
                if seen.count >= total { break }
            }
            #expect(seen.count == total && Set(seen).count == total, "each message once")
            await log.first { if case .connected(generation: 2) = $0 { true } else { false } }
            #expect(!log.events.contains(where: Self.isLoss))
            await consumer.close()
            #expect(try await fixture.control.queueStatus(fixture.queue)?.messages == 0)
            await controls[1].close()
            try await run.value
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
