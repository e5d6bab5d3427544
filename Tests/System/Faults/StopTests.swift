import Testing
import TidingsPostgres
import TidingsTestSupport

extension Faults {
    /// A rolling restart under load costs nothing. Each process in turn is asked to stop and replaced, while the second process of its role
    /// goes on.
    @Suite struct StopTests {
        /// The limit for a stop while the servers are up, shorter than the 30 s that systemd and Kubernetes wait before they kill.
        private static let patience = Duration.seconds(25)
        /// The longest time without a new notification, and without a delivery that ends.
        private static let longestStall = Duration.seconds(2)

        @Test func aRollingRestartLosesAndRepeatsNothing() async throws {
            var bar = Bar()
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await FaultLoad.prepare(system, receiver: receiver)
                    let crew = Crew(system)
                    try await crew.start(["router", "router", "deliver", "deliver", "release", "release"])
                    let producer = try SteadyProducer(url: system.amqpURL, source: "stopping")
                    async let production: Void = producer.run()
                    await producer.confirmed(atLeast: FaultLoad.perSecond)
                    for position in 0..<(await crew.count) {
                        let stop = try await crew.stopAndReplace(position)
                        #expect(stop.exitCode == 0)
                        bar.expect(stop.took < Self.patience, "a stop took \(stop.took), the bar is \(Self.patience)")
                        await producer.confirmed(atLeast: await producer.ledger().count + FaultLoad.perSecond)
                    }
                    await producer.stop()
                    await production

                    let ledger = await producer.ledger()
                    let duplicates = try await Conservation(system: system, receiver: receiver).expectEnd(of: ledger)
                    #expect(duplicates.extra == 0 && duplicates.admitted == 0, "nothing died, so nothing may be sent twice")
                    for column in ["accepted_at from tidings_ops.notifications", "finished_at from tidings_ops.deliveries"] {
                        let stall = try await Self.longestGap(of: column, in: system)
                        print("rolling restart: \(ledger.count) confirmed, longest gap in \(column): \(stall)")
                        bar.expect(stall < Self.longestStall, "a gap of \(stall) in \(column), the bar is \(Self.longestStall)")
                    }
                }
            }
            try bar.end()
        }

        /// The longest time between two successive values in a column of times.
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
    }
}
