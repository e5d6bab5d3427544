import Synchronization
import Testing
import TidingsCore

@testable import TidingsAPI

@Suite struct ConnectionRatesTests {
    private static let start = Timestamp(seconds: 1_780_315_200)

    /// The connections that are admitted of as many attempts.
    private static func admitted(_ rates: ConnectionRates, _ group: String, of attempts: Int) -> Int {
        (0..<attempts).count { _ in rates.admit(group) }
    }

    @Test func anAddressMayConnectWithAllOfItsConnectionsAtOnce() {
        let rates = ConnectionRates(connectionsPerAddress: 1_000, now: { Self.start })
        #expect(Self.admitted(rates, "198.51.100.1", of: 2_000) == 1_000)
        #expect(Self.admitted(rates, "198.51.100.2", of: 10) == 10)
    }

    @Test func aQuarterOfThemComesBackEachSecond() {
        let now = Mutex(Self.start)
        let rates = ConnectionRates(connectionsPerAddress: 1_000, now: { now.withLock { $0 } })
        _ = Self.admitted(rates, "198.51.100.1", of: 1_000)
        now.withLock { $0 = $0.adding(.seconds(1)) }
        #expect(Self.admitted(rates, "198.51.100.1", of: 1_000) == 250)
    }

    /// With a bound of less than four connections, an address may still connect.
    @Test func aSmallBoundHasARate() {
        let now = Mutex(Self.start)
        let rates = ConnectionRates(connectionsPerAddress: 1, now: { now.withLock { $0 } })
        #expect(Self.admitted(rates, "198.51.100.1", of: 3) == 1)
        now.withLock { $0 = $0.adding(.seconds(1)) }
        #expect(Self.admitted(rates, "198.51.100.1", of: 3) == 1)
    }
}
