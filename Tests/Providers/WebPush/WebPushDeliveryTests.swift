import Testing
import TidingsCapture
import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

@testable import ProviderWebPush

/// The way of a delivery to its outcome, over real connections to the stand-in.
struct WebPushDeliveryTests {
    private func isAccepted(_ result: SendResult) -> Bool {
        guard case .accepted(let id, false) = result.outcome else { return false }
        return id?.utf8.count == 32 && result.status == 201 && result.detail == nil
    }

    @Test func aMessageReachesItsBrowser() async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            let item = OutgoingDelivery.webOrder(token: token)
            var silent = OutgoingDelivery.webMetadata()
            silent.endpointAddress = token
            #expect(isAccepted(await provider.send(item)))
            #expect(isAccepted(await provider.send(silent)))
            let expected = [try JSON.parse(webPushMessage(of: item).message), try JSON.parse(webPushMessage(of: silent).message)]
            let messages = try await service.messages(token)
            #expect(messages == expected)
            let requests = service.server.requests().filter { $0.method == "POST" && $0.path.hasPrefix("/webpush/push/") }
            #expect(requests.map(\.status) == [201, 201])
            #expect(requests.allSatisfy { $0.messageID?.hasSuffix(" \(item.notificationID)") == true })
        }
    }

    @Test func messagesGoToManyBrowsersAtOnce() async throws {
        try await withWebPush { provider, service in
            var tokens: [String] = []
            for _ in 0..<10 { tokens.append(try await service.subscribe()) }
            await withTaskGroup(of: SendResult.self) { group in
                for token in tokens + tokens { group.addTask { await provider.send(.webOrder(token: token)) } }
                for await result in group { #expect(isAccepted(result)) }
            }
            for token in tokens {
                let messages = try await service.messages(token)
                #expect(messages.count == 2)
            }
        }
    }

    @Test func theTopicReplacesWhatWaits() async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            var item = OutgoingDelivery.webOrder(token: token)
            item.content.collapseKey = "order 17"
            for title in ["first", "second"] {
                item.content.title = title
                #expect(isAccepted(await provider.send(item)))
            }
            let messages = try await service.messages(token)
            #expect(messages.map { $0["title"]?.stringValue } == ["second"])
            #expect(messages.map { $0["tag"]?.stringValue } == ["order 17"])
        }
    }

    @Test(
        arguments: [
            ("test+gone", .endpointGone), ("test+rejected", .rejected(.providerRejected)),
            ("test+throttled", .retry(after: .seconds(2), .providerThrottled)), ("test+flaky", .retry(after: nil, .providerUnavailable)),
        ] as [(String, Outcome)])
    func fixedRecipientsHaveTheirOutcome(_ recipient: String, _ outcome: Outcome) async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe("{\"recipient\":\"\(recipient)\"}")
            #expect(await provider.send(.webOrder(token: token)).outcome == outcome)
            if case .retry = outcome { #expect(isAccepted(await provider.send(.webOrder(token: token)))) }
        }
    }

    @Test(
        arguments: [
            (429, "7", .retry(after: .seconds(7), .providerThrottled)), (503, nil, .retry(after: nil, .providerUnavailable)),
            (307, nil, .rejected(.redirectRefused)), (413, nil, .rejected(.payloadTooLarge)), (404, nil, .endpointGone),
        ] as [(Int, String?, Outcome)])
    func anyOtherStatusCanBeSet(_ status: Int, _ retryAfter: String?, _ outcome: Outcome) async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            service.server.program(CaptureBehaviour(path: "/webpush/push", then: status, retryAfter: retryAfter))
            let result = await provider.send(.webOrder(token: token))
            #expect(result.outcome == outcome && result.status == status)
        }
    }

    @Test func aDateSaysWhenToComeBack() async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            service.server.program(CaptureBehaviour(path: "/webpush/push", then: 429, retryAfter: "Sat, 01 Jan 2000 00:00:00 GMT"))
            #expect(await provider.send(.webOrder(token: token)).outcome == .retry(after: .zero, .providerThrottled))
        }
    }

    @Test func anAttemptWithoutAnAnswerIsUnknown() async throws {
        try await withWebPush(["timeoutSeconds": "3"]) { provider, service in
            let hanging = try await service.subscribe(#"{"recipient":"test+timeout"}"#)
            #expect(await provider.send(.webOrder(token: hanging)).outcome == .unknown(.timeout))
            let reset = try await service.subscribe()
            service.server.program(CaptureBehaviour(path: "/webpush/push", resets: true))
            #expect(await provider.send(.webOrder(token: reset)).outcome == .unknown(.outcomeUnknown))
        }
    }

    @Test func anotherKeyIsNotTheSubscriptions() async throws {
        try await withWebPush { provider, service in
            let own = try await service.subscribe("{\"vapidKey\":\"\(P256Keys.point)\"}")
            #expect(isAccepted(await provider.send(.webOrder(token: own))))
            let another = try await service.subscribe("{\"vapidKey\":\"\(WebPushFixture.point)\"}")
            let result = await provider.send(.webOrder(token: another))
            #expect(result.outcome == .rejected(.tokenMalformed) && result.status == 403)
            #expect(result.detail?.contains("the browser must subscribe again") == true)
        }
    }

    /// The stand-in checks the token's time against its own clock.
    @Test func aClockThatIsWrongIsTheOperatorsMatter() async throws {
        let clock = PushClock()
        clock.advance(by: .seconds(86_400))
        try await withWebPush(clock: clock) { provider, service in
            let result = await provider.send(.webOrder(token: try await service.subscribe()))
            #expect(result.outcome == .misconfigured(.misconfigured) && result.status == 403)
            #expect(result.detail?.contains("this machine's clock") == true)
        }
    }

    @Test func aTokenIsRenewedBeforeItExpires() async throws {
        let clock = PushClock()
        clock.advance(by: .seconds(-43_000))
        try await withWebPush(clock: clock) { provider, service in
            let token = try await service.subscribe()
            #expect(isAccepted(await provider.send(.webOrder(token: token))))
            // The first token has expired by now, for the stand-in too.
            clock.advance(by: .seconds(43_000))
            #expect(isAccepted(await provider.send(.webOrder(token: token))))
        }
    }

    // MARK: Deliveries that are not sent

    /// The default settings apply, without an operator's exceptions.
    @Test(arguments: [
        "http://push.example.net/x", "https://127.0.0.1/x", "https://10.0.0.7/x", "https://[::1]/x",
        "https://169.254.169.254/latest/meta-data",
        "https://192.168.1.1:8443/x", "https://93.184.216.34:22/x", "https://0x7f000001/x", "https://2130706433/x",
        "https://a_\u{7f}.test/x",
    ])
    func endpointsThatOnlyWeCanReachAreRefused(_ endpoint: String) async throws {
        let configuration = try WebPushFixture.configuration()
        let provider = WebPushProvider(configuration, try configuration.call.connection(for: "browsers"))
        let result = await provider.send(.webOrder(token: WebPushFixture.token(endpoint: endpoint)))
        // Some of the endpoints are no URL that any request is sent to.
        let isURL = !["a_", "0x7f000001", "2130706433"].contains { endpoint.contains($0) }
        #expect(result.outcome == .rejected(isURL ? .addressRefused : .tokenMalformed))
        #expect(result.status == nil && result.detail?.contains("/x") == false && result.detail?.contains("meta-data") == false)
        await provider.close()
    }

    @Test func httpIsRefusedUnlessItIsAllowed() async throws {
        try await withWebPush(["allowHTTP": "false"]) { provider, service in
            let token = try await service.subscribe()
            #expect(await provider.send(.webOrder(token: token)).outcome == .rejected(.addressRefused))
            #expect(service.server.requests().map(\.path) == ["/webpush/subscriptions"])
        }
    }

    @Test func aLongBodyIsShortenedAndNoted() async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            var item = OutgoingDelivery.webOrder(token: token)
            item.content.body = String(repeating: "👩‍👩‍👧‍👦", count: 400)
            let result = await provider.send(item)
            #expect(result.status == 201 && result.detail?.contains("the body was shortened from 10000 to ") == true, "\(result)")
            let body = try #require(try await service.messages(token).first?["body"]?.stringValue)
            #expect(body.hasSuffix("…") && body.dropLast().allSatisfy { $0 == "👩‍👩‍👧‍👦" } && body.count > 100)
        }
    }

    @Test func aDeliveryThatCannotBeSentIsNotSent() async throws {
        try await withWebPush { provider, service in
            let token = try await service.subscribe()
            var (empty, large) = (OutgoingDelivery.webOrder(token: token), OutgoingDelivery.webOrder(token: token))
            (empty.content.title, empty.content.body) = (nil, nil)
            large.content.data = "{\"x\":\"\(String(repeating: "y", count: 4_000))\"}"
            #expect(await provider.send(.webOrder(token: nil)).outcome == .rejected(.noAddress))
            #expect(await provider.send(.webOrder(token: "not a subscription")).outcome == .rejected(.tokenMalformed))
            #expect(await provider.send(empty).outcome == .rejected(.contentMissing))
            #expect(await provider.send(large).outcome == .rejected(.payloadTooLarge))
            #expect(service.server.stats.requests == 1)
        }
    }
}
