import PrivateServers
import Testing
import TidingsTestSupport

extension WaitingFaults {
    /// A stop also ends with both servers gone, when no work in progress can be finished. Once the servers are back, nothing of that work
    /// is missing.
    @Suite struct StrandedStopTests {
        /// The time that systemd and Kubernetes wait at least before they kill.
        private static let supervisorPatience = Duration.seconds(30)
        /// The limit until the roles report that the database is gone.
        private static let patience = Duration.seconds(25)
        /// The time for all work. Some of the deliveries fail at first, and the circuit breaker then lets few through.
        private static let catchingUp = Duration.seconds(180)
        private static let roles = ["router", "deliver", "release"]

        @Test func aStopEndsWithoutServers() async throws {
            var bar = Bar()
            try await withFaultyServers { servers, system, folder in
                let receiver = try await Receiver.start(in: system, folder: folder)
                try await system.applyCatalogue(folder: folder)
                try await FaultLoad.prepare(system, receiver: receiver)
                let crew = Crew(system)
                try await crew.start(Self.roles)
                let stranded = try SteadyProducer(url: system.amqpURL, source: "stranded")
                async let production: Void = stranded.run()
                await stranded.confirmed(atLeast: FaultLoad.perSecond)

                try await servers.stopDatabase(immediate: true)
                let hasWork = try await reached(within: Self.patience) { await crew.hasSaid("cannot commit a batch") }
                try #require(hasWork)
                try await servers.killBroker()
                // From here on the producer offers nothing new. It publishes the unconfirmed intents until a broker confirms them.
                await stranded.stop()
                for stop in await crew.stopAll() {
                    #expect(stop.exitCode == 0, "\(stop)")
                    bar.expect(stop.took < Self.supervisorPatience, "\(stop.role) took \(stop.took), the bar is \(Self.supervisorPatience)")
                }

                try await servers.startDatabase()
                try await servers.startBroker()
                let restarted = Crew(system)
                try await restarted.start(Self.roles)
                await production
                let later = try await Self.publishesASecondOfLoad(in: system)
                let conservation = Conservation(system: system, receiver: receiver)
                try await conservation.expectEnd(of: await stranded.ledger() + later, within: Self.catchingUp)
            }
            try bar.end()
        }

        /// Publishes new intents under load and returns the ids that were confirmed.
        private static func publishesASecondOfLoad(in system: TestSystem) async throws -> [String] {
            let producer = try SteadyProducer(url: system.amqpURL, source: "later")
            async let production: Void = producer.run()
            await producer.confirmed(atLeast: FaultLoad.perSecond)
            await producer.stop()
            await production
            return await producer.ledger()
        }
    }
}
