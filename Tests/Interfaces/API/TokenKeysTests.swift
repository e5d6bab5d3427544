import HTTPTypes
import Logging
import Synchronization
import Testing
import TidingsJWT
import TidingsTestSupport
import TidingsWaiting
import TidingsWeb

@testable import TidingsAPI
@testable import TidingsServer

/// The keys of the login service: which set is in force, and what the process says if there is none.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct TokenKeysTests {
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

    /// A login service that answers at once, except for one request.
    private final class HangingService: Sendable {
        /// That request has arrived.
        let hangs = OneShot<Void>()
        /// The service answers this request.
        let answers = OneShot<Void>()
        private let first = JWTSigner().publicKeySet
        private let second = JWTSigner().publicKeySet
        private let requests = Mutex(0)
        private let cutOff = Mutex(0)
        private let hanging: Int

        /// - Parameter hanging: the number of the request that is not answered at once. It and later ones get another set of keys.
        init(at hanging: Int = 2) { self.hanging = hanging }

        var requestsCutOff: Int { cutOff.withLock { $0 } }

        func read() async throws -> [UInt8] {
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            if number == hanging {
                hangs.set(())
                guard await answers.valueUnlessCancelled() != nil else {
                    cutOff.withLock { $0 += 1 }
                    throw CancellationError()
                }
            }
            return Array((number < hanging ? first : second).utf8)
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

    /// A login service is slow while a crowd asks it for new tokens. Only one request waits for its answer.
    @Test func aCrowdWithAWithdrawnKeyWaitsForNoSlowLook() async throws {
        let hanging = HangingService(at: 3)
        let keys = await tokenKeys(of: hanging)
        #expect(try await keys.newer(than: 1, with: "old", after: keys.looksBegun) == nil)
        service.wait(TokenKeys.shortestInterval)
        async let first = keys.newer(than: 1, with: "old", after: keys.looksBegun)
        await hanging.hangs.value()
        for _ in 0..<2 * TokenKeys.mostWaiting { #expect(try await keys.newer(than: 1, with: "old", after: keys.looksBegun) == nil) }
        // The last look is too old now.
        service.wait(TokenKeys.longestAbsence)
        async let later = keys.newer(than: 1, with: "old", after: 2)
        hanging.answers.set(())
        let found = [try await first?.number, try await later?.number]
        #expect(found == [2, 2])
    }

    /// Keys of a service that hangs, after the first look. No regular look waits for its time.
    private func tokenKeys(of hanging: HangingService) async -> TokenKeys {
        let service = service
        let keys = TokenKeys(
            TokenKeySource(isFile: false) { try await hanging.read() }, readiness: readiness, logger: Logger(label: "tests"),
            now: { service.now() }, sleep: { _ in })
        await keys.look()
        return keys
    }

    /// The API stops within its limit although the login service hangs.
    @Test func theEndOfTheRegularLooksEndsTheLookUnderWay() async {
        let hanging = HangingService()
        let keys = await tokenKeys(of: hanging)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await keys.run() }
            await hanging.hangs.value()
            group.cancelAll()
            await group.waitForAll()
        }
        #expect(hanging.requestsCutOff == 1)
        // The look that was cut off says nothing about the service.
        #expect(keys.current?.number == 1 && told.isEmpty, "\(told)")
    }

    /// A request that is in work when the API stops has its answer.
    @Test func aTokenThatWaitsForACancelledLookHasAnother() async throws {
        let hanging = HangingService()
        let keys = await tokenKeys(of: hanging)
        let looks = keys.looksBegun
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await keys.run() }
            await hanging.hangs.value()
            async let newer = keys.newer(than: 1, with: "new", after: looks)
            await Task.yield()
            group.cancelAll()
            try await group.waitForAll()
            let found = try await newer
            #expect(found?.number == 2)
        }
        #expect(hanging.requestsCutOff == 1)
    }

    /// A request that is cut off at the end of a stop ends at once. Other requests may wait for the same look.
    @Test func aRequestThatIsCutOffLeavesItsLookToOthers() async {
        let hanging = HangingService()
        let keys = await tokenKeys(of: hanging)
        let looks = keys.looksBegun
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    _ = try await keys.newer(than: 1, with: "new", after: looks)
                    return false
                } catch {
                    return error is CancellationError
                }
            }
            await hanging.hangs.value()
            group.cancelAll()
            for await isCutOff in group { #expect(isCutOff) }
        }
        hanging.answers.set(())
        await keys.look()
        #expect(keys.current?.number == 2 && hanging.requestsCutOff == 0)
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
