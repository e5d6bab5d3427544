import Synchronization
import Testing
import TidingsCore
import TidingsPipeline
import TidingsProvider

/// Recipients choose the hosts of webhooks. The memory of hosts has a bound, which holds even if all hosts fail.
@Suite struct RememberedHostsTests {
    private static let start = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let failures = Breaker.Policy.standard.failureThreshold

    @Test func twentyThousandFailingHostsAreNotAllRemembered() async throws {
        let gate = Self.gate()
        let count = 2 * SendRoom.rememberedHosts
        for number in 0..<count { try await Self.fail("https://h\(number).example/path", at: gate, Self.start) }
        #expect(gate.knownHosts == SendRoom.rememberedHosts)
        #expect(await Self.isOpen("https://h\(count - 1).example", gate))
        #expect(await Self.isOpen("https://h\(count - SendRoom.rememberedHosts).example", gate))
        #expect(await !Self.isOpen("https://h\(count - SendRoom.rememberedHosts - 1).example", gate), "the oldest are forgotten")
    }

    @Test func hostsThatAreWellAreForgottenBeforeThoseThatFail() async throws {
        let gate = Self.gate()
        try await Self.fail("https://failing.example", at: gate, Self.start)
        for number in 0..<2 * SendRoom.rememberedHosts { try await Self.call("https://h\(number).example", at: gate, .healthy) }
        #expect(gate.knownHosts == SendRoom.rememberedHosts)
        #expect(await Self.isOpen("https://failing.example", gate))
    }

    /// A new host stays remembered between two of its calls. If many hosts fail, the new one is not the first to be forgotten.
    @Test func aNewHostAmongFailingOnesIsCounted() async throws {
        let gate = Self.gate()
        for number in 0..<SendRoom.rememberedHosts { try await Self.fail("https://h\(number).example", at: gate, Self.start) }
        for _ in 0..<Self.failures {
            for host in ["https://one.example", "https://two.example"] { try await Self.call(host, at: gate, .failing) }
        }
        #expect(await Self.isOpen("https://one.example", gate))
        #expect(await Self.isOpen("https://two.example", gate))
        #expect(gate.knownHosts == SendRoom.rememberedHosts)
    }

    /// Calls in flight are counted, whichever hosts are forgotten.
    @Test func aHostWithACallUnderWayStays() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1, maximumConcurrency: 10, maximumConcurrencyPerHost: 1, sendTimeout: .seconds(1)),
            now: Self.start)
        let pass = try #require(await Self.enter("https://slow.example", gate))
        for number in 0..<2 * SendRoom.rememberedHosts { try await Self.call("https://h\(number).example", at: gate, .healthy) }
        #expect(await Self.enter("https://slow.example", gate) == nil, "its one place is taken")
        gate.leave(pass, evidence: .healthy, now: Self.start)
        #expect(await Self.enter("https://slow.example", gate) != nil)
    }

    /// A host that the provider's rate turns away was not called, and leaves nothing in memory.
    @Test func hostsThatWereNeverCalledAreNotRemembered() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1, maximumConcurrency: 10, requestsPerSecond: 1, sendTimeout: .seconds(1)), now: Self.start)
        for number in 0..<100 { if let pass = await Self.enter("h\(number)", gate) { gate.leave(pass, evidence: .none, now: Self.start) } }
        #expect(gate.knownHosts == 1)
    }

    /// Endpoints that work leave nothing in memory. Endpoints that fail have a bound, as hosts have.
    @Test func onlyEndpointsThatFailAreRemembered() async throws {
        let gate = Self.gate()
        func call(_ number: Int, _ evidence: Outcome.Evidence) async throws {
            let parts = CallParts(endpoint: Breaker.Part(number), delivery: Breaker.Part(number))
            guard case .entered(let pass) = await gate.enter(host: "https://h\(number % 100).example", parts, now: Self.start) else {
                return
            }
            gate.leave(pass, evidence: evidence, now: Self.start)
        }
        for number in 0..<1_000 { try await call(number, .healthy) }
        #expect(gate.knownEndpoints == 0)
        for number in 0..<4 { try await call(number, .failing) }
        #expect(gate.knownEndpoints == 4)
        try await call(0, .healthy)
        #expect(gate.knownEndpoints == 3)
        for number in 0..<2 * SendRoom.rememberedEndpoints {
            try await call(number, .failing)
            // A good answer of another endpoint keeps the host open.
            try await call(number + 1_000_000, .healthy)
        }
        #expect(gate.knownEndpoints == SendRoom.rememberedEndpoints)
    }

    /// A circuit breaker reports once when it opens and once when it closes. The reports hold no secrets of an address.
    @Test func changesOfABreakerAreReported() async throws {
        let changes = Mutex<[BreakerChange]>([])
        let gate = Self.gate { change, _ in changes.withLock { $0.append(change) } }
        for address in ["https://user:password@shop.example:8443/secret?token=1", "token-of-a-device"] {
            changes.withLock { $0 = [] }
            let host = address.hasPrefix("https") ? "shop.example:8443" : nil
            try await Self.fail(address, at: gate, Self.start)
            let opened = BreakerChange(host: host, .opened(failures: Self.failures, pause: Breaker.Policy.standard.coolDown))
            #expect(changes.withLock(\.self) == [opened])
            // The trial call fails: the circuit breaker stays open, and nothing is reported.
            let first = Self.start.adding(Breaker.Policy.standard.coolDown)
            try await Self.call(address, at: gate, .failing, first)
            #expect(changes.withLock(\.count) == 1)
            let second = first.adding(Breaker.Policy.standard.coolDown * 2)
            try await Self.call(address, at: gate, .healthy, second)
            let closed = BreakerChange(host: host, .closed(failures: Self.failures + 1, after: second - Self.start))
            #expect(changes.withLock(\.self) == [opened, closed])
        }
    }

    private static func gate(_ report: @escaping @Sendable (BreakerChange, Timestamp) -> Void = { _, _ in }) -> SendGate {
        SendGate(
            ProviderLimits(maximumBodyBytes: 1, maximumConcurrency: 10, sendTimeout: .seconds(1)), now: start, report: report)
    }

    private static func fail(_ address: String, at gate: SendGate, _ time: Timestamp) async throws {
        for _ in 0..<failures { try await call(address, at: gate, .failing, time) }
    }

    private static func call(
        _ address: String, at gate: SendGate, _ evidence: Outcome.Evidence, _ time: Timestamp = start
    ) async throws {
        gate.leave(try #require(await enter(address, gate, time)), evidence: evidence, now: time)
    }

    private static func enter(_ address: String, _ gate: SendGate, _ time: Timestamp = start) async -> SendGate.Pass? {
        if case .entered(let pass) = await gate.enter(host: address, now: time) { pass } else { nil }
    }

    private static func isOpen(_ address: String, _ gate: SendGate) async -> Bool {
        if case .refused(_, .breakerOpen) = await gate.enter(host: address, now: start) { true } else { false }
    }
}
