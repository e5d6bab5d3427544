import Logging
import Synchronization
import Testing
import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsJWT
import TidingsStore
import TidingsWaiting
import TidingsWeb

@testable import TidingsAPI
@testable import TidingsServer

/// Which tokens of people count as failed logins of their address.
@Suite struct PersonTokensTests {
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
            }, readiness: Readiness(), logger: Logger(label: "tests"))
        await keys.look()
        let persons = PersonTokens(keys: keys, verifier: JWTVerifier(issuer: nil, audience: nil), tenants: [], clock: DatabaseClock())
        let login = Login(failures: failures, client: client)
        let withdrawn = JWTSigner().sign(try Self.claims(of: "ada"))
        try await withThrowingTaskGroup(of: Problem.Kind?.self) { group in
            for _ in 0..<FailedLogins.perAddress.burst {
                group.addTask {
                    do {
                        _ = try await persons.person(of: withdrawn, login)
                        return nil
                    } catch {
                        return (error as? Problem)?.kind
                    }
                }
            }
            await begun.value()
            while (try? login.begin()) != nil { await Task.yield() }
            end.set(())
            for try await kind in group { #expect(kind == (isAnswered ? .invalidToken : .unavailable)) }
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
