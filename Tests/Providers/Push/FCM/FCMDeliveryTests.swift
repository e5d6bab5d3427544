import Testing
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderFCM

/// The way of a delivery to its outcome, over real connections to the stand-in.
struct FCMDeliveryTests {
    private static let sendPath = "/fcm/v1/projects/shop-7/messages:send"

    /// The messages that arrived, without the requests for access tokens.
    private func messages(_ server: CaptureServer) -> [CapturedRequest] { server.requests().filter { $0.path != "/fcm/token" } }
    private func exchanges(_ server: CaptureServer) -> Int { server.requests().filter { $0.path == "/fcm/token" }.count }

    private func isAccepted(_ result: SendResult) -> Bool {
        guard case .accepted(let id, false) = result.outcome else { return false }
        return id?.hasPrefix("projects/shop-7/messages/0:") == true && result.status == 200 && result.detail == nil
    }

    @Test func aMessageIsSentUnderAToken() async throws {
        try await withFCM { provider, server in
            let item = OutgoingDelivery.fcmOrder()
            #expect(isAccepted(await provider.send(item)))
            #expect(isAccepted(await provider.send(.fcmMetadata())))
            #expect(server.requests().map(\.path) == ["/fcm/token", Self.sendPath, Self.sendPath])
            #expect(messages(server).map(\.messageID) == ["device-1 \(item.notificationID)", "device-1 metadata"])
            let body = String(decoding: try fcmBody(of: item, now: FCMFixture.now).message, as: UTF8.self)
            #expect(messages(server).first?.text == body)
        }
    }

    @Test func manyMessagesShareOneExchange() async throws {
        try await withFCM { provider, server in
            await withTaskGroup(of: SendResult.self) { group in
                for number in 0..<40 { group.addTask { await provider.send(.fcmOrder(token: "device-\(number)")) } }
                for await result in group { #expect(isAccepted(result)) }
            }
            #expect(exchanges(server) == 1 && messages(server).count == 40)
        }
    }

    @Test func aRefusedTokenIsExchangedAgainAndTheMessageSentAgain() async throws {
        try await withFCM { provider, server in
            server.program(CaptureBehaviour(path: "/fcm/v1", script: [401]))
            #expect(isAccepted(await provider.send(.fcmOrder())))
            #expect(server.requests().map(\.path) == ["/fcm/token", Self.sendPath, "/fcm/token", Self.sendPath])
            #expect(messages(server).map(\.status) == [401, 200])
        }
    }

    @Test func aTokenThatIsRefusedTwiceIsTheOperatorsMatter() async throws {
        try await withFCM { provider, server in
            server.program(CaptureBehaviour(path: "/fcm/v1", then: 401))
            let result = await provider.send(.fcmOrder())
            #expect(result.outcome == .misconfigured(.misconfigured) && result.status == 401)
            #expect(exchanges(server) == 2 && messages(server).count == 2)
            // The next message is sent once, without another exchange.
            #expect(await provider.send(.fcmOrder()).outcome == .misconfigured(.misconfigured))
            #expect(exchanges(server) == 2 && messages(server).count == 3)
        }
    }

    @Test func aRefusedAccountIsAskedForOnceInAWhile() async throws {
        let clock = FCMClock()
        try await withFCM(email: "test+rejected@shop-7.iam.gserviceaccount.com", clock: clock) { provider, server in
            for _ in 0..<3 {
                let result = await provider.send(.fcmOrder())
                #expect(result.outcome == .misconfigured(.misconfigured) && result.status == 400)
                #expect(result.detail == "no access token: invalid_grant: Invalid grant: account not found")
            }
            #expect(exchanges(server) == 1 && messages(server).isEmpty)
            clock.advance(by: AccessTokens.refusalMemory)
            _ = await provider.send(.fcmOrder())
            #expect(exchanges(server) == 2)
        }
    }

    /// The stand-in checks the assertion's time against its own clock.
    @Test func aClockThatIsWrongIsTheOperatorsMatter() async throws {
        let clock = FCMClock()
        clock.advance(by: .seconds(7_200))
        try await withFCM(clock: clock) { provider, _ in
            let result = await provider.send(.fcmOrder())
            #expect(result.outcome == .misconfigured(.misconfigured))
            #expect(result.detail?.contains("reasonable timeframe") == true)
        }
    }

    @Test(
        arguments: [
            (500, nil, Outcome.retry(after: nil, .providerUnavailable)), (429, "9", .retry(after: .seconds(9), .providerThrottled)),
            (403, nil, .misconfigured(.misconfigured)),
        ] as [(Int, String?, Outcome)])
    func noMessageIsSentIfNoAccessTokenIsGiven(_ status: Int, _ retryAfter: String?, _ outcome: Outcome) async throws {
        try await withFCM { provider, server in
            server.program(CaptureBehaviour(path: "/fcm/token", then: status, retryAfter: retryAfter))
            #expect(await provider.send(.fcmOrder()).outcome == outcome)
            #expect(messages(server).isEmpty)
        }
    }

    @Test func anExchangeThatBreaksOffIsRetried() async throws {
        try await withFCM { provider, server in
            server.program(CaptureBehaviour(path: "/fcm/token", resets: true))
            #expect(await provider.send(.fcmOrder()).outcome == .retry(after: nil, .connectionFailed))
        }
    }

    @Test func theWrongProjectGivesUpNoDevice() async throws {
        try await withFCM(["projectId": "shop-8"]) { provider, _ in
            #expect(await provider.send(.fcmOrder()).outcome == .misconfigured(.misconfigured))
        }
    }

    private static let shortly = Outcome.retry(after: .seconds(10), .providerUnavailable)

    @Test(
        arguments: [
            ("test:gone", .endpointGone), ("test:rejected", .rejected(.providerRejected)), ("test:UNREGISTERED", .endpointGone),
            ("test:INVALID_TOKEN", .endpointGone), ("test:SENDER_ID_MISMATCH", .rejected(.tokenMalformed)),
            ("test:THIRD_PARTY_AUTH_ERROR", .misconfigured(.misconfigured)), ("test:PERMISSION_DENIED", .misconfigured(.misconfigured)),
            ("test:QUOTA_EXCEEDED", .retry(after: .seconds(60), .providerThrottled)), ("test:INTERNAL", shortly),
            ("test:UNAVAILABLE", shortly),
            ("test:UNSPECIFIED_ERROR", shortly),
        ] as [(String, Outcome)])
    func everyErrorOfFCMHasItsOutcome(_ token: String, _ outcome: Outcome) async throws {
        try await withFCM { provider, server in
            #expect(await provider.send(.fcmOrder(token: token)).outcome == outcome)
            #expect(messages(server).count == 1)
        }
    }

    @Test func throttledAndFlakyDevicesAreReachedTheSecondTime() async throws {
        try await withFCM { provider, _ in
            let throttled = await provider.send(.fcmOrder(token: "test:throttled"))
            #expect(throttled.outcome == .retry(after: .seconds(2), .providerThrottled))
            #expect(isAccepted(await provider.send(.fcmOrder(token: "test:throttled"))))
            #expect(await provider.send(.fcmOrder(token: "test:flaky")).outcome == Self.shortly)
            #expect(isAccepted(await provider.send(.fcmOrder(token: "test:flaky"))))
            #expect(isAccepted(await provider.send(.fcmOrder(token: "test:delivered"))))
        }
    }

    @Test func anAttemptWithoutAnAnswerIsUnknown() async throws {
        try await withFCM(["timeoutSeconds": "4"]) { provider, _ in
            #expect(await provider.send(.fcmOrder(token: "test:timeout")).outcome == .unknown(after: .seconds(10), .timeout))
        }
    }

    @Test func aDeliveryThatCannotBeSentNeedsNoToken() async throws {
        try await withFCM { provider, server in
            #expect(await provider.send(.fcmOrder(token: nil)).outcome == .rejected(.noAddress))
            #expect(server.stats.requests == 0)
        }
    }
}
