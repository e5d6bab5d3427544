import Glibc
import PrivateServers
import Testing
import TidingsTestSupport

extension Faults {
    /// Under steady load every process is killed, then the broker, then the database: what the broker confirmed is decided once, and
    /// delivered, or ends with a reason.
    @Suite struct KillTests {
        /// Everything is back in order this long after the last fault, without a hand.
        private static let recovery = Duration.seconds(60)
        /// Confirmed between two faults: a second of load.
        private static let breather = FaultLoad.perSecond

        @Test func nothingIsLostWhateverDies() async throws {
            try await withFaultyServers { servers, system, folder in
                let producer = try SteadyProducer(url: system.amqpURL, source: "steady")
                try await survives(producer, servers, system, folder)
                let rate = await producer.offeredPerSecond
                #expect(rate >= 500, "only \(rate) intents/s were offered")
            }
        }

        @Test(.enabled(if: Faults.isLong)) func nothingIsLostOfAnotherLanguagesProducer() async throws {
            try await withFaultyServers { servers, system, folder in
                try await survives(PikaProducer(url: system.amqpURL, source: "pika", folder: folder), servers, system, folder)
            }
        }

        private func survives(
            _ producer: some LedgerKeeper, _ servers: PrivateServers, _ system: TestSystem, _ folder: String
        ) async throws {
            let receiver = try await Receiver.start(in: system, folder: folder)
            try await system.applyCatalogue(folder: folder)
            try await FaultLoad.prepare(system, receiver: receiver)
            let crew = Crew(system)
            try await crew.start(["router", "deliver", "deliver", "release"])

            async let production: Void = producer.run()
            try await disturb(servers, crew, producer)
            try await producer.stop()
            try await production

            let ledger = try await producer.ledger()
            let conservation = Conservation(system: system, receiver: receiver)
            #expect(try await conservation.settles(within: Self.recovery, ledger: ledger), "not everything ended in time")
            #expect(await crew.fallen.isEmpty, "a role ended by itself")
            try await conservation.expectWhole(ledger: ledger)
            try await conservation.expectHonestDuplicates()
        }

        /// Kills every role twice, then both servers, each time after a second of undisturbed load.
        private func disturb(_ servers: PrivateServers, _ crew: Crew, _ producer: some LedgerKeeper) async throws {
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
            try await servers.killBroker()
            try await servers.startBroker()
            try await breathe()
            try await servers.stopDatabase(immediate: true)
            try await servers.startDatabase()
            try await breathe()
        }
    }
}

/// Private servers of one test, with a system on them; both are gone at the end.
private func withFaultyServers(_ body: (PrivateServers, TestSystem, String) async throws -> Void) async throws {
    try await withFolder { folder in
        let servers = try await PrivateServers.start(home: "\(folder)/servers", say: { _ in })
        do {
            let system = try await TestSystem(databaseURL: servers.databaseURL, amqpURL: servers.amqpURL)
            do {
                try await body(servers, system, folder)
            } catch {
                try? await system.shutDown()
                throw error
            }
            try await system.shutDown()
        } catch {
            try? await servers.stop()
            throw error
        }
        try await servers.stop()
    }
}

/// The processes of a system, kept up as a supervisor would.
private actor Crew {
    private let system: TestSystem
    private var members: [(role: String, process: TestProcess)] = []

    init(_ system: TestSystem) { self.system = system }

    func start(_ roles: [String]) async throws {
        for role in roles { members.append((role, try await system.startRole(role))) }
    }

    /// Kills a process as `kill -9` does and starts another in its place.
    func killAndReplace(_ position: Int) async throws {
        members[position].process.signal(SIGKILL)
        _ = await members[position].process.finish()
        members[position].process = try await system.startRole(members[position].role)
    }

    /// Those that are not running, with what they said last.
    var fallen: [String] {
        members.filter { !$0.process.isRunning }.map { "\($0.role): \($0.process.errorsSoFar.suffix(2_000))" }
    }
}
