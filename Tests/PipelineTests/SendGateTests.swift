import Testing
import TidingsCore
import TidingsDelivery
import TidingsProvider

/// Who is called decides which bound a send counts against.
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
        ("token:one", "token:two"), ("token", ""),
    ])
    func othersHaveRoom(first: String, second: String) async throws {
        try await enters(first)
        try await enters(second)
    }

    private func enters(_ address: String) async throws {
        guard case .entered = await gate.enter(host: address, now: Self.now) else {
            Issue.record("\(address) found no room")
            return
        }
    }
}
