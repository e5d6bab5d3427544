import Testing
import TidingsAMQP
import TidingsTestSupport

@Suite(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL"), .timeLimit(.minutes(Patience.scaled(1))))
struct ControlTests {
    @Test func declaringTwiceChangesNothing() async throws {
        try await Fixture.with { fixture in
            try await fixture.publish([fixture.message("m")])
            try await fixture.declare()
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status == QueueStatus(messages: 1, consumers: 0))
            let purged = try await fixture.control.purge(fixture.queue)
            #expect(purged == 1)
            let exists = try await fixture.control.exchangeExists(fixture.exchange)
            #expect(exists)
        }
    }

    @Test func aDifferentDeclarationIsRefusedAndTheControlGoesOn() async throws {
        try await Fixture.with { fixture in
            let error = await #expect(throws: AMQPError.self) {
                try await fixture.control.declareQueue(QueueDeclaration(name: fixture.queue))
            }
            guard case .channelClosed(code: 406, _)? = error else {
                Issue.record("expected 406, got \(String(describing: error))")
                return
            }
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status != nil)
            let missing = await #expect(throws: AMQPError.self) {
                try await fixture.control.bind(Binding(queue: fixture.queue, exchange: fixture.exchange + ".missing", routingKey: ""))
            }
            guard case .channelClosed(code: 404, _)? = missing else {
                Issue.record("expected 404, got \(String(describing: missing))")
                return
            }
            let missingStatus = try await fixture.control.queueStatus(fixture.queue + ".missing")
            #expect(missingStatus == nil)
            let missingExists = try await fixture.control.exchangeExists(fixture.exchange + ".missing")
            #expect(!missingExists)
        }
    }

    @Test func checkReportsDriftAndCreatesNothing() async throws {
        try await Fixture.with { fixture in
            let good = Topology(
                exchanges: [ExchangeDeclaration(name: fixture.exchange, kind: "direct")],
                queues: [QueueDeclaration(name: fixture.queue, arguments: ["x-queue-type": "quorum"])],
                bindings: [Binding(queue: fixture.queue, exchange: fixture.exchange, routingKey: fixture.queue)])
            try await good.declare(on: fixture.control)
            #expect(try await good.check(on: fixture.control).isEmpty)

            var other = good
            other.exchanges[0].kind = "topic"
            other.exchanges.append(ExchangeDeclaration(name: fixture.exchange + ".missing", kind: "topic"))
            // Its users declare such an exchange themselves, so it is no difference.
            other.exchanges.append(ExchangeDeclaration(name: fixture.exchange + ".passing", kind: "fanout", durable: false))
            other.queues[0].arguments["x-max-length"] = 10
            other.queues.append(QueueDeclaration(name: fixture.queue + ".missing"))
            let drifts = try await other.check(on: fixture.control)
            #expect(
                drifts.map(\.thing) == [
                    .exchange(fixture.exchange), .exchange(fixture.exchange + ".missing"), .queue(fixture.queue),
                    .queue(fixture.queue + ".missing"),
                ])
            #expect(drifts.map { if case .different = $0.problem { true } else { false } } == [true, false, true, false])
            #expect(drifts[1].problem == .missing && drifts[3].problem == .missing)
            #expect(drifts[2].description.contains("x-max-length"))
            let status = try await fixture.control.queueStatus(fixture.queue + ".missing")
            #expect(status == nil)
        }
    }

    /// RabbitMQ compares the locator of an existing queue too, and never changes it.
    @Test(arguments: [nil, "balanced", "client-local"] as [AMQPValue?])
    func aQueueWithAnotherPlacementIsTakenAsItIs(existing: AMQPValue?) async throws {
        try await Fixture.with { fixture in
            try await fixture.control.deleteQueue(fixture.queue)
            var declaration = QueueDeclaration(name: fixture.queue, arguments: ["x-queue-type": "quorum"])
            if let existing { declaration.arguments["x-queue-leader-locator"] = existing }
            try await fixture.control.declareQueue(declaration)
            try await fixture.control.bind(Binding(queue: fixture.queue, exchange: fixture.exchange, routingKey: fixture.queue))
            try await fixture.publish([fixture.message("kept")])

            let wanted = QueueDeclaration(
                name: fixture.queue, arguments: ["x-queue-type": "quorum"], placement: ["x-queue-leader-locator": "balanced"])
            // The second time, the control has learnt what the queue is like.
            for _ in 0..<2 { try await fixture.control.declareQueue(wanted) }
            #expect(try await Topology(queues: [wanted]).check(on: fixture.control).isEmpty)
            var other = wanted
            other.arguments["x-max-length"] = 10
            let drifts = try await Topology(queues: [other]).check(on: fixture.control)
            #expect(drifts.first?.description.contains("x-max-length") == true, "\(drifts)")
            #expect(try await fixture.control.queueStatus(fixture.queue)?.messages == 1)
        }
    }

    /// A control that met old queues still places new ones.
    @Test func aNewQueueGetsItsPlacement() async throws {
        try await Fixture.with { fixture in
            let placement: [String: AMQPValue] = ["x-queue-leader-locator": "balanced"]
            let old = QueueDeclaration(name: fixture.queue, arguments: ["x-queue-type": "quorum"], placement: placement)
            try await fixture.control.declareQueue(old)
            let new = QueueDeclaration(name: fixture.queue + ".new", arguments: ["x-queue-type": "quorum"], placement: placement)
            try await fixture.control.declareQueue(new)
            let error = await #expect(throws: AMQPError.self) {
                try await fixture.control.declareQueue(QueueDeclaration(name: new.name, arguments: new.arguments))
            }
            #expect("\(String(describing: error))".contains("x-queue-leader-locator"))
            try await fixture.control.deleteQueue(new.name)
        }
    }

    @Test func aWrongPasswordIsRefused() async throws {
        var configuration = try Broker.configuration()
        configuration.password = "wrong"
        let control = try AMQPControl.make(configuration: configuration)
        await #expect(throws: AMQPError.authenticationRefused) { try await control.connect() }
    }

    @Test func anUnknownVirtualHostIsRefused() async throws {
        var configuration = try Broker.configuration()
        configuration.virtualHost = Broker.unique("vhost")
        let error = await #expect(throws: AMQPError.self) { try await AMQPControl.make(configuration: configuration).connect() }
        #expect(error?.isRetryable == false)
    }

    @Test func nothingListeningFailsAtOnce() async throws {
        var configuration = AMQPConfiguration(host: "127.0.0.1", port: 1)
        // Longer than the slowest machine takes to fail at once.
        configuration.connectTimeout = .seconds(60)
        let control = try AMQPControl.make(configuration: configuration)
        let start = ContinuousClock.now
        let error = await #expect(throws: AMQPError.self) { try await control.connect() }
        guard case .connectFailed(_, host: "127.0.0.1:1")? = error else {
            Issue.record("expected a failed connect, got \(String(describing: error))")
            return
        }
        #expect(start.duration(to: .now) < .seconds(2).patient)
    }

    @Test func nodesThatCannotBeReachedArePassedOver() async throws {
        let broker = try Broker.configuration()
        let address = "127.0.0.1:1,broker.invalid,\(broker.host):\(broker.port)"
        var configuration = try AMQPConfiguration(url: "amqp://\(broker.user):\(broker.password)@\(address)")
        configuration.virtualHost = broker.virtualHost
        try await AMQPControl.make(configuration: configuration).connect()
    }

    @Test func aHostNameThatDoesNotResolveFails() async throws {
        let control = try AMQPControl.make(configuration: AMQPConfiguration(host: "broker.invalid"))
        let error = await #expect(throws: AMQPError.self) { try await control.connect() }
        guard case .connectFailed? = error else {
            Issue.record("expected a failed connect, got \(String(describing: error))")
            return
        }
    }

    @Test func aSilentPeerDoesNotHoldTheLogin() async throws {
        var configuration = try Broker.configuration()
        let proxy = try FaultProxy(to: configuration.port)
        defer { proxy.close() }
        proxy.freeze()
        configuration.port = proxy.port
        configuration.connectTimeout = .seconds(1)
        let start = ContinuousClock.now
        let error = await #expect(throws: AMQPError.self) { try await AMQPControl.make(configuration: configuration).connect() }
        #expect(start.duration(to: .now) < .seconds(4).patient)
        #expect(error?.isRetryable == true)
    }

    @Test func theControlTellsThePropertiesOfTheServer() async throws {
        let control = try AMQPControl.make(configuration: try Broker.configuration())
        let properties = try await control.serverProperties()
        #expect(properties["product"] == "RabbitMQ")
        guard case .table(let capabilities)? = properties["capabilities"] else {
            Issue.record("no capabilities: \(properties)")
            return
        }
        #expect(capabilities["consumer_cancel_notify"] == true)
        await control.close()
    }

    @Test func closingIsNotTheEnd() async throws {
        try await Fixture.with { fixture in
            await fixture.control.close()
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status != nil)
        }
    }
}
