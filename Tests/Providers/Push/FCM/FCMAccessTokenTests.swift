import Synchronization
import Testing
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsTestSupport

@testable import ProviderFCM

/// Fetching, keeping and replacing an access token.
struct FCMAccessTokenTests {
    private static func account() throws -> ServiceAccount { try ServiceAccount(json: FCMFixture.account()) }

    private func soon() -> ContinuousClock.Instant { .now + .seconds(30).patient }

    // MARK: Answers

    @Test(arguments: [(3_599, 3_299), (3_600, 3_300), (600, 300), (60, 30), (0, 0), (-5, 0), (1_000_000, 86_100)])
    func aTokenIsKeptUntilShortlyBeforeItExpires(_ life: Int, _ kept: Int) throws {
        let token = try accessToken(from: FCMFixture.tokenAnswer("t", expiresIn: life), now: FCMFixture.now).get()
        #expect(token == AccessToken(text: "t", refreshAt: FCMFixture.now.adding(.seconds(kept))))
    }

    @Test func aTokenWithoutALifeHasGooglesUsualOne() throws {
        let token = try accessToken(from: FCMFixture.response(200, #"{"access_token":"t"}"#), now: FCMFixture.now).get()
        #expect(token.refreshAt == FCMFixture.now.adding(.seconds(3_300)))
    }

    @Test(arguments: [
        #"{"access_token":"t","scope":"\ud83d"}"#, #"{"access_token":"t","expires_in":3600,"x":"\u0000","x":1}"#,
        "\u{FEFF}{\"access_token\":\"t\"}",
    ])
    func aTextThatIsNotReadDoesNotMatter(_ body: String) throws {
        let token = try accessToken(from: FCMFixture.response(200, body), now: FCMFixture.now).get()
        #expect(token == AccessToken(text: "t", refreshAt: FCMFixture.now.adding(.seconds(3_300))))
    }

    private static let misconfigured = Outcome.misconfigured(.misconfigured)
    private static let unavailable = Outcome.retry(after: nil, .providerUnavailable)

    static let refusals: [(Int, String, Outcome, String)] = [
        (
            400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#, misconfigured,
            "invalid_grant: Invalid JWT Signature."
        ),
        (401, #"{"error":"invalid_client"}"#, misconfigured, "invalid_client"),
        (400, #"{"error":"unauthorized_client"}"#, misconfigured, "unauthorized_client"),
        (400, #"{"error":"invalid_scope"}"#, misconfigured, "invalid_scope"),
        (403, "", misconfigured, "answered 403"), (404, "<html>", misconfigured, "answered 404"), (302, "", misconfigured, "answered 302"),
        (429, "", .retry(after: .seconds(7), .providerThrottled), "answered 429"),
        (500, "", .retry(after: .seconds(7), .providerUnavailable), "answered 500"),
        (503, "", .retry(after: .seconds(7), .providerUnavailable), "answered 503"),
        (200, "<html>", unavailable, "holds none"), (200, "{}", unavailable, "holds none"),
        (200, #"{"access_token":"a b"}"#, unavailable, "holds none"), (200, #"{"access_token":""}"#, unavailable, "holds none"),
        (200, #"{"access_token":"t\ud83d"}"#, unavailable, "holds none"),
        (400, #"{"error":"invalid_grant","error_description":"No \ud83d"}"#, misconfigured, "invalid_grant: No \u{FFFD}"),
    ]

    @Test(arguments: refusals)
    func everyRefusalHasItsMeaning(_ status: Int, _ body: String, _ outcome: Outcome, _ words: String) {
        let result = FCMFixture.response(status, body, headers: [("retry-after", "7")])
        guard case .failure(let failure) = accessToken(from: result, now: FCMFixture.now) else {
            Issue.record("a token was read")
            return
        }
        #expect(failure.result.outcome == outcome && failure.result.status == status)
        #expect(failure.result.detail?.hasPrefix("no access token: ") == true && failure.result.detail?.contains(words) == true)
        #expect(failure.isRefusal == (outcome == Self.misconfigured))
        // Another host than FCM has answered. Without a token FCM cannot be used, for no device.
        let isOutage = outcome != Self.misconfigured && status != 429
        #expect(failure.result.evidence == (isOutage ? .unreachable : .none))
    }

    /// No device got anything, so repeating the exchange is harmless.
    @Test(arguments: HTTPFailure.Kind.allCases, [true, false])
    func anExchangeThatBrokeOffIsNeverUnknown(_ kind: HTTPFailure.Kind, _ arrived: Bool) {
        guard case .failure(let failure) = accessToken(from: FCMFixture.failure(kind, arrived: arrived), now: FCMFixture.now) else {
            Issue.record("a token was read")
            return
        }
        if case .unknown = failure.result.outcome { Issue.record("\(kind) is unknown") }
        if kind == .timeoutAfterSend { #expect(failure.result.outcome == .retry(after: nil, .timeout)) }
        if kind == .resetAfterSend { #expect(failure.result.outcome == .retry(after: nil, .connectionFailed)) }
    }

    // MARK: Reuse

    @Test func oneExchangeServesAllUntilTheTokenIsOld() async throws {
        let (clock, calls) = (FCMClock(), FCMCounter())
        let tokens = AccessTokens(account: try Self.account(), now: { clock.now }) { _, _ in FCMFixture.tokenAnswer("token-\(calls.next())")
        }
        #expect(try await tokens.token(before: soon()) == "token-1")
        clock.advance(by: .seconds(3_290))
        #expect(try await tokens.token(before: soon()) == "token-1")
        clock.advance(by: .seconds(10))
        #expect(try await tokens.token(before: soon()) == "token-2")
        #expect(calls.count == 2)
    }

    @Test func callersThatComeMeanwhileWaitForTheSameExchange() async throws {
        let (calls, began, release) = (FCMCounter(), FCMGate(), FCMGate())
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, _ in
            let answer = FCMFixture.tokenAnswer("token-\(calls.next())")
            await began.open()
            await release.wait()
            return answer
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await tokens.token(before: self.soon()) }
            await began.wait()
            // A caller without time left does not wait, and begins no exchange of its own.
            let error = await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: .now) }
            #expect(error?.result.outcome == .retry(after: nil, .timeout))
            for _ in 0..<50 { group.addTask { try await tokens.token(before: self.soon()) } }
            await release.open()
            for try await token in group { #expect(token == "token-1") }
        }
        #expect(calls.count == 1)
    }

    @Test func aCancelledExchangeIsMadeByAnother() async throws {
        let (calls, began) = (FCMCounter(), FCMGate())
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, _ in
            guard calls.next() == 1 else { return FCMFixture.tokenAnswer("second") }
            await began.open()
            let (endless, continuation) = AsyncStream<Never>.makeStream()
            for await _ in endless {}  // ends when the task is cancelled
            continuation.finish()
            return FCMFixture.failure(.cancelled)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: self.soon()) } }
            await began.wait()
            async let other = tokens.token(before: soon())
            group.cancelAll()
            #expect(try await other == "second")
            try await group.waitForAll()
        }
        #expect(calls.count == 2)
    }

    @Test func aCancelledCallerStopsWaiting() async throws {
        let (began, release) = (FCMGate(), FCMGate())
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, _ in
            await began.open()
            await release.wait()
            return FCMFixture.tokenAnswer("token")
        }
        async let first = tokens.token(before: soon())
        await began.wait()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: self.soon()) } }
            group.cancelAll()
        }
        await release.open()
        #expect(try await first == "token")
    }

    @Test func onlyTheTokenThatWasRefusedIsDropped() async throws {
        let calls = FCMCounter()
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, _ in
            FCMFixture.tokenAnswer("token-\(calls.next())")
        }
        _ = try await tokens.token(before: soon())
        #expect(await tokens.drop("an older one"))
        #expect(try await tokens.token(before: soon()) == "token-1")
        #expect(await tokens.drop("token-1"))
        #expect(try await tokens.token(before: soon()) == "token-2")
    }

    @Test func aTokenThatIsReplacedInVainIsKeptForAWhile() async throws {
        let (clock, calls) = (FCMClock(), FCMCounter())
        let tokens = AccessTokens(account: try Self.account(), now: { clock.now }) { _, _ in FCMFixture.tokenAnswer("token-\(calls.next())")
        }
        _ = try await tokens.token(before: soon())
        await tokens.noteReplacedInVain()
        #expect(!(await tokens.drop("token-1")))
        #expect(try await tokens.token(before: soon()) == "token-1")
        clock.advance(by: AccessTokens.refusalMemory)
        #expect(await tokens.drop("token-1"))
        #expect(try await tokens.token(before: soon()) == "token-2")
    }

    @Test func aRefusalIsRememberedForAWhile() async throws {
        let (clock, calls) = (FCMClock(), FCMCounter())
        let tokens = AccessTokens(account: try Self.account(), now: { clock.now }) { _, _ in
            calls.next() < 3 ? FCMFixture.response(400, #"{"error":"invalid_grant"}"#) : FCMFixture.tokenAnswer("token")
        }
        for _ in 0..<5 {
            let error = await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: soon()) }
            #expect(error?.result.outcome == Self.misconfigured)
        }
        #expect(calls.count == 1)
        clock.advance(by: AccessTokens.refusalMemory)
        await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: soon()) }
        #expect(calls.count == 2)
        clock.advance(by: .seconds(-3_600))
        #expect(try await tokens.token(before: soon()) == "token")
    }

    @Test func aFailureThatMayPassIsNotRemembered() async throws {
        let calls = FCMCounter()
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, _ in
            calls.next() == 1 ? FCMFixture.response(503, "") : FCMFixture.tokenAnswer("token")
        }
        await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: soon()) }
        #expect(try await tokens.token(before: soon()) == "token")
    }

    @Test func anExchangeHasPartOfTheTimeOnly() async throws {
        let limits = Mutex<[Duration]>([])
        let tokens = AccessTokens(account: try Self.account(), now: { FCMFixture.now }) { _, timeout in
            limits.withLock { $0.append(timeout) }
            return FCMFixture.response(503, "")
        }
        await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: soon()) }
        await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: .now + .seconds(2)) }
        await #expect(throws: ExchangeFailure.self) { try await tokens.token(before: .now) }
        let seen = limits.withLock { $0 }
        #expect(seen.count == 2 && seen.first == AccessTokens.longestExchange)
        #expect(seen.last.map { $0 <= .seconds(2) } == true)
    }
}
