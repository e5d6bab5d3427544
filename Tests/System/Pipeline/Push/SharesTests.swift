import Glibc
import Testing
import TidingsPostgres
import TidingsTestSupport

/// Processes that call the same provider keep its rate together.
@Suite struct SharesTests {
    private static let perSecond = 10
    private static let pushes = 60

    private static func catalogue(_ markets: PushMarkets) -> String { rated(markets, perSecond: perSecond) }

    /// A catalogue with one push provider that has a rate.
    static func rated(_ markets: PushMarkets, perSecond: Int) -> String {
        """
        types:
          orderUpdate: {category: transactional, channels: [push]}
        markets:
          us: {push: [service]}
        defaultMarket: us
        providers:
          service:
            channel: push
            kind: http
            addressing: person
            settings: {url: "\(markets.capture)/ok/service", requestsPerSecond: \(perSecond)}
        """
    }

    /// Returns the seconds from the first acceptance to the end of the last push. The end of the first push does not count: a busy machine
    /// may note it late, and the pushes would seem to be faster than they were.
    static func time(in system: TestSystem) async throws -> Double {
        try await system.query(
            """
            select extract(epoch from (select max(finished_at) from tidings_ops.deliveries where channel = 'push')
                - (select min(accepted_at) from tidings_ops.notifications))::float8
            """
        ).rows[0].decode(Double.self)
    }

    /// Returns the least seconds for this number of pushes. The pushes of one second may be sent at once. The clocks of processes and
    /// database differ by some milliseconds.
    static func least(_ pushes: Int, perSecond: Int) -> Double { Double(pushes - perSecond) / Double(perSecond) - 0.1 }

    @Test func twoProcessesKeepToTheRateOfOne() async throws {
        try await withPushMarkets(catalogue: Self.catalogue) { pipeline, markets in
            let other = try await Pipeline.startRoles(of: pipeline.system)
            for process in [pipeline.roles, other] {
                let shares = try await process.prints { log in
                    log.split(separator: "\n").contains { $0.contains("callers=2") && $0.contains("provider=service") }
                }
                try #require(shares, "\(process.errorsSoFar)")
            }
            for number in 0..<Self.pushes { await pipeline.publish(event(id: "push-\(number)", to: "person-\(number)")) }
            for number in 0..<Self.pushes { #expect(try await pipeline.byProvider(of: "push-\(number)") == ["service sent accepted"]) }
            // Each process may send half of a second's pushes at once, and half of them in each later second. Together that is the
            // provider's rate.
            let took = try await Self.time(in: pipeline.system)
            #expect(took >= Self.least(Self.pushes, perSecond: Self.perSecond), "faster than the provider's rate: \(took) s")

            other.signal(SIGTERM)
            let isAlone = try await pipeline.roles.says("callers=1")
            #expect(isAlone, "\(pipeline.roles.errorsSoFar)")
            try await pipeline.expectSound()
        }
    }

    /// A worker with a different catalogue has not reported yet which providers it calls, so it counts. A worker without a heartbeat or
    /// without providers does not count.
    @Test func aWorkerThatHasNotReportedItsProvidersCounts() async throws {
        try await withPushMarkets(catalogue: Self.catalogue) { pipeline, _ in
            _ = try await pipeline.system.query(
                """
                insert into tidings.workers (id, role, host, pid, version, started_at, heartbeat_at, providers, catalogue) values
                    ('late', 'deliver', 'h', 1, '0', tidings.clock(), tidings.clock(), '{former}', 'another'),
                    ('lost', 'deliver', 'h', 2, '0', tidings.clock(), tidings.clock() - interval '31 seconds', '{service}', 'another'),
                    ('router', 'router', 'h', 3, '0', tidings.clock(), tidings.clock(), '{}', 'another')
                """)
            let counts = try await pipeline.roles.says("callers=2")
            #expect(counts, "\(pipeline.roles.errorsSoFar)")
            _ = try await pipeline.system.query(
                "update tidings.workers set catalogue = (select hash from tidings.active_catalogue) where id = 'late'")
            let isAlone = try await pipeline.roles.says("callers=1")
            #expect(isAlone, "it calls somebody else: \(pipeline.roles.errorsSoFar)")
        }
    }
}
