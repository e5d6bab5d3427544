import Synchronization
import Testing
import TidingsCore
import TidingsHTTP
import TidingsStore
import TidingsWeb

@testable import TidingsAPI

/// Keys are remembered for a moment, and a good key does not suffer from the failed logins of its address.
@Suite struct KeyCheckTests {
    private static func text(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "tid_\(String(repeating: "0", count: 16 - digits.count))\(digits)_\(String(repeating: "A", count: 43))"
    }

    /// The keys 0 and 1 are good.
    private static let desk = KeyDesk { texts in
        let good = Set([0, 1].compactMap { APIKeyText(KeyCheckTests.text($0))?.id })
        return texts.map { good.contains($0.id) ? CallerKey(id: $0.id, name: $0.id, tenant: nil, scopes: []) : nil }
    }

    /// The kind of the problem with which a key is refused. Nil for a good key.
    private static func refusal(_ check: KeyCheck, _ text: String, _ login: Login) async -> Problem.Kind? {
        do {
            _ = try await check.key(text, login)
            return nil
        } catch {
            return (error as? Problem)?.kind
        }
    }

    @Test func aGoodKeyStaysGoodWhileItsAddressIsRefused() async throws {
        let time = Mutex(ContinuousClock.now)
        let check = KeyCheck(Self.desk, now: { time.withLock { $0 } })
        let address = try #require(IPAddress("198.51.100.1"))
        let failures = FailedLogins(now: { Timestamp(seconds: 1_780_315_200) })
        let login = Login(failures: failures, client: ClientAddress(address))
        #expect(await Self.refusal(check, Self.text(0), login) == nil)
        for number in 0..<FailedLogins.perAddress.burst {
            #expect(await Self.refusal(check, Self.text(100 + number), login) == .invalidToken)
        }
        #expect(await Self.refusal(check, Self.text(99), login) == .rateLimited)

        // The memory of the key ends. It is looked up again, and the other key may not try.
        time.withLock { $0 += KeyCheck.memory }
        #expect(await Self.refusal(check, Self.text(0), login) == nil)
        #expect(await Self.refusal(check, Self.text(1), login) == .rateLimited)
        #expect(await Self.refusal(check, Self.text(1), Login(failures: failures, client: nil)) == nil)
    }

    @Test(arguments: ["tid_", "tid_\(String(repeating: "a", count: 200))"])
    func aTextInAnotherFormIsNoKey(text: String) async {
        let check = KeyCheck(Self.desk)
        #expect(await Self.refusal(check, text, Login(failures: nil, client: nil)) == .invalidToken)
    }
}
