import Testing
import TidingsCore
import TidingsProvider

@testable import TidingsPipeline

/// The parts by which the gate tells calls of a provider apart.
@Suite struct CallPartsTests {
    private static let now = Timestamp(microseconds: 1_800_000_000_000_000)

    private static func delivery(_ number: Int, body: String = "News", attempt: Int = 1, address: String? = nil) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 1, low: UInt64(number)), ordinal: 0, attempt: attempt, tenant: "shop",
                recipient: "user-\(number)", type: "offer", category: .marketing, createdAt: now, expiresAt: nil),
            content: Content(title: "Shop", body: body), endpointAddress: address, idempotencyKey: "key-\(number)")
    }

    @Test func anEndpointIsAnAddressOrAPerson() {
        func endpoint(_ delivery: OutgoingDelivery) -> Breaker.Part? { CallParts([delivery], isTogether: false).endpoint }
        #expect(endpoint(Self.delivery(1, address: "token")) == endpoint(Self.delivery(2, address: "token")))
        #expect(endpoint(Self.delivery(1, address: "token")) != endpoint(Self.delivery(1, address: "other")))
        #expect(endpoint(Self.delivery(1)) == endpoint(Self.delivery(1, body: "Other news")))
        #expect(endpoint(Self.delivery(1)) != endpoint(Self.delivery(2)))
    }

    /// The people of two calls differ, and their content is the same. A call with one person is no exception.
    @Test func theContentStandsForACallToManyPeople() {
        let first = CallParts((1...50).map { Self.delivery($0) }, isTogether: true)
        let second = CallParts((51...100).map { Self.delivery($0) }, isTogether: true)
        #expect(first.endpoint != nil && first.endpoint == second.endpoint && first.delivery != second.delivery)
        #expect(CallParts([Self.delivery(1)], isTogether: true).endpoint == first.endpoint)
        #expect(CallParts([Self.delivery(1, body: "Other news")], isTogether: true).endpoint != first.endpoint)
        #expect(first.isFirstAttempt)
        #expect(!CallParts([Self.delivery(1), Self.delivery(2, attempt: 2)], isTogether: true).isFirstAttempt)
    }

    /// Each call with one content fails. The calls with another content go on, and the breaker of the provider stays closed.
    @Test func aPoisonedContentDoesNotStopTheOthers() async throws {
        let limits = ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 128, maximumTogether: 50, sendTimeout: .seconds(1))
        let gate = SendGate(limits, now: Self.now)
        func enter(_ numbers: ClosedRange<Int>, _ body: String, at time: Timestamp) async -> SendGate.Pass? {
            let parts = CallParts(numbers.map { Self.delivery($0, body: body) }, isTogether: true)
            guard case .entered(let pass) = await gate.enter(host: "braze", parts, now: time) else { return nil }
            return pass
        }
        var now = Self.now
        for call in 0..<5 {
            let pass = try #require(await enter((50 * call + 1)...(50 * call + 50), "Poison", at: now))
            gate.leave(pass, evidence: .failing, now: now)
            #expect(await enter(1...50, "News", at: now) != nil)
            now = now.adding(.seconds(2))
        }
        #expect(await enter(251...300, "Poison", at: now) == nil, "the breaker of the content is open")
        #expect(await enter(51...100, "News", at: now) != nil)
    }
}
