import Glibc
import Testing
import TidingsTestSupport

extension Faults {
    /// A polite stop under load costs nothing: intake ends, what is in work is finished, and the others go on.
    @Suite struct StopTests {
        /// A supervisor's patience before it kills: systemd and Kubernetes wait 30 s or more.
        private static let patience = Duration.seconds(25)

        @Test func aRoleThatIsAskedToStopLosesAndRepeatsNothing() async throws {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await FaultLoad.prepare(system, receiver: receiver)
                    let roles = ["router", "deliver", "release"]
                    var leaving: [TestProcess] = []
                    for role in roles {
                        leaving.append(try await system.startRole(role))
                        _ = try await system.startRole(role)
                    }
                    let producer = try SteadyProducer(url: system.amqpURL, source: "stopping")
                    async let production: Void = producer.run()
                    for (position, process) in leaving.enumerated() {
                        await producer.confirmed(atLeast: (position + 1) * 2 * FaultLoad.perSecond)
                        try await stops(process, roles[position])
                    }
                    await producer.stop()
                    await production

                    let ledger = await producer.ledger()
                    let duplicates = try await Conservation(system: system, receiver: receiver).expectEnd(of: ledger)
                    #expect(duplicates.extra == 0 && duplicates.rows == 0, "nothing died, so nothing may be sent twice")
                }
            }
        }

        private func stops(_ process: TestProcess, _ role: String) async throws {
            let asked = ContinuousClock.now
            process.signal(SIGTERM)
            let result = await process.finish()
            #expect(result.exitCode == 0, "\(role): \(result.errors.suffix(2_000))")
            #expect(ContinuousClock.now - asked < Self.patience, "\(role) took \(ContinuousClock.now - asked)")
        }
    }
}
