import Glibc
import Testing
import TidingsTestSupport

@testable import TidingsAMQP

/// A process that stood still while the broker answered and the time-out passed.
@Suite(.timeLimit(.minutes(Patience.scaled(2)))) struct AMQPPauseTests {
    @Test(.enabled(if: Broker.isPresent, "needs TIDINGS_AMQP_URL")) func aConfirmThatCameDuringAPauseCounts() async throws {
        try await Fixture.with { fixture in
            let proxy = try FaultProxy(to: fixture.configuration.port)
            defer { proxy.close() }
            var configuration = fixture.configuration
            (configuration.host, configuration.port) = ("127.0.0.1", proxy.port)
            let limit = Duration.seconds(2).patient
            let publisher = try AMQPPublisher.make(configuration: configuration, connectionName: "test publisher", confirmTimeout: limit)
            #expect(await publisher.publish([fixture.message("before")]) == [.confirmed])
            proxy.stall()
            let end = ContinuousClock.now + limit + .milliseconds(200)
            async let results = publisher.publish([fixture.message("m")], timeout: limit)
            while await !publisher.hasSent { await Task.yield() }
            #expect(await publisher.standStill(until: end) { proxy.unstall() }, "no confirm came")
            #expect(await results == [.confirmed])
            await publisher.close()
            // Published once: the connection was not replaced. A consumer would hold the messages back for a moment after its end.
            let status = try await fixture.control.queueStatus(fixture.queue)
            #expect(status?.messages == 2)
            try await fixture.consumer().running { consumer in
                #expect(await consumer.read(2).map(\.messageID) == ["before", "m"])
            }
        }
    }

    @Test func inputThatIsLeftUnreadMovesNoTime() {
        let start = ContinuousClock.now
        var session = Session<Int>(ReconnectPolicy())
        session.begin(at: start)
        #expect(session.readUntil == nil)
        session.opened(7, at: start)
        #expect(session.readUntil == start)
        session.hasRead(until: start + .seconds(1))
        #expect(session.readUntil == start + .seconds(1))
    }

    /// The guard looks twice a second. During a pause of the process it does not look.
    @Test func theGuardCountsLooksAndNotTime() {
        var call = GuardedCall(longestLooks: 3)
        let outside = call.isStalled()
        #expect(!outside)
        call.enter()
        let looks = (1...4).map { _ in call.isStalled() }
        #expect(looks == [false, false, false, true])
        call.leave()
        call.enter()
        let next = call.isStalled()
        #expect(!next, "each call begins anew")
    }
}

extension AMQPPublisher {
    fileprivate var hasSent: Bool { !flying.isEmpty }

    /// Blocks the thread of the connection until input lies in its socket and this time has passed. Returns whether input came.
    fileprivate func standStill(until end: ContinuousClock.Instant, after body: @Sendable () -> Void) -> Bool {
        guard let socket = session.connection?.socket else { return false }
        body()
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let hasInput = poll(&descriptor, 1, 10_000) == 1
        while ContinuousClock.now < end {}  // The thread must do nothing, so it cannot await.
        return hasInput
    }
}
