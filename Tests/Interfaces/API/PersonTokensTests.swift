import Logging
import Synchronization
import Testing
import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsJWT
import TidingsStore
import TidingsTestSupport
import TidingsWaiting
import TidingsWeb

@testable import TidingsAPI
@testable import TidingsServer

/// Which tokens of people count as failed logins of their address.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct PersonTokensTests {
    /// A clock that every sleep moves on, so that no sleep takes time.
    private final class SleptTime: Sendable {
        private let time = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant { time.withLock { $0 } }
        func sleep(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    private enum Event: Sendable, Equatable {
        /// The address had too many failed logins.
        case addressIsFull
        case answered(Problem.Kind?)
    }

    private let signer: JWTSigner
    private let keys: TokenKeys
    private let persons: PersonTokens
    private let failures = FailedLogins(now: { Timestamp(seconds: 1_780_315_200) })
    private let client: ClientAddress

    init() async throws {
        let signer = JWTSigner()
        self.signer = signer
        keys = TokenKeys(
            TokenKeySource(isFile: false) { Array(signer.publicKeySet.utf8) }, readiness: Readiness(), logger: Logger(label: "tests"))
        await keys.look()
        persons = PersonTokens(
            keys: keys, verifier: JWTVerifier(issuer: nil, audience: nil), tenants: [], clock: DatabaseClock())
        client = ClientAddress(try #require(IPAddress("198.51.100.1")))
    }

    private func login(_ token: String) async throws -> Problem.Kind? {
        do {
            _ = try await persons.person(of: token, Login(failures: failures, client: client))
            return nil
        } catch let problem as Problem {
            return problem.kind
        }
    }

    private static func claims(of person: String) throws -> JSONObject {
        let end = DatabaseClock().now().adding(.seconds(600)).wholeSeconds
        return try #require(try JSON.parse(#"{"sub":"\#(person)","exp":\#(end)}"#).objectValue)
    }

    /// All apps of a firm come after the withdrawal of a key. The answer must tell them to get a new token, and not to wait.
    @Test func aWithdrawnKeyIsNoFailedLogin() async throws {
        let withdrawn = JWTSigner()
        for number in 0..<2 * FailedLogins.perAddress.burst {
            #expect(try await login(withdrawn.sign(Self.claims(of: "p\(number)"))) == .invalidToken)
        }
        #expect(try await login(signer.sign(Self.claims(of: "ada"))) == nil)
    }

    /// Tokens that wait hold places that others need, so an address has few of them.
    @Test(arguments: [true, false])
    func aTokenThatWaitsForALookCounts(isAnswered: Bool) async throws {
        let (begun, end) = (OneShot<Void>(), OneShot<Void>())
        let looks = Mutex(0)
        let time = SleptTime()
        let signer = signer
        let keys = TokenKeys(
            TokenKeySource(isFile: false) {
                let number = looks.withLock { looks in
                    looks += 1
                    return looks
                }
                if number == 1 { return Array(signer.publicKeySet.utf8) }
                begun.set(())
                await end.value()
                guard isAnswered else { throw TokenKeysUnreadable(reason: "the service is away") }
                return Array(signer.publicKeySet.utf8)
            }, readiness: Readiness(), logger: Logger(label: "tests"), now: { time.now() }, sleep: { time.sleep($0) })
        await keys.look()
        let persons = PersonTokens(keys: keys, verifier: JWTVerifier(issuer: nil, audience: nil), tenants: [], clock: DatabaseClock())
        let login = Login(failures: failures, client: client)
        let withdrawn = JWTSigner().sign(try Self.claims(of: "ada"))
        try await withThrowingTaskGroup(of: Event.self) { group in
            for _ in 0..<FailedLogins.perAddress.burst {
                group.addTask {
                    do {
                        _ = try await persons.person(of: withdrawn, login)
                        return .answered(nil)
                    } catch {
                        return .answered((error as? Problem)?.kind)
                    }
                }
            }
            group.addTask {
                _ = await begun.valueUnlessCancelled()
                while !Task.isCancelled, (try? login.begin()) != nil { await Task.yield() }
                return .addressIsFull
            }
            let first = try await group.next()
            end.set(())
            // A token that is answered before the look has ended does not count any more, so the address would never be full.
            try #require(first == .addressIsFull)
            for try await event in group { #expect(event == .answered(isAnswered ? .invalidToken : .unavailable)) }
        }
        try login.begin()
    }

    @Test func aForgedSignatureIsAFailedLogin() async throws {
        for number in 0..<FailedLogins.perAddress.burst {
            let token = signer.sign(try Self.claims(of: "p\(number)"))
            let other = signer.sign(try Self.claims(of: "someone"))
            let signed = try #require(token.lastIndex(of: "."))
            let signature = try #require(other.lastIndex(of: "."))
            #expect(try await login(String(token[..<signed] + other[signature...])) == .invalidToken)
        }
        #expect(try await login(signer.sign(Self.claims(of: "ada"))) == .rateLimited)
    }
}
