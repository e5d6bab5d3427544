import PrivateServers
import Testing
import TidingsTestSupport

extension Faults {
    /// The broker takes back what is not acknowledged for too long by its own clock, which may jump: it closes the channel. Nothing is
    /// lost by that, and nothing is decided or sent twice.
    @Suite struct ConsumerTimeoutTests {
        /// `consumer_timeout` here; half an hour by default. A clock that jumps ahead does the same to any timeout.
        private static let milliseconds = 1_000

        @Test func channelsThatTheBrokerClosesAreOpenedAgain() async throws {
            try await withFaultyServers { servers, system, folder in
                // Counts for channels opened from now on.
                try await servers.rabbitmqctl([
                    "eval",
                    "application:set_env(rabbit, consumer_timeout, \(Self.milliseconds)), application:set_env(rabbit, channel_tick_interval, 200).",
                ])
                let receiver = try await Receiver.start(in: system, folder: folder)
                try await system.applyCatalogue(folder: folder)
                try await FaultLoad.prepare(system, receiver: receiver)
                let router = try await system.startRole("router")
                _ = try await system.startRole("deliver")
                _ = try await system.startRole("release")

                let producer = try SteadyProducer(url: system.amqpURL, source: "clock")
                async let production: Void = producer.run()
                await producer.confirmed(atLeast: FaultLoad.perSecond)
                // Without a database a router keeps what it took, and does not acknowledge it.
                try await servers.stopDatabase()
                let isClosed = try await reached(within: .seconds(60)) { router.errorsSoFar.contains("PRECONDITION_FAILED") }
                #expect(isClosed, "the broker closed no channel: \(router.errorsSoFar)")
                try await servers.startDatabase()
                await producer.confirmed(atLeast: await producer.ledger().count + FaultLoad.perSecond)
                await producer.stop()
                await production

                let ledger = await producer.ledger()
                try await Conservation(system: system, receiver: receiver).expectEnd(of: ledger)
            }
        }
    }
}
