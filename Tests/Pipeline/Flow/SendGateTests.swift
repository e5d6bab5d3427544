import Synchronization
import Testing
import TidingsCore
import TidingsPipeline
import TidingsProvider

/// The host that a send calls decides which bound the send counts against.
@Suite struct SendGateTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let gate = SendGate(
        ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 10, maximumConcurrencyPerHost: 1, sendTimeout: .seconds(1)),
        now: now)

    @Test(arguments: [
        ("https://shop.example/orders", "https://shop.example/returns"), ("https://shop.example", "https://shop.example?new"),
        ("https://shop.example/a://b", "https://shop.example#c"), ("token:one", "token:one"),
    ])
    func allPathsOfAHostShareItsBound(first: String, second: String) async throws {
        try await enters(first)
        guard case .refused(let wait, let reason) = await gate.enter(host: second, now: Self.now) else {
            Issue.record("\(second) found room beside \(first)")
            return
        }
        #expect(wait == SendGate.comeBack && reason == .rateLimited)
    }

    @Test(arguments: [
        ("https://shop.example/orders", "https://shop.example:8443/orders"), ("https://shop.example", "https://bank.example"),
        ("https://shop.example", "http://shop.example"), ("token:one", "token:two"), ("token", ""),
    ])
    func anotherHostHasRoom(first: String, second: String) async throws {
        try await enters(first)
        try await enters(second)
    }

    /// Calls that hang at one endpoint leave a fourth of the host's calls to others. Waiters for that endpoint hold up no others.
    @Test func anEndpointThatHangsLeavesRoomForOthers() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, maximumConcurrencyPerHost: 8, sendTimeout: .seconds(1)),
            now: Self.now)
        func enter(_ endpoint: Int) async -> SendGate.Pass? {
            await Self.pass(gate, CallParts(endpoint: Breaker.Part(endpoint), delivery: Breaker.Part("any")), at: Self.now)
        }
        for _ in 0..<6 { #expect(await enter(1) != nil) }
        async let waiting = enter(1)
        let other = try #require(await enter(2))
        #expect(await enter(3) != nil)
        #expect(await waiting == nil, "the endpoint has six calls")
        #expect(await enter(4) == nil, "the host has eight")
        gate.leave(other, evidence: .healthy, now: Self.now)
        #expect(await enter(4) != nil)
    }

    /// After its first failure an endpoint shares a fourth of the calls with all others that fail.
    @Test func endpointsThatFailLeaveRoomForTheOthers() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, maximumConcurrencyPerHost: 8, sendTimeout: .seconds(1)),
            now: Self.now)
        func enter(_ endpoint: Int) async -> SendGate.Pass? {
            await Self.pass(gate, CallParts(endpoint: Breaker.Part(endpoint)), at: Self.now)
        }
        for endpoint in 1...3 { gate.leave(try #require(await enter(endpoint)), evidence: .failing, now: Self.now) }
        let suspects = [try #require(await enter(1)), try #require(await enter(2))]
        #expect(await enter(3) == nil)
        for endpoint in 4...9 { #expect(await enter(endpoint) != nil) }
        #expect(await enter(10) == nil, "the host has eight calls")
        // An endpoint that works again is one of the others.
        gate.leave(suspects[0], evidence: .healthy, now: Self.now)
        #expect(await enter(1) != nil)
        gate.leave(suspects[1], evidence: .none, now: Self.now)
        #expect(await enter(3) != nil)
    }

    /// The last fourth is for endpoints without a call under way. A second endpoint that hangs gets one call of it, not all.
    @Test func theLastPlacesAreForOtherEndpoints() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, maximumConcurrencyPerHost: 8, sendTimeout: .seconds(1)),
            now: Self.now)
        func enter(_ endpoint: Int) async -> SendGate.Pass? {
            await Self.pass(gate, CallParts(endpoint: Breaker.Part(endpoint)), at: Self.now)
        }
        for _ in 0..<6 { #expect(await enter(1) != nil) }
        #expect(await enter(2) != nil)
        #expect(await enter(2) == nil)
        #expect(await enter(3) != nil)
    }

    /// The last fourth of the provider's calls is for hosts without a call under way, and for endpoints that have not failed.
    @Test func theLastPlacesAreForOtherHosts() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 8, maximumConcurrencyPerHost: 4, sendTimeout: .seconds(1)),
            now: Self.now)
        func enter(_ host: String, _ endpoint: Int) async -> SendGate.Pass? {
            let parts = CallParts(endpoint: Breaker.Part(endpoint))
            guard case .entered(let pass) = await gate.enter(host: host, parts, now: Self.now) else { return nil }
            return pass
        }
        gate.leave(try #require(await enter("failed", 99)), evidence: .failing, now: Self.now)
        for endpoint in 1...4 { #expect(await enter("one", endpoint) != nil) }
        for endpoint in 5...6 { #expect(await enter("two", endpoint) != nil) }
        #expect(await enter("two", 7) == nil)
        #expect(await enter("failed", 99) == nil)
        let third = try #require(await enter("three", 8))
        async let waiting = enter("two", 9)
        #expect(await enter("failed", 10) != nil)
        #expect(await enter("five", 11) == nil, "the provider has eight")
        #expect(await waiting == nil)
        gate.leave(third, evidence: .healthy, now: Self.now)
        #expect(await enter("five", 11) != nil)
    }

    /// Nine processes share few calls to a host, so each may make one. If it hangs or goes to a bad endpoint, others get two spare calls.
    @Test(arguments: [true, false])
    func aHostThatHangsHasSpareCalls(_ hangs: Bool) async throws {
        let limits = ProviderLimits(
            maximumBodyBytes: 1_000, maximumConcurrency: 100, maximumConcurrencyPerHost: 16, spareCallsPerHost: 2, sendTimeout: .seconds(1))
        let gate = SendGate(limits, now: Self.now)
        gate.divide(among: 9, now: Self.now)
        func enter(_ endpoint: Int, at time: Timestamp) async -> SendGate.Pass? {
            await Self.pass(gate, CallParts(endpoint: Breaker.Part(endpoint)), at: time)
        }
        let first = try #require(await enter(1, at: Self.now))
        #expect(await enter(2, at: Self.now) == nil, "the call of the process is made")
        var now = Self.now.adding(SendRoom.hangingAfter + .seconds(1))
        if !hangs {
            gate.leave(first, evidence: .failing, now: Self.now)
            now = Self.now
            #expect(await enter(1, at: now) != nil, "the endpoint has failed, and is tried again")
        }
        #expect(await enter(1, at: now) == nil)
        let spare = [try #require(await enter(2, at: now)), try #require(await enter(3, at: now))]
        #expect(await enter(2, at: now) == nil)
        #expect(await enter(4, at: now) == nil)
        for pass in spare { gate.leave(pass, evidence: .healthy, now: now) }
        #expect(await enter(4, at: now) != nil)
    }

    /// After the breaker of a host has closed, the first call may go to an endpoint that hangs. The next one is for another endpoint.
    @Test func aBadEndpointDoesNotTakeTheWholeSlowStart() async throws {
        let gate = SendGate(ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, sendTimeout: .seconds(1)), now: Self.now)
        func enter(_ endpoint: Int, at time: Timestamp) async -> SendGate.Pass? {
            await Self.pass(gate, CallParts(endpoint: Breaker.Part(endpoint)), at: time)
        }
        for endpoint in 1...Breaker.Policy.standard.failureThreshold {
            gate.leave(try #require(await enter(endpoint, at: Self.now)), evidence: .unreachable, now: Self.now)
        }
        let later = Self.now.adding(Breaker.Policy.standard.coolDown)
        gate.leave(try #require(await enter(1, at: later)), evidence: .healthy, now: later)
        #expect(await enter(1, at: later) != nil)
        #expect(await enter(1, at: later) == nil)
        #expect(await enter(2, at: later) != nil)
        #expect(await enter(3, at: later) == nil)
        #expect(await enter(3, at: later.adding(SendRoom.hangingAfter + .seconds(1))) != nil, "the calls hang")
    }

    /// The breaker of one endpoint opens, and that of its host stays closed.
    @Test func anEndpointIsHeldByItself() async throws {
        let changes = Mutex<[BreakerChange]>([])
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, sendTimeout: .seconds(1)), now: Self.now
        ) { change, _ in changes.withLock { $0.append(change) } }
        func parts(_ endpoint: Int, _ delivery: Int) -> CallParts {
            CallParts(endpoint: Breaker.Part(endpoint), delivery: Breaker.Part(delivery))
        }
        let failures = Breaker.Policy.ofEndpoint.failureThreshold
        for delivery in 0..<failures {
            let time = Self.now.adding(.seconds(2 * delivery))
            gate.leave(try #require(await Self.pass(gate, parts(1, delivery), at: time)), evidence: .failing, now: time)
        }
        let later = Self.now.adding(.seconds(2 * failures))
        #expect(await Self.pass(gate, parts(1, 99), at: later) == nil)
        #expect(await Self.pass(gate, parts(2, 99), at: later) != nil)
        let opened = BreakerChange(host: nil, isOfEndpoint: true, .opened(failures: failures, pause: Breaker.Policy.standard.coolDown))
        #expect(changes.withLock(\.self) == [opened])
        // A lost connection concerns the host, whatever the endpoint. After five in a row no endpoint is tried.
        for endpoint in 10..<(9 + failures) {
            gate.leave(try #require(await Self.pass(gate, parts(endpoint, 1), at: later)), evidence: .unreachable, now: later)
        }
        let probe = later.adding(Breaker.Policy.standard.probeInterval)
        gate.leave(try #require(await Self.pass(gate, parts(20, 1), at: probe)), evidence: .unreachable, now: probe)
        #expect(await Self.pass(gate, parts(2, 1), at: later.adding(.seconds(3))) == nil)
        #expect(changes.withLock { $0.map(\.isOfEndpoint) } == [true, false])
    }

    /// A host that has recovered gets one more call with each good answer. The waiting calls do not all start at once.
    @Test func aHostThatComesBackIsNotOverrun() async throws {
        let gate = SendGate(ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 10, sendTimeout: .seconds(1)), now: Self.now)
        func enter(at time: Timestamp) async -> SendGate.Pass? {
            guard case .entered(let pass) = await gate.enter(host: "host", now: time) else { return nil }
            return pass
        }
        for _ in 0..<Breaker.Policy.standard.failureThreshold {
            gate.leave(try #require(await enter(at: Self.now)), evidence: .failing, now: Self.now)
        }
        #expect(await enter(at: Self.now) == nil, "the breaker is open")
        let later = Self.now.adding(Breaker.Policy.standard.coolDown)
        gate.leave(try #require(await enter(at: later)), evidence: .healthy, now: later)

        let first = try #require(await enter(at: later))
        // The second call waits for room. The answer to the first call makes room for two.
        async let second = enter(at: later)
        async let third = enter(at: later)
        gate.leave(first, evidence: .healthy, now: later)
        let both = await (second, third)
        #expect(both.0 != nil && both.1 != nil)
        #expect(await enter(at: later) == nil, "two are inside, and no more may be yet")
    }

    /// One of several callers uses its share of the provider's concurrency, and more once the other callers are gone.
    @Test func callersShareConcurrency() async throws {
        let gate = SendGate(ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 5, sendTimeout: .seconds(1)), now: Self.now)
        gate.divide(among: 2, now: Self.now)
        for _ in 0..<2 { #expect(await Self.isEntered(gate)) }
        #expect(await !Self.isEntered(gate))
        gate.divide(among: 1, now: Self.now)
        for _ in 0..<3 { #expect(await Self.isEntered(gate)) }

        let small = SendGate(ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 1, sendTimeout: .seconds(1)), now: Self.now)
        small.divide(among: 9, now: Self.now)
        #expect(await Self.isEntered(small), "each may make one call")
    }

    /// Runs many times, because the waiting call may or may not be in line when the number of callers changes.
    @Test(arguments: 0..<20)
    func aWaitingCallGetsRoomWhenThereAreFewerCallers(_: Int) async throws {
        let gate = SendGate(ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 2, sendTimeout: .seconds(1)), now: Self.now)
        gate.divide(among: 2, now: Self.now)
        #expect(await Self.isEntered(gate))
        async let waiting = Self.isEntered(gate)
        await Task.yield()
        gate.divide(among: 1, now: Self.now)
        #expect(await waiting)
    }

    @Test(arguments: [(10.0, 5, 2), (10, 1, 10), (10, 3, 3), (1, 4, 0)])
    func callersShareTheRate(rate: Double, callers: Int, atOnce: Int) async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, requestsPerSecond: rate, sendTimeout: .seconds(1)),
            now: Self.now)
        gate.divide(among: callers, now: Self.now)
        for _ in 0..<atOnce { #expect(await Self.isEntered(gate)) }
        #expect(await !Self.isEntered(gate))
        // Within a second each caller has its part of the rate. If that part is less than one call, it takes longer.
        let seconds = max(1, Double(callers) / rate)
        let later = Self.now.adding(.milliseconds(Int(seconds * 1_000)))
        #expect(await Self.isEntered(gate, at: later))
        if rate < Double(callers) { #expect(await !Self.isEntered(gate, at: later)) }
    }

    /// A batch reserves places in the line of a rate before its packs are claimed. Bulk joins only a short line, and urgent work a longer
    /// one. The rest waits.
    @Test func theLineOfARateIsShortForBulk() {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, requestsPerSecond: 10, sendTimeout: .seconds(1)),
            now: Self.now)
        func reserve(_ longest: Duration) -> SendGate.Reservation {
            gate.reserve(20, ifWithin: longest, lasting: .seconds(10), now: Self.now)
        }
        guard case .places(let first) = reserve(ProviderWorker.bulkLine) else {
            Issue.record("a quiet provider has places")
            return
        }
        #expect(first.wait <= .zero)
        #expect(first.next().map(RatePlaces.isFresh) == true)
        // Ten of the twenty places lie in the future.
        guard case .later(let wait) = reserve(ProviderWorker.bulkLine), case .places(let urgent) = reserve(ProviderWorker.urgentLine) else {
            Issue.record("bulk joined the line, or urgent did not")
            return
        }
        #expect(wait == .milliseconds(600))
        #expect(urgent.wait > .milliseconds(500))
        // Fifteen places are free again, so the next batch waits for the five only.
        urgent.keep(only: 5)
        guard case .places(let next) = reserve(.seconds(2)) else {
            Issue.record("places that were given back are not there")
            return
        }
        #expect(next.wait < .seconds(2))
    }

    /// A place is useful only within the lease, so no later place is taken.
    @Test func aSlowProviderHasFewPlacesAtOnce() {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, requestsPerSecond: 1, sendTimeout: .seconds(1)), now: Self.now)
        guard case .places(let places) = gate.reserve(50, ifWithin: .zero, lasting: .seconds(3), now: Self.now) else {
            Issue.record("a quiet provider has places")
            return
        }
        for _ in 0..<3 { #expect(places.next() != nil) }
        #expect(places.next() == nil)
    }

    /// Calls that are turned away get times one after the other, however many they are.
    @Test func callsThatAreTurnedAwayComeBackInLine() async throws {
        let gate = SendGate(
            ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 100, requestsPerSecond: 10, sendTimeout: .seconds(1)),
            now: Self.now)
        var waits: [Duration] = []
        for _ in 0..<40 {
            if case .refused(let wait, .rateLimited) = await gate.enter(host: "host", now: Self.now) { waits.append(wait) }
        }
        #expect(waits.count == 30 && waits.first == SendGate.comeBack)
        #expect(waits.last == SendGate.comeBack + .milliseconds(29 * 100), "at the provider's rate")
    }

    private static func pass(_ gate: SendGate, _ parts: CallParts, at time: Timestamp) async -> SendGate.Pass? {
        if case .entered(let pass) = await gate.enter(host: "host", parts, now: time) { pass } else { nil }
    }

    private static func isEntered(_ gate: SendGate, at time: Timestamp = now) async -> Bool {
        if case .entered = await gate.enter(host: "host", now: time) { true } else { false }
    }

    private func enters(_ address: String) async throws {
        guard case .entered = await gate.enter(host: address, now: Self.now) else {
            Issue.record("\(address) found no room")
            return
        }
    }
}
