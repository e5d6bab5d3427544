import Testing
import TidingsCore
import TidingsHTTP
import TidingsHTTP2
import TidingsProvider

@testable import ProviderAPNs

/// The way of a delivery to its outcome: the server that gets it, and the requests that are repeated.
struct APNsSendTests {
    private func provider(
        _ production: APNsServer, sandbox: APNsServer? = nil, clock: TestClock = TestClock(), timeout: Duration = .seconds(15)
    ) throws -> APNsProvider {
        var configuration = try APNsFixture.configuration()
        configuration.call.timeout = timeout
        return APNsProvider(name: "phones", configuration: configuration, production: production, sandbox: sandbox ?? production) {
            clock.now
        }
    }

    private func isAccepted(_ result: SendResult) -> Bool {
        guard case .accepted(_, false) = result.outcome else { return false }
        return result.status == 200
    }

    // MARK: Choice of the server

    @Test func theDevicesEnvironmentChoosesTheServer() async throws {
        let (production, sandbox) = (ScriptedServer(APNsFixture.accepted), ScriptedServer(APNsFixture.accepted))
        let provider = try provider(production.server(), sandbox: sandbox.server())
        for environment in [nil, "production", "elsewhere"] {
            #expect(isAccepted(await provider.send(.apnsOrder(environment: environment))))
        }
        #expect(production.requests.count == 3 && sandbox.requests.isEmpty)
        #expect(isAccepted(await provider.send(.apnsOrder(environment: "sandbox"))))
        #expect(production.requests.count == 3 && sandbox.requests.count == 1)
        // Both servers get the same token.
        #expect(Set(production.tokens + sandbox.tokens).count == 1)
    }

    @Test func theRequestIsTheOneThatWasBuilt() async throws {
        let server = ScriptedServer(APNsFixture.accepted)
        let provider = try provider(server.server())
        let result = await provider.send(.apnsMetadata())
        #expect(result == SendResult(.accepted(providerMessageID: "019a3c2e-0000-7000-8000-000000000001", delivered: false), status: 200))
        let request = try #require(server.requests.first)
        let expected = try APNsPush(of: .apnsMetadata(), topic: APNsFixture.topic).request(under: server.tokens[0], within: .zero)
        #expect(request.text == expected.text && request.unindexed == expected.unindexed)
        #expect(request.totalTimeout > .seconds(10) && request.totalTimeout <= .seconds(15))
    }

    @Test func aDeliveryThatCannotBeSentIsNotSent() async throws {
        let server = ScriptedServer(APNsFixture.accepted)
        let provider = try provider(server.server())
        #expect(await provider.send(.apnsOrder(token: "nope")).outcome == .rejected(.tokenMalformed))
        #expect(server.events.isEmpty)
    }

    @Test func closingEndsBothServersOnce() async throws {
        let (production, sandbox) = (ScriptedServer(APNsFixture.accepted), ScriptedServer(APNsFixture.accepted))
        let two = try provider(production.server(), sandbox: sandbox.server())
        await two.close()
        #expect(production.events == [.closed] && sandbox.events == [.closed])
        let both = ScriptedServer(APNsFixture.accepted)
        let one = try provider(both.server())
        await one.close()
        #expect(both.events == [.closed])
    }

    // MARK: Expired provider tokens

    private static let expired = APNsFixture.refusal(403, "ExpiredProviderToken")

    @Test func anOldTokenThatExpiredIsReplacedAndThePushSentAgain() async throws {
        let (server, clock) = (ScriptedServer(APNsFixture.accepted, Self.expired, APNsFixture.accepted), TestClock())
        let provider = try provider(server.server(), clock: clock)
        #expect(isAccepted(await provider.send(.apnsOrder())))
        clock.advance(by: .seconds(30 * 60))
        #expect(isAccepted(await provider.send(.apnsOrder())))
        #expect(isAccepted(await provider.send(.apnsOrder())))
        let tokens = server.tokens
        try #require(tokens.count == 4)
        #expect(tokens[0] == tokens[1] && tokens[1] != tokens[2] && tokens[2] == tokens[3])
        #expect(server.retirements == 0)
    }

    @Test func aYoungTokenThatExpiredIsTheClocksFault() async throws {
        let (server, clock) = (ScriptedServer(Self.expired), TestClock())
        let provider = try provider(server.server(), clock: clock)
        for minutes in [0, 10, 10] {
            clock.advance(by: .seconds(minutes * 60))
            let result = await provider.send(.apnsOrder())
            #expect(result.outcome == .misconfigured(.misconfigured) && result.status == 403)
            #expect(result.detail?.contains("set the clock") == true)
        }
        #expect(server.requests.count == 3 && Set(server.tokens).count == 1)
    }

    @Test func aTokenIsReplacedOnceOnly() async throws {
        let (server, clock) = (ScriptedServer(APNsFixture.accepted, Self.expired), TestClock())
        let provider = try provider(server.server(), clock: clock)
        _ = await provider.send(.apnsOrder())
        clock.advance(by: .seconds(30 * 60))
        let result = await provider.send(.apnsOrder())
        #expect(result.outcome == .misconfigured(.misconfigured) && result.detail?.contains("set the clock") == true)
        #expect(server.requests.count == 3)
        #expect(await provider.send(.apnsOrder()).outcome == .misconfigured(.misconfigured))
        #expect(server.requests.count == 4 && Set(server.tokens).count == 2)
    }

    /// Pushes that were sent together under the old token are refused together.
    @Test func manyRefusalsMakeOneToken() async throws {
        let (production, sandbox) = (
            ScriptedServer(Self.expired, Self.expired, Self.expired, APNsFixture.accepted), ScriptedServer(APNsFixture.accepted)
        )
        let clock = TestClock()
        let provider = try provider(production.server(Meeting(of: 3, rounds: 2)), sandbox: sandbox.server(), clock: clock)
        #expect(isAccepted(await provider.send(.apnsOrder(environment: "sandbox"))))
        clock.advance(by: .seconds(30 * 60))
        await withTaskGroup(of: SendResult.self) { group in
            for _ in 0..<3 { group.addTask { await provider.send(.apnsOrder()) } }
            for await result in group { #expect(isAccepted(result)) }
        }
        #expect(production.requests.count == 6 && Set(production.tokens).count == 2)
        #expect(sandbox.tokens == [production.tokens[0]])
    }

    // MARK: Spoiled connections

    @Test(arguments: [(400, "IdleTimeout"), (403, "UnrelatedKeyIdInToken")])
    func anUnprocessedPushIsSentOnceMoreOverAnotherConnection(_ status: Int, _ reason: String) async throws {
        let server = ScriptedServer(APNsFixture.refusal(status, reason), APNsFixture.accepted)
        let lucky = try provider(server.server())
        #expect(isAccepted(await lucky.send(.apnsOrder())))
        let bearer = "bearer \(server.tokens[0])"
        #expect(server.events == [.request(bearer), .retired, .request(bearer)])
        #expect(server.requests[0].text == server.requests[1].text)

        let stubborn = ScriptedServer(APNsFixture.refusal(status, reason))
        let unlucky = try provider(stubborn.server())
        let result = await unlucky.send(.apnsOrder())
        #expect(result.outcome == .retry(after: nil, .connectionFailed) && result.status == status)
        #expect(stubborn.requests.count == 2 && stubborn.retirements == 2)
    }

    @Test(
        arguments: [
            (503, "ServiceUnavailable", Outcome.retry(after: nil, .providerUnavailable)),
            (503, "Shutdown", .retry(after: nil, .providerUnavailable)),
            (429, "TooManyProviderTokenUpdates", .retry(after: nil, .providerThrottled)),
        ] as [(Int, String, Outcome)])
    func aLaterAttemptGoesOverAnotherConnection(_ status: Int, _ reason: String, _ outcome: Outcome) async throws {
        let server = ScriptedServer(APNsFixture.refusal(status, reason))
        let provider = try provider(server.server())
        #expect(await provider.send(.apnsOrder()).outcome == outcome)
        #expect(server.requests.count == 1 && server.retirements == 1)
    }

    @Test(arguments: APNsReason.allCases)
    func noOtherReasonCostsAConnectionOrAnotherTry(_ reason: APNsReason) async throws {
        let status = try #require(APNsResultTests.table.first { $0.1 == reason.rawValue }?.0)
        let server = ScriptedServer(APNsFixture.refusal(status, reason.rawValue))
        let provider = try provider(server.server())
        _ = await provider.send(.apnsOrder())
        let isSentAgain = reason == .idleTimeout || reason == .unrelatedKeyIDInToken
        let retires: Set<APNsReason> = [.idleTimeout, .unrelatedKeyIDInToken, .serviceUnavailable, .shutdown, .tooManyProviderTokenUpdates]
        #expect(server.requests.count == (isSentAgain ? 2 : 1))
        #expect((server.retirements > 0) == retires.contains(reason))
    }

    @Test(arguments: HTTPFailure.Kind.allCases, [true, false])
    func aPushThatBrokeOffIsNeverSentAgainAtOnce(_ kind: HTTPFailure.Kind, _ arrived: Bool) async throws {
        let server = ScriptedServer(APNsFixture.failure(kind, arrived: arrived))
        let provider = try provider(server.server())
        _ = await provider.send(.apnsOrder())
        #expect(server.requests.count == 1 && server.retirements == 0)
    }

    /// All 20 refusals came over the same bad connection. The next connection must stay.
    @Test func aConnectionIsRetiredOnceForAllThatItSpoiled() async throws {
        let (server, meeting) = (ScriptedServer(APNsFixture.refusal(503, "Shutdown")), Meeting(of: 20, rounds: 2))
        let provider = try provider(server.server(meeting))
        for round in 1...2 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = await provider.send(.apnsOrder()) } }
            }
            #expect(server.requests.count == 20 * round && server.retirements == round)
        }
    }

    @Test(arguments: [(400, "IdleTimeout", 0), (403, "ExpiredProviderToken", 30)])
    func noPushIsSentAgainIfNoTimeIsLeft(_ status: Int, _ reason: String, _ minutes: Int) async throws {
        let (server, clock) = (ScriptedServer(APNsFixture.accepted, APNsFixture.refusal(status, reason)), TestClock())
        let provider = try provider(server.server(), clock: clock, timeout: .zero)
        #expect(isAccepted(await provider.send(.apnsOrder())))
        clock.advance(by: .seconds(minutes * 60))
        let result = await provider.send(.apnsOrder())
        #expect(result.outcome == .retry(after: nil, .timeout) && result.detail?.contains("no time was left") == true)
        #expect(server.requests.count == 2)
    }

    // MARK: Secrets

    @Test func noResultHoldsAProviderToken() async throws {
        for (status, reason, _) in APNsResultTests.table {
            let server = ScriptedServer(APNsFixture.refusal(status, reason))
            let result = try await provider(server.server()).send(.apnsOrder())
            let token = try #require(server.tokens.first)
            #expect(result.detail?.contains(token) == false && result.detail?.contains(APNsFixture.device.lowercased()) == false)
        }
    }
}
