import Glibc
import Testing
import TidingsPostgres
import TidingsTestSupport

extension Faults {
    /// A rolling restart under load costs nothing: each process in turn is asked to stop and replaced, while its twin goes on.
    @Suite struct StopTests {
        /// A supervisor's patience before it kills: systemd and Kubernetes wait 30 s or more.
        private static let patience = Duration.seconds(25)
        /// Without a new notification, and without a delivery that ends.
        private static let longestStall = Duration.seconds(2)

        @Test func aRollingRestartLosesAndRepeatsNothing() async throws {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await FaultLoad.prepare(system, receiver: receiver)
                    var crew: [(role: String, process: TestProcess)] = []
                    for role in ["router", "router", "deliver", "deliver", "release", "release"] {
                        crew.append((role, try await system.startRole(role)))
                    }
                    let producer = try SteadyProducer(url: system.amqpURL, source: "stopping")
                    async let production: Void = producer.run()
                    await producer.confirmed(atLeast: FaultLoad.perSecond)
                    for position in crew.indices {
                        try await stops(crew[position].process, crew[position].role)
                        crew[position].process = try await system.startRole(crew[position].role)
                        await producer.confirmed(atLeast: await producer.ledger().count + FaultLoad.perSecond)
                    }
                    await producer.stop()
                    await production

                    let ledger = await producer.ledger()
                    let duplicates = try await Conservation(system: system, receiver: receiver).expectEnd(of: ledger)
                    #expect(duplicates.extra == 0 && duplicates.rows == 0, "nothing died, so nothing may be sent twice")
                    for column in ["accepted_at from tidings_ops.notifications", "finished_at from tidings_ops.deliveries"] {
                        let stall = try await Self.longestGap(of: column, in: system)
                        print("rolling restart: \(ledger.count) confirmed, longest gap in \(column): \(stall)")
                        #expect(stall < Self.longestStall, "\(column)")
                    }
                }
            }
        }

        /// The longest time without anything new in a column of times.
        private static func longestGap(of column: String, in system: TestSystem) async throws -> Duration {
            let name = column.prefix { $0 != " " }
            let gap = try await system.count(
                SQL(
                    unsafeSQL: """
                        select (extract(epoch from max(gap)) * 1000)::bigint from (
                            select at - lag(at) over (order by at) as gap from (select \(name) as at \(column.dropFirst(name.count))) times) gaps
                        """))
            return .milliseconds(gap)
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
