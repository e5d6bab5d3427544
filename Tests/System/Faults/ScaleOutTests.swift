import Foundation
import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

extension Faults {
    /// Any number of processes may run the same role. They share the work, and the result is the same.
    @Suite struct ScaleOutTests {
        /// Enough intents for every process to get its share. TIDINGS_TEST_INTENTS sets more.
        private static let intents = ProcessInfo.processInfo.environment["TIDINGS_TEST_INTENTS"].flatMap { Int($0) } ?? 5_000
        /// The smallest share of its role's work that each process must have done.
        private static let smallestShare = 0.05

        @Test func manyProcessesComeToTheSameAsOneOfEach() async throws {
            let alone = try await result(routers: 1, deliverers: 1, releasers: 1)
            let together = try await result(routers: 2, deliverers: 3, releasers: 2)
            #expect(together.totals == alone.totals)
            #expect(together.shares.count == 7)
            for (worker, share) in together.shares {
                #expect(share >= Self.smallestShare, "\(worker) handled \(share) of its role's work")
            }
        }

        private struct Result {
            /// The number of deliveries by channel, state and reason, and of refused intents, as lines of text.
            var totals: [String]
            /// The part of its role's work that each process has done.
            var shares: [String: Double]
        }

        private func result(routers: Int, deliverers: Int, releasers: Int) async throws -> Result {
            try await withFolder { folder in
                try await withTestSystem { system in
                    let receiver = try await Receiver.start(in: system, folder: folder)
                    try await system.applyCatalogue(folder: folder)
                    try await FaultLoad.prepare(system, receiver: receiver)
                    _ = try await system.tidings("recipient", "set", "person-1", "--prefer", "social=off")
                    async let started = (
                        system.startRoles("router", count: routers), system.startRoles("deliver", count: deliverers),
                        system.startRoles("release", count: releasers)
                    )
                    _ = try await started
                    let load = MixedLoad(intents: Self.intents)
                    try await load.publish(to: system)
                    #expect(try await load.isHandled(in: system), "not everything ended in time")
                    let duplicates = try await Conservation(system: system, receiver: receiver).expectEnd(of: load.acceptedIDs)
                    #expect(duplicates.extra == 0 && duplicates.admitted == 0, "nothing died, so nothing may be sent twice")
                    return Result(totals: try await Self.totals(of: system), shares: try await Self.shares(in: system))
                }
            }
        }

        private static func totals(of system: TestSystem) async throws -> [String] {
            try await system.query(
                """
                select concat_ws(' ', channel, state, reason_code, sum(n)) from tidings_ops.state_counts group by channel, state, reason_code
                union all
                select concat_ws(' ', 'rejected', reason_code, sum(occurrences)) from tidings_ops.rejected group by reason_code
                order by 1
                """
            ).rows.map { try $0.decode(String.self) }
        }

        private static func shares(in system: TestSystem) async throws -> [String: Double] {
            let rows = try await system.query(
                "select worker_id, handled::float8 / sum(handled) over (partition by role)::float8 from tidings_ops.workers"
            ).rows
            return Dictionary(uniqueKeysWithValues: try rows.map { try $0.decode((String, Double).self) })
        }
    }
}

/// Intents of every sort in both lanes. Webhooks work at once, slowly or at the second attempt. Some intents are held, some are refused,
/// and some are sent twice.
private struct MixedLoad {
    /// One intent in this many is scheduled a little later, as work for the releasers.
    private static let scheduledShare = 5
    /// One intent in this many is refused by its type's schema.
    private static let refusedShare = 100
    /// The intents in one call.
    private static let chunk = 500
    /// The seconds over which scheduled intents are spread, so that each releaser looks several times.
    private static let scheduledSpread = 8

    let intents: Int

    private func isRefused(_ number: Int) -> Bool { number % Self.refusedShare == 7 }

    var acceptedIDs: [String] { (0..<intents).filter { !isRefused($0) }.map { "mixed-\($0)" } }

    private func intent(_ number: Int, from start: Timestamp) -> IntentEvent {
        var intent = FaultLoad.intent(number, source: "mixed")
        if isRefused(number) {
            intent.type = "invoice"
            intent.category = .transactional
        } else if number % Self.scheduledShare == 3 {
            intent.scheduledFor = start.adding(.milliseconds(4_000 + number % 997 * Self.scheduledSpread))
        }
        return intent
    }

    func publish(to system: TestSystem) async throws {
        let producer = try Producer(url: system.amqpURL)
        let start = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let all = (0..<intents).map { intent($0, from: start) }
        for first in stride(from: 0, to: intents, by: Self.chunk) {
            let results = await producer.publish(Array(all[first..<min(first + Self.chunk, intents)]))
            #expect(results.allSatisfy { $0 == .confirmed })
        }
        // The same intents again: the first decision counts.
        let again = await producer.publish(Array(all.prefix(Self.chunk)))
        #expect(again.allSatisfy { $0 == .confirmed })
        await producer.close()
    }

    /// Waits until everything has ended and every process has reported how much it handled.
    func isHandled(in system: TestSystem) async throws -> Bool {
        let accepted = acceptedIDs.count
        let isEnded = try await reached(within: .seconds(60 + intents / 200), every: .milliseconds(250)) {
            guard try await system.count("select count(*) from tidings.notifications") == accepted else { return false }
            return try await system.count("select (select count(*) from tidings.packs) + (select count(*) from tidings.due)") == 0
        }
        let taken = intents + min(Self.chunk, intents)
        let isTold = try await reached(within: .seconds(15), every: .milliseconds(250)) {
            let handled = try await system.count("select sum(handled)::bigint from tidings_ops.workers where role = 'router'")
            guard handled >= taken else { return false }
            return try await system.count(
                """
                select count(*) from (
                    select (select sum(handled) from tidings_ops.workers where role = 'deliver') as handled,
                        -- Inbox entries are written by the routers themselves.
                        (select count(*) from tidings_ops.deliveries where state = 'delivered' and channel = 'webhook') as delivered
                ) told where handled >= delivered
                """) == 1
        }
        return isEnded && isTold
    }
}
