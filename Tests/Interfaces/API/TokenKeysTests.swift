import HTTPTypes
import Logging
import Synchronization
import Testing
import TidingsJWT
import TidingsWeb

@testable import TidingsAPI
@testable import TidingsServer

/// The keys of the login service: which set is in force, and what the process says if there is none.
@Suite struct TokenKeysTests {
    /// A login service that a test controls, and the clock.
    private final class Service: Sendable {
        private let answer = Mutex<[UInt8]?>(nil)
        private let time = Mutex(ContinuousClock.now)

        /// Nil: the service does not answer.
        func answers(_ text: String?) { answer.withLock { $0 = text.map { Array($0.utf8) } } }
        func now() -> ContinuousClock.Instant { time.withLock { $0 } }
        func wait(_ duration: Duration) { time.withLock { $0 += duration } }

        func read() throws -> [UInt8] {
            guard let bytes = answer.withLock({ $0 }) else { throw TokenKeysUnreadable(reason: "the service is away") }
            return bytes
        }
    }

    private let service = Service()
    private let readiness = Readiness()
    private let keys: TokenKeys

    init() {
        let service = service
        keys = TokenKeys(
            TokenKeySource(isFile: false) { try service.read() }, readiness: readiness, logger: Logger(label: "tests"),
            now: { service.now() })
    }

    /// The words of the readiness about keys.
    private var told: [String] { readiness.answer(isForProxy: true).missing.filter { $0.hasPrefix("token keys: ") } }

    @Test func aServiceThatIsAwayAtTheStartIsAStateOfReadiness() async {
        await keys.look()
        #expect(keys.current == nil && told.count == 1 && told.allSatisfy { $0.contains("none that count") }, "\(told)")
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        #expect(keys.current?.number == 1 && told.isEmpty, "\(told)")
    }

    /// An open stream asks whether its key still counts.
    @Test func aKeyCountsWhileItIsInTheSetInForce() async throws {
        let (first, second) = (JWTSigner().publicKeySet, JWTSigner().publicKeySet)
        let key = try #require(try JSONWebKeySet(Array(first.utf8)).keys.first).thumbprint
        #expect(!keys.has(key))
        service.answers(first)
        await keys.look()
        #expect(keys.has(key))
        service.wait(TokenKeys.longestAge)
        #expect(!keys.has(key))
        await keys.look()
        #expect(keys.has(key))
        service.answers(second)
        await keys.look()
        #expect(!keys.has(key))
    }

    @Test(arguments: [#"{"keys":[]}"#, "not JSON", #"{"keys":[{"kty":"oct","k":"AAAA","kid":"a"}]}"#])
    func aSetWithoutAUsableKeyNeverReplacesAGoodOne(bad: String) async {
        service.answers(bad)
        await keys.look()
        #expect(keys.current == nil)
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        service.answers(bad)
        await keys.look()
        #expect(keys.current?.number == 1 && told.allSatisfy { $0.contains("stay for a day") } && told.count == 1, "\(told)")
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        #expect(keys.current?.number == 2 && told.isEmpty, "\(told)")
    }

    @Test func aSetThatNobodyConfirmsCountsNoLonger() async {
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        service.answers(nil)
        service.wait(TokenKeys.longestAge - .seconds(1))
        await keys.look()
        #expect(keys.current?.number == 1)
        service.wait(.seconds(1))
        #expect(keys.current == nil)
        await keys.look()
        #expect(told.allSatisfy { $0.contains("none that count") } && told.count == 1, "\(told)")
    }

    @Test func theSameSetIsConfirmedAndKeepsItsNumber() async {
        let set = JWTSigner().publicKeySet
        service.answers(set)
        for _ in 0..<3 {
            service.wait(TokenKeys.longestAge)
            await keys.look()
            #expect(keys.current?.number == 1)
        }
    }

    /// The look must begin after the token came: an earlier one may have missed the key.
    @Test func anUnknownKeyIsLookedForOnce() async throws {
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        let looks = keys.looksBegun
        #expect(try await keys.newer(than: 1, with: "new", after: looks) == nil)
        #expect(keys.looksBegun == looks + 1, "a regular look does not delay it")
        service.answers(JWTSigner().publicKeySet)
        service.wait(TokenKeys.shortestInterval)
        #expect(try await keys.newer(than: 1, with: "new", after: keys.looksBegun)?.number == 2)
    }

    /// When all keys are replaced, every app comes with a token of a withdrawn key. None of them waits but the first.
    @Test func aCrowdWithAWithdrawnKeyWaitsForNothing() async throws {
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        let looks = keys.looksBegun
        for _ in 0..<2 * TokenKeys.mostWaiting { #expect(try await keys.newer(than: 1, with: "old", after: keys.looksBegun) == nil) }
        #expect(keys.looksBegun == looks + 1)
        // The answer is of the moment: the next look may find the key.
        let new = JWTSigner()
        service.answers(new.publicKeySet)
        service.wait(TokenKeys.shortestInterval)
        #expect(try await keys.newer(than: 1, with: "old", after: keys.looksBegun)?.number == 2)
        #expect(keys.looksBegun == looks + 2)
    }

    /// An app that is refused gives its token up. The key may be a new one that the service could not tell.
    @Test(arguments: [nil, #"{"keys":[]}"#])
    func anUnknownKeyIsNotRefusedIfTheLookFails(answer: String?) async throws {
        service.answers(JWTSigner().publicKeySet)
        await keys.look()
        service.answers(answer)
        service.wait(TokenKeys.shortestInterval)
        let problem = await #expect(throws: Problem.self) { try await keys.newer(than: 1, with: "new", after: keys.looksBegun) }
        #expect(problem?.kind == .unavailable && problem?.headers[.retryAfter] == "10")
        #expect(keys.current?.number == 1)
        // With the next good answer, the key is known to be none.
        let set = JWTSigner().publicKeySet
        service.answers(set)
        await keys.look()
        service.wait(TokenKeys.shortestInterval)
        #expect(try await keys.newer(than: 2, with: "new", after: keys.looksBegun) == nil)
    }
}
