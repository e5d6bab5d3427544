import HTTPTypes
import Synchronization
import Testing
import TidingsCore
import TidingsServer
import TidingsStore
import TidingsWeb

@testable import TidingsAPI

/// The shares of callers. The time stands still, unless a test moves it.
@Suite struct RateLimitTests {
    private static let start = Timestamp(seconds: 1_780_315_200)

    /// A clock that a test moves.
    private final class Hands: Sendable {
        private let time = Mutex(RateLimitTests.start)

        func now() -> Timestamp { time.withLock { $0 } }
        func move(by duration: Duration) { time.withLock { $0 = $0.adding(duration) } }
    }

    private let hands: Hands
    private let limits: RateLimits

    init() {
        let hands = Hands()
        self.hands = hands
        limits = RateLimits(RateLimits.Rates(person: 2, key: 5, tenant: 8), now: { hands.now() })
    }

    private static let proof = PersonProof(until: .distantFuture) { true }

    private static func key(_ id: String, tenant: String?) -> Caller {
        .key(CallerKey(id: id, name: id, tenant: tenant, scopes: []))
    }

    /// The share that a request exceeds. Nil if it counts.
    private func refusal(_ caller: Caller, bytes: Int? = nil) -> UsedShare? {
        do {
            if let bytes { try limits.count(bytes: bytes, of: caller) } else { try limits.count(caller) }
            return nil
        } catch {
            let problem = error as? Problem
            #expect(problem?.kind == .rateLimited && problem?.headers[.retryAfter].flatMap { Int($0) } ?? 0 >= 1)
            return problem?.share
        }
    }

    @Test func aPersonHasAShare() {
        let ada = Caller.person(RecipientKey(tenant: "default", id: "ada"), Self.proof)
        let other = Caller.person(RecipientKey(tenant: "acme", id: "ada"), Self.proof)
        for _ in 0..<4 { #expect(refusal(ada) == nil) }
        #expect(refusal(ada) == UsedShare(of: .person, .requests, used: 4, limit: 4, perSecond: 2))
        #expect(refusal(other) == nil)
        hands.move(by: .milliseconds(500))
        #expect(refusal(ada) == nil && refusal(ada) != nil)
    }

    @Test func thePeopleOfATenantHaveAShare() {
        func person(_ id: String, of tenant: String) -> Caller { .person(RecipientKey(tenant: tenant, id: id), Self.proof) }
        for id in ["ada", "bob", "eve", "fay"] {
            for _ in 0..<4 { #expect(refusal(person(id, of: "acme")) == nil) }
        }
        #expect(refusal(person("gil", of: "acme")) == UsedShare(of: .tenant, .requests, used: 16, limit: 16, perSecond: 8))
        // The keys of the tenant, and the people of another one, have shares of their own.
        #expect(refusal(Self.key("a", tenant: "acme")) == nil)
        #expect(refusal(person("gil", of: "globex")) == nil)
        hands.move(by: .milliseconds(125))
        #expect(refusal(person("gil", of: "acme")) == nil)
    }

    @Test func aKeyHasAShareAndItsTenantHasOne() {
        let (first, second) = (Self.key("a", tenant: "acme"), Self.key("b", tenant: "acme"))
        for _ in 0..<10 { #expect(refusal(first) == nil) }
        #expect(refusal(first) == UsedShare(of: .key, .requests, used: 10, limit: 10, perSecond: 5))
        // The tenant has 16, and a refused request takes nothing of it.
        for _ in 0..<6 { #expect(refusal(second) == nil) }
        #expect(refusal(second) == UsedShare(of: .tenant, .requests, used: 16, limit: 16, perSecond: 8))
        #expect(refusal(Self.key("c", tenant: "globex")) == nil)
        #expect(refusal(Self.key("d", tenant: nil)) == nil)
    }

    @Test func theBytesOfAKeyAndOfATenantCount() {
        let largest = 4 << 20
        let (first, second, third) = (Self.key("a", tenant: "acme"), Self.key("b", tenant: "acme"), Self.key("c", tenant: "acme"))
        for key in [first, second] {
            for _ in 0..<32 { #expect(refusal(key, bytes: largest) == nil) }
        }
        #expect(refusal(first, bytes: 1) == UsedShare(of: .key, .bytes, used: 128 << 20, limit: 128 << 20, perSecond: 64 << 20))
        #expect(refusal(third, bytes: 1) == UsedShare(of: .tenant, .bytes, used: 256 << 20, limit: 256 << 20, perSecond: 128 << 20))
        #expect(refusal(Self.key("d", tenant: "globex"), bytes: largest) == nil)
        hands.move(by: .milliseconds(250))
        #expect(refusal(first, bytes: largest) == nil)
    }

    /// A backend sends without a pause over 64 connections. A process on 2 cores answers less than half of this.
    @Test func theUsualLimitsDoNotSlowABackend() throws {
        let settings = try #require(try APISettings(environment: [:], standardListen: APISettings.standardListen))
        let hands = hands
        let usual = RateLimits(RateLimits.Rates(settings), now: { hands.now() })
        let key = Self.key("a", tenant: "acme")
        for _ in 0..<5 {
            for _ in 0..<5_000 {
                try usual.count(key)
                try usual.count(bytes: 10 << 10, of: key)
            }
            hands.move(by: .seconds(1))
        }
        #expect(RequestRoom.perTenant >= 64)
    }

    /// Chunked bodies are no way around the share: the next of them waits as well.
    @Test func aBodyOfUnknownLengthWaitsForTheEarlierOnes() throws {
        let (key, other) = (Self.key("a", tenant: "acme"), Self.key("b", tenant: "acme"))
        // Parts below a KiB count together.
        for part in 0..<4_096 { limits.charge(bytes: 1, after: part, to: other) }
        for _ in 0..<32 {
            try limits.admitUnknownLength(of: key)
            limits.charge(bytes: 4 << 20, to: key)
        }
        let refused = #expect(throws: Problem.self) { try limits.admitUnknownLength(of: key) }
        #expect(refused?.share == UsedShare(of: .key, .bytes, used: 128 << 20, limit: 128 << 20, perSecond: 64 << 20))
        try limits.admitUnknownLength(of: other)
        #expect(refusal(other, bytes: (128 << 20) - (4 << 10)) == nil)
        hands.move(by: .seconds(1))
        try limits.admitUnknownLength(of: key)
    }

    /// The length of a chunked body is known when it has been read.
    @Test func bytesWithoutAnAnnouncementDelayTheNextBody() {
        let key = Self.key("a", tenant: "acme")
        for _ in 0..<33 { limits.charge(bytes: 4 << 20, to: key) }
        #expect(refusal(key, bytes: 1)?.used == 132 << 20)
        hands.move(by: .seconds(1))
        #expect(refusal(key, bytes: 1) == nil)
    }

    /// A flood of names gives no caller a new share.
    @Test func theMemoryOfCallersIsBounded() {
        var buckets = TokenBuckets<Int>(TokenBucket.Limit(perSecond: 1, burst: 2), remembered: 100, at: Self.start)
        for caller in 0..<100 { buckets.charge(2, to: caller, at: Self.start) }
        // Callers beyond the memory share one bucket.
        buckets.charge(2, to: 1_000, at: Self.start)
        for caller in [0, 99, 1_000, 1_001] { #expect(buckets.wait(for: 1, of: caller, at: Self.start) == .seconds(1), "\(caller)") }
        #expect(buckets.count == 100)
        // Callers whose bucket is full again make room.
        let later = Self.start.adding(.seconds(2))
        buckets.charge(1, to: 1_001, at: later)
        #expect(buckets.count == 1 && buckets.used(by: 1_001, at: later) == 1)
    }
}
