import PrivateServers
import Testing
import TidingsTestSupport

extension Faults {
    /// Under steady load the test kills every process, then the broker, then the database. Each confirmed intent is decided once, and its
    /// deliveries are sent or end with a reason.
    @Suite struct KillTests {
        /// The longest time from the last fault until all work has ended.
        private static let recovery = Duration.seconds(60)
        /// The calls that two workers may have open at the same moment.
        private static let callsInFlight = 2 * 128
        /// The intents confirmed between two faults: one second of load.
        private static let breather = FaultLoad.perSecond

        @Test func nothingIsLostWhateverDies() async throws {
            var bar = Bar()
            try await withFaultyServers { servers, system, folder in
                bar = try await survives(SteadyProducer(url: system.amqpURL, source: "steady"), servers, system, folder)
            }
            try bar.end()
        }

        @Test func nothingIsLostOfAnotherLanguagesProducer() async throws {
            var bar = Bar()
            try await withFaultyServers { servers, system, folder in
                let producer = try PikaProducer(url: system.amqpURL, source: "pika", folder: folder)
                bar = try await survives(producer, servers, system, folder)
            }
            try bar.end()
        }

        /// Returns the bar of the rate.
        private func survives(
            _ producer: some LedgerKeeper, _ servers: PrivateServers, _ system: TestSystem, _ folder: String
        ) async throws -> Bar {
            let receiver = try await Receiver.start(in: system, folder: folder)
            try await system.applyCatalogue(folder: folder)
            try await FaultLoad.prepare(system, receiver: receiver)
            let crew = Crew(system)
            try await crew.start(["router", "deliver", "deliver", "release"])

            async let production: Void = producer.run()
            let (began, before) = (ContinuousClock.now, try await producer.ledger().count)
            let withoutBroker = try await disturb(servers, crew, producer)
            try await producer.stop()
            try await production
            let stopped = ContinuousClock.now

            let ledger = try await producer.ledger()
            let rate = Double(ledger.count - before) / ((stopped - began - withoutBroker) / .seconds(1))
            let duplicates = try await Conservation(system: system, receiver: receiver).expectEnd(of: ledger, within: Self.recovery)
            #expect(await crew.fallen.isEmpty, "a role ended by itself")
            #expect(duplicates.extra <= Self.callsInFlight, "more was sent again than was in flight when something died")
            let settling = ContinuousClock.now - stopped
            print(
                "\(type(of: producer)): \(ledger.count) confirmed, \(Int(rate))/s while there was a broker; ended and audited \(settling) after",
                "the last; \(duplicates.extra) sent again, \(duplicates.admitted) possibleDuplicate rows")
            // The load of the roles is under test. The time without a broker does not count, because a machine may start the broker slowly.
            var bar = Bar()
            bar.expect(rate >= 500, "\(rate) intents/s were confirmed, the bar is 500")
            return bar
        }

        /// Kills every role twice, then both servers, each time after a second of undisturbed load. Returns the time without a broker that
        /// could confirm anything.
        private func disturb(_ servers: PrivateServers, _ crew: Crew, _ producer: some LedgerKeeper) async throws -> Duration {
            var count = Self.breather
            func breathe() async throws {
                try await producer.confirmed(atLeast: count)
                count = try await producer.ledger().count + Self.breather
            }
            for position in [0, 1, 3, 2, 0, 3] {
                try await breathe()
                try await crew.killAndReplace(position)
            }
            try await breathe()
            let withoutBroker = try await ContinuousClock().measure {
                try await servers.killBroker()
                try await servers.startBroker()
            }
            try await breathe()
            try await servers.stopDatabase(immediate: true)
            try await servers.startDatabase()
            try await breathe()
            return withoutBroker
        }
    }
}
