import Testing
import TidingsCore
import TidingsHTTP
import TidingsWeb

@testable import TidingsAPI

/// The failed logins of addresses. The time stands still.
@Suite struct FailedLoginTests {
    private let failures = FailedLogins(now: { Timestamp(seconds: 1_780_315_200) })

    /// The share that is used up. Nil if the client may try.
    private func refusal(_ client: ClientAddress?) -> UsedShare? {
        do {
            try Login(failures: failures, client: client).begin()
            return nil
        } catch {
            return (error as? Problem)?.share
        }
    }

    @Test func anAddressHasAShare() throws {
        let (first, second) = (try #require(IPAddress("198.51.100.1")), try #require(IPAddress("198.51.100.2")))
        for _ in 0..<50 {
            #expect(refusal(ClientAddress(first)) == nil)
            Login(failures: failures, client: ClientAddress(first)).failed()
        }
        #expect(refusal(ClientAddress(first)) == UsedShare(of: .address, .logins, used: 50, limit: 50, perSecond: 5))
        #expect(refusal(ClientAddress(second)) == nil && refusal(nil) == nil)
        Login(failures: failures, client: ClientAddress(first)).hasNotFailed()
        #expect(refusal(ClientAddress(first)) == nil)
    }

    /// nginx sends no `X-Forwarded-For` unless it is told to. One stranger behind it must not keep everybody out.
    @Test func clientsThatNoProxyNamesHaveALargeShare() throws {
        let proxies = try TrustedProxies(["127.0.0.1"])
        let client = proxies.client(peer: "127.0.0.1", forwardedFor: nil)
        for _ in 0..<FailedLogins.unnamed.burst {
            #expect(refusal(client) == nil)
            Login(failures: failures, client: client).failed()
        }
        #expect(refusal(client) == UsedShare(of: .address, .logins, used: 1_000, limit: 1_000, perSecond: 500))
        Login(failures: failures, client: client).hasNotFailed()
        #expect(refusal(client) == nil)
    }
}
