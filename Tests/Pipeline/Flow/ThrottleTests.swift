import Testing
import TidingsCore
import TidingsPipeline
import TidingsProvider

/// An endpoint that asks for fewer calls is paused by itself.
@Suite struct ThrottleTests {
    private static let start = Timestamp(microseconds: 1_800_000_000_000_000)
    private let gate = SendGate(
        ProviderLimits(maximumBodyBytes: 1, maximumConcurrency: 100, maximumConcurrencyPerHost: 16, sendTimeout: .seconds(1)), now: start)

    private func ask(_ endpoint: Int, at now: Timestamp) async -> SendGate.Answer {
        await gate.enter(host: "host", CallParts(endpoint: Breaker.Part(endpoint), delivery: Breaker.Part("any")), now: now)
    }

    private func enter(_ endpoint: Int, at now: Timestamp) async -> SendGate.Pass? {
        if case .entered(let pass) = await ask(endpoint, at: now) { pass } else { nil }
    }

    /// The time for which the gate refuses a call to the endpoint because of its pause. Nil if the call begins.
    private func wait(_ endpoint: Int, at now: Timestamp) async -> Duration? {
        if case .refused(let wait, .rateLimited) = await ask(endpoint, at: now) { wait } else { nil }
    }

    private func throttle(_ pass: SendGate.Pass?, for pause: Duration, at now: Timestamp) throws {
        gate.leave(try #require(pass), evidence: .reachable, requestedPause: pause, now: now)
    }

    @Test func theEndpointAloneIsPaused() async throws {
        var passes: [SendGate.Pass] = []
        for _ in 0..<3 { passes.append(try #require(await enter(1, at: Self.start))) }
        try throttle(passes[0], for: .seconds(30), at: Self.start)
        #expect(await wait(1, at: Self.start) == .seconds(30))
        #expect(await enter(2, at: Self.start) != nil)
        // The answers to the calls from before the pause neither end it nor count as further pauses.
        gate.leave(passes[1], evidence: .healthy, now: Self.start)
        try throttle(passes[2], for: .seconds(10), at: Self.start)
        #expect(await enter(1, at: Self.start.adding(.seconds(29))) == nil)
        // After the pause the endpoint starts slowly.
        let end = Self.start.adding(.seconds(30))
        let first = try #require(await enter(1, at: end))
        #expect(await enter(1, at: end) == nil)
        gate.leave(first, evidence: .healthy, now: end)
        #expect(await enter(1, at: end) != nil)
        #expect(await enter(1, at: end) != nil)
    }

    /// Without a named time the pause doubles, up to a minute, until a good answer.
    @Test func pausesGrowUntilAGoodAnswer() async throws {
        var now = Self.start
        var pauses: [Duration] = []
        for _ in 0..<8 {
            try throttle(await enter(1, at: now), for: .zero, at: now)
            let pause = try #require(await wait(1, at: now))
            pauses.append(pause)
            now = now.adding(pause)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        gate.leave(try #require(await enter(1, at: now)), evidence: .healthy, now: now)
        try throttle(await enter(1, at: now), for: .zero, at: now)
        #expect(await wait(1, at: now) == .seconds(1))
    }

    /// However long the time is that an answer names, the endpoint is tried once a day.
    @Test func aNamedTimeHasALimit() async throws {
        try throttle(await enter(1, at: Self.start), for: .seconds(1_000_000), at: Self.start)
        #expect(await wait(1, at: Self.start) == RetryPolicy.longestProviderWait)
        #expect(gate.knownEndpoints == 1)
        let end = Self.start.adding(RetryPolicy.longestProviderWait)
        for _ in 0..<16 { gate.leave(try #require(await enter(1, at: end)), evidence: .healthy, now: end) }
        #expect(gate.knownEndpoints == 0, "an endpoint that works again is not remembered")
    }
}
